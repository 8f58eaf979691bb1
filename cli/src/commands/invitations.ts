import { parseArgs } from 'node:util';
import { type Command, UsageError } from '../command.ts';
import { loginClient, SHARED_OPTIONS } from '../profile.ts';
import { print, say } from '../terminal.ts';

export const invite: Command = {
  name: 'invitations create',
  usage: 'quittance invitations create [--mail ADDRESS] [--label TEXT] [--days N] [--json]',
  summary: 'Create a link that opens one account. Operator only.',
  async run(args, terminal) {
    const { values } = parseArgs({
      args,
      options: { ...SHARED_OPTIONS, mail: { type: 'string' }, label: { type: 'string' }, days: { type: 'string' } },
    });
    if (values.days !== undefined && !/^([1-9]|[12][0-9]|30)$/.test(values.days))
      throw new UsageError('--days must be a whole number from 1 to 30.');
    const quittance = await loginClient(terminal, values);
    const made = await quittance.invitations.create({
      ...(values.mail && { email: values.mail }),
      ...(values.label && { label: values.label }),
      ...(values.days && { expires_in: Number(values.days) * 86_400 }),
    });
    if (values.mail) say(terminal, `The link was emailed to ${values.mail}.`);
    print(terminal, values.json ? JSON.stringify(made) : `${made.id}  ${made.url}`);
    return undefined;
  },
};

export const invitations: Command = {
  name: 'invitations',
  usage: 'quittance invitations [--json]',
  summary: 'List invitations to this server. Operator only.',
  async run(args, terminal) {
    const { values } = parseArgs({ args, options: SHARED_OPTIONS });
    const quittance = await loginClient(terminal, values);
    for await (const invitation of quittance.invitations.list({ limit: 100 })) {
      print(
        terminal,
        values.json
          ? JSON.stringify(invitation)
          : `${invitation.id}  ${invitation.status}  until ${invitation.expires_at.slice(0, 10)}  ` +
              `${invitation.label ?? invitation.email ?? ''}`,
      );
    }
    return undefined;
  },
};

export const revokeInvitation: Command = {
  name: 'invitations revoke',
  usage: 'quittance invitations revoke INVITATION_ID [--json]',
  summary: 'Revoke an invitation. Operator only.',
  async run(args, terminal) {
    const {
      values,
      positionals: [id, ...more],
    } = parseArgs({ args, allowPositionals: true, options: SHARED_OPTIONS });
    if (!id || more.length > 0) throw new UsageError('Invitation ID missing. Pass one, such as inv_….');
    const revoked = await (await loginClient(terminal, values)).invitations.revoke(id);
    print(terminal, values.json ? JSON.stringify(revoked) : revoked.id);
    return undefined;
  },
};
