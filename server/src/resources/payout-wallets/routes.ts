import { endpoints, type PayoutWalletJson, type WalletProofJson } from '@quittance/contract';
import { confirmPayoutWallet } from '@quittance/contract/dashboard';
import type { Context } from '../../context.ts';
import type { Caller } from '../../platform/caller.ts';
import type { Transaction } from '../../platform/db/db.ts';
import { fail } from '../../platform/errors.ts';
import { listPage } from '../../platform/http/pagination.ts';
import { type Route, route } from '../../platform/http/route.ts';
import { presentUnits } from '../../settlement/records/present-payment.ts';
import { lockAccount } from '../accounts/store.ts';
import { createPayoutWallet } from './create.ts';
import { LOOK_UP_QUOTA, lookAtAddress, type WalletLook } from './look-up-address.ts';
import type { PayoutWallet } from './payout-wallet.ts';
import { proveWalletOwnership, type WalletProof } from './prove-ownership.ts';
import { findWallet, listWallets, moveDefault, saveArchived, saveConfirmed } from './store.ts';
import { type ProofVerdict, verifyProof } from './verify-proof.ts';

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

  route(confirmPayoutWallet, async (_ctx: Context, { db, caller, params }) =>
    presentPayoutWallet(await confirmWallet(db, caller, params.id)),
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

/**
 * Archives a wallet: it gets no new sessions and links, and open ones continue. If it was the default, there is no
 * default until one is chosen, because money must not go elsewhere automatically.
 */
async function archiveWallet(db: Transaction, caller: Caller, id: string): Promise<PayoutWallet> {
  await lockAccount(db, caller.id);
  const wallet = (await findWallet(db, caller, id)) ?? fail('not_found', { param: 'id' });
  if (caller.loginMethod === 'wallet') {
    fail('forbidden', { message: 'This account logs in with this wallet, and it is its only payout wallet.' });
  }
  if (wallet.archivedAt) return wallet;

  await saveArchived(db, wallet, caller.now);
  return { ...wallet, archivedAt: caller.now, isDefault: false };
}

/** The owner confirms a wallet that a live key added. No-op if it waits for nothing. */
async function confirmWallet(db: Transaction, caller: Caller, id: string): Promise<PayoutWallet> {
  await lockAccount(db, caller.id);
  const wallet = (await findWallet(db, caller, id)) ?? fail('not_found', { param: 'id' });
  if (wallet.archivedAt)
    fail('invalid_payout_wallet', { param: 'id', message: 'An archived wallet cannot be confirmed.' });
  await saveConfirmed(db, wallet);
  return { ...wallet, unconfirmed: false };
}

/** Sessions that name no wallet settle here from now on. Open ones keep theirs. */
async function setDefaultWallet(db: Transaction, caller: Caller, id: string): Promise<PayoutWallet> {
  // Locked until the default has moved, so that concurrent requests run one after the other.
  await lockAccount(db, caller.id);
  const wallet = (await findWallet(db, caller, id)) ?? fail('not_found', { param: 'id' });
  if (wallet.archivedAt)
    fail('invalid_payout_wallet', {
      param: 'id',
      message: 'An archived wallet cannot be the default.',
    });
  if (wallet.unconfirmed)
    fail('invalid_payout_wallet', { param: 'id', message: 'A wallet that waits for the owner cannot be the default.' });
  if (wallet.isDefault) return wallet;

  await moveDefault(db, wallet);
  return { ...wallet, isDefault: true };
}

function presentPayoutWallet(wallet: PayoutWallet): PayoutWalletJson {
  return {
    id: wallet.id,
    object: 'payout_wallet',
    livemode: wallet.livemode,
    asset: wallet.asset,
    network: wallet.network,
    address: wallet.address,
    label: wallet.label,
    is_default: wallet.isDefault,
    archived: wallet.archivedAt !== null,
    proved: wallet.proof === 'proved',
    proof: wallet.proof,
    looked_up: wallet.lookUpAt === null,
    unfit: wallet.unfit,
    waits_for: wallet.unconfirmed ? ('confirmation' as const) : null,
    created_by: wallet.createdBy,
    created_at: wallet.createdAt.toISOString(),
  };
}

function presentWalletProof(proof: WalletProof): WalletProofJson {
  return {
    payout_wallet_id: proof.walletId,
    proved: proof.proved,
    message: proof.message,
    expires_in: proof.expiresInSeconds,
    proof: proof.status,
    transfer: proof.transfer && {
      asset: proof.transfer.asset,
      network: proof.transfer.network,
      amount: presentUnits(proof.transfer.amountUnits, proof.transfer.asset, proof.transfer.network),
      from: proof.transfer.address,
      to: proof.transfer.address,
      expires_at: proof.transfer.expiresAt.toISOString(),
    },
  };
}
