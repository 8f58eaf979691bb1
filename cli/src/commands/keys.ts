import { parseArgs } from 'node:util';
import type { ApiKeyWithSecret } from '@quittance/sdk';
import { loginClient, readProfile, saveProfile, SHARED_OPTIONS } from '../profile.ts';
import { type Command, UsageError } from '../command.ts';
import { hint, print, say, type Terminal } from '../terminal.ts';

export const keys: Command = {
  name: 'keys',
  usage: 'quittance keys [--json]',
  summary: 'List the API keys of your account.',
  async run(args, terminal) {
    const { values } = parseArgs({ args, options: SHARED_OPTIONS });
    const quittance = await loginClient(terminal, values);
    for await (const key of quittance.apiKeys.list({ limit: 100 })) {
      print(
        terminal,
        values.json
          ? JSON.stringify(key)
          : `${key.id}  ${key.livemode ? 'live' : 'test'}  …${key.last4}  ${key.label ?? ''}`,
      );
    }
    return undefined;
  },
};

export const createKey: Command = {
  name: 'keys create',
  usage: 'quittance keys create [--live] [--label TEXT] [--json]',
  summary: 'Create an API key and save it to the CLI profile.',
  async run(args, terminal) {
    const { values } = parseArgs({ args, options: { ...SHARED_OPTIONS, label: { type: 'string' } } });
    const quittance = await loginClient(terminal, values);
    const made = await quittance.apiKeys.create({
      mode: values.live ? 'live' : 'test',
      ...(values.label && { label: values.label }),
    });
    await keep(terminal, made);
    print(
      terminal,
      values.json ? JSON.stringify({ ...made, secret: hint(made.secret) }) : `${made.id}  ${hint(made.secret)}`,
    );
    return undefined;
  },
};

export const rotateKey: Command = {
  name: 'keys rotate',
  usage: 'quittance keys rotate KEY_ID [--json]',
  summary: 'Rotate a key. The old secret stops working immediately.',
  async run(args, terminal) {
    const { values, id } = oneId(args);
    const quittance = await loginClient(terminal, values);
    const made = await quittance.apiKeys.rotate(id);
    await keep(terminal, made);
    print(
      terminal,
      values.json ? JSON.stringify({ ...made, secret: hint(made.secret) }) : `${made.id}  ${hint(made.secret)}`,
    );
    return undefined;
  },
};

export const deleteKey: Command = {
  name: 'keys delete',
  usage: 'quittance keys delete KEY_ID [--json]',
  summary: 'Delete a key; it stops at once.',
  async run(args, terminal) {
    const { values, id } = oneId(args);
    const gone = await (await loginClient(terminal, values)).apiKeys.delete(id);
    print(terminal, values.json ? JSON.stringify(gone) : gone.id);
    return undefined;
  },
};

function oneId(args: string[]) {
  const {
    values,
    positionals: [id, ...more],
  } = parseArgs({ args, allowPositionals: true, options: SHARED_OPTIONS });
  if (!id || more.length > 0) throw new UsageError('Key ID missing. Pass one, such as key_….');
  return { values, id };
}

/** Keys go into the profile, which only its owner can read; a terminal's history is no place for them. */
async function keep(terminal: Terminal, { livemode, secret }: ApiKeyWithSecret): Promise<void> {
  const path = await saveProfile(terminal, {
    ...(await readProfile(terminal)),
    [livemode ? 'live_key' : 'key']: secret,
  });
  say(terminal, `The key is saved in ${path}; commands use it from now on${livemode ? ' where you give --live' : ''}.`);
}
