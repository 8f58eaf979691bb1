import { endpoints } from '@quittance/contract';
import type { Context } from '../../../context.ts';
import { listPage } from '../../../platform/http/pagination.ts';
import { type Route, route } from '../../../platform/http/route.ts';
import { createInvitation, requireOperator } from './create.ts';
import { presentInvitation, presentNewInvitation } from './present.ts';
import { revokeInvitation } from './revoke.ts';
import { findInvitation, listInvitations } from './store.ts';

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
