import { endpoints, type InvitationJson, type InvitationWithUrlJson } from '@quittance/contract';
import type { Context } from '../../../context.ts';
import type { Caller } from '../../../platform/caller.ts';
import type { Db } from '../../../platform/db/db.ts';
import { fail } from '../../../platform/errors.ts';
import { listPage } from '../../../platform/http/pagination.ts';
import { type Route, route } from '../../../platform/http/route.ts';
import { createInvitation, type NewInvitation, requireOperator } from './create.ts';
import { type Invitation, statusOf } from './invitation.ts';
import { findInvitation, listInvitations, revokePendingInvitation } from './store.ts';

export const invitationRoutes: Route<Context>[] = [
  route(endpoints.createInvitation, async (ctx: Context, { db, caller, body, http }) => {
    http.reply.header('cache-control', 'no-store');
    const created = await createInvitation(ctx, db, caller, {
      email: body.email ?? null,
      label: body.label?.trim() || null,
      expiresInSeconds: body.expires_in,
    });
    return presentNewInvitation(created, caller.realNow);
  }),

  route(endpoints.listInvitations, async (ctx: Context, call) => {
    const { caller } = call;
    await requireOperator(ctx.db, caller);
    return listPage(call, ctx, {
      list: 'invitations',
      prefix: 'inv',
      find: (id) => findInvitation(ctx.db, caller.id, id),
      fetch: (page) => listInvitations(ctx.db, caller.id, page),
      position: (invitation) => invitation,
      present: (invitation) => presentInvitation(invitation, caller.realNow),
    });
  }),

  route(endpoints.revokeInvitation, async (_ctx: Context, { db, caller, params }) => {
    await requireOperator(db, caller);
    await revokeInvitation(db, caller, params.id);
    return { id: params.id, deleted: true };
  }),
];

/** The link opens no account from the commit on. */
async function revokeInvitation(db: Db, caller: Caller, id: string): Promise<void> {
  const isRevoked = await revokePendingInvitation(db, { id, accountId: caller.id, now: caller.realNow });
  if (!isRevoked) fail('not_found', { param: 'id' });
}

function presentInvitation(invitation: Invitation, now: Date): InvitationJson {
  return {
    id: invitation.id,
    object: 'invitation',
    status: statusOf(invitation, now),
    email: invitation.email,
    label: invitation.label,
    created_at: invitation.createdAt.toISOString(),
    expires_at: invitation.expiresAt.toISOString(),
    used_at: invitation.usedAt?.toISOString() ?? null,
  };
}

function presentNewInvitation({ invitation, url }: NewInvitation, now: Date): InvitationWithUrlJson {
  return { ...presentInvitation(invitation, now), url };
}
