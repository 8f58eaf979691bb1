import { endpoints } from '@quittance/contract';
import type { Context } from '../../context.ts';
import { route } from '../../platform/http/route.ts';
import { assignTransfer } from './assign.ts';
import { type Elsewhere, lookElsewhere } from './elsewhere.ts';
import { handleTransfer, reopenTransfer } from './handle.ts';
import { listTransfers } from './list.ts';
import { releaseTransferToOwner } from './release.ts';

export const transferRoutes = [
  route(endpoints.listTransfers, (ctx: Context, { caller, query }) => listTransfers(ctx, { caller, query })),

  route(
    endpoints.assignTransfer,
    (ctx: Context, { db, caller, params, body }, found: Elsewhere | null) =>
      assignTransfer(ctx, db, caller, { id: params.id, paymentId: body.payment, found }),
    {
      prepare: (ctx, { caller, params, body }) =>
        lookElsewhere(ctx, caller, { id: params.id, paymentId: body.payment }),
    },
  ),

  route(endpoints.releaseTransfer, (ctx: Context, { db, caller, params }) =>
    releaseTransferToOwner(ctx, db, caller, params.id),
  ),

  route(endpoints.handleTransfer, (ctx: Context, { db, caller, params, body }) =>
    handleTransfer(ctx, db, caller, { id: params.id, note: body.note?.trim() || null }),
  ),

  route(endpoints.reopenTransfer, (ctx: Context, { db, caller, params }) => reopenTransfer(ctx, db, caller, params.id)),
];
