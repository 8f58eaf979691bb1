import { endpoints } from '@quittance/contract';
import type { Context } from '../../context.ts';
import { fail } from '../../platform/errors.ts';
import { listPage } from '../../platform/http/pagination.ts';
import { type Route, route } from '../../platform/http/route.ts';
import { archiveWallet } from './archive.ts';
import { createPayoutWallet } from './create.ts';
import { presentPayoutWallet, presentWalletProof } from './present.ts';
import { type ProofVerdict, verifyProof } from './verify-proof.ts';
import { LOOK_UP_QUOTA } from './look-up-address.ts';
import { lookAtAddress, type WalletLook } from './needs-proof.ts';
import { proveWalletOwnership } from './prove-ownership.ts';
import { setDefaultWallet } from './set-default.ts';
import { findWallet, listWallets } from './store.ts';

// A transaction and a contract's signature are read from the chain.
const PROOF_QUOTA = { name: 'wallet proofs', perMinute: 60, by: 'account' as const };

export const payoutWalletRoutes: Route<Context>[] = [
  route(
    endpoints.createPayoutWallet,
    async (ctx: Context, { db, caller, body }, look: WalletLook) =>
      presentPayoutWallet(await createPayoutWallet(ctx, db, caller, { ...body, look })),
    { prepare: (ctx, { caller, body }) => lookAtAddress(ctx, caller, body), quota: LOOK_UP_QUOTA },
  ),

  route(endpoints.listPayoutWallets, async (ctx: Context, call) =>
    listPage(call, ctx, {
      list: 'payout_wallets',
      prefix: 'pp',
      find: (id) => findWallet(ctx.db, call.caller, id),
      fetch: (page) => listWallets(ctx.db, call.caller, page),
      position: (wallet) => wallet,
      present: presentPayoutWallet,
    }),
  ),

  route(endpoints.getPayoutWallet, async (ctx: Context, { caller, params }) =>
    presentPayoutWallet((await findWallet(ctx.db, caller, params.id)) ?? fail('not_found', { param: 'id' })),
  ),

  route(endpoints.setDefaultPayoutWallet, async (_ctx: Context, { db, caller, params }) =>
    presentPayoutWallet(await setDefaultWallet(db, caller, params.id)),
  ),

  route(endpoints.archivePayoutWallet, async (_ctx: Context, { db, caller, params }) =>
    presentPayoutWallet(await archiveWallet(db, caller, params.id)),
  ),

  route(
    endpoints.proveWalletOwnership,
    async (ctx: Context, { db, caller, params, body }, proved: ProofVerdict) =>
      presentWalletProof(await proveWalletOwnership(ctx, db, caller, { id: params.id, sent: body, proved })),
    {
      prepare: (ctx, { caller, params, body }) => verifyProof(ctx, caller, params.id, body),
      quota: PROOF_QUOTA,
    },
  ),
];
