import { isEvm, isStablecoin, NETWORKS, type ReceiveNetwork } from '@quittance/contract';
import type { Context } from '../../context.ts';
import type { Account, Caller } from '../../platform/caller.ts';
import type { Transaction } from '../../platform/db/db.ts';
import { fail } from '../../platform/errors.ts';
import { isId } from '../../platform/ids.ts';
import { findAddressOwner } from '../../settlement/records/address-owner-store.ts';
import { findPayment, moveToNetwork } from '../../settlement/records/payment-store.ts';
import type { Payment } from '../../settlement/records/payment.ts';
import { findOrders } from '../../settlement/records/route-order-store.ts';
import {
  findTransfersOf,
  isUnsure,
  lockTransfer,
  type StoredTransfer,
} from '../../settlement/records/transfer-store.ts';
import { verifyNow } from '../../settlement/verification/verify-now.ts';
import { ownTransfer } from './own-transfer.ts';

/**
 * Why the merchant can move money at their address of another network: it is a key's on both, or they proved it there.
 * A contract there may have another owner, and one that is only here may never exist there. See decision 38.
 */
export type Reach = 'key' | 'proved' | 'contract' | 'unknown';

/** What the networks say about a transfer that arrived on another one than its payment's. */
export interface Elsewhere {
  reach: Reach;
  /** That the transfer is final, where it was not verified before; null if the quorum does not say so. */
  evidence: Record<string, unknown> | null;
}

type Place = Pick<StoredTransfer, 'to' | 'network' | 'asset'>;

/** Whether it is the same dollar coin at the same address of another network of the Ethereum family. */
export function isElsewhere({ to, network, asset }: Place, payment: Payment): boolean {
  const isSameCoin = to === payment.receiveAddress && asset === payment.receiveAsset && isStablecoin(asset);
  return isSameCoin && network !== payment.receiveNetwork && isEvm(network) && isEvm(payment.receiveNetwork);
}

/** Whether the merchant can move money that arrived at their address and is due on another network. */
export async function findReach(
  ctx: Context,
  { id, livemode }: Account,
  { network, to: address }: Place,
  due: ReceiveNetwork,
): Promise<Reach> {
  // Test mode has no chain to look at.
  if (!livemode) return 'key';
  if ((await findAddressOwner(ctx.db, { livemode, network, address })) === id) return 'proved';
  const found = await Promise.all([network, due].map((one) => ctx.chains.get(one)?.isContract?.(address) ?? null));
  return found.includes(true) ? 'contract' : found.includes(null) ? 'unknown' : 'key';
}

/** Asks the networks, before the transaction, if the transfer is on another one than its payment. */
export async function lookElsewhere(
  ctx: Context,
  caller: Caller,
  { id, paymentId }: { id: string; paymentId: string },
): Promise<Elsewhere | null> {
  const { transfer } = await ownTransfer(ctx.db, caller, id);
  const payment = isId('pay', paymentId) ? await findPayment(ctx.db, caller, paymentId) : undefined;
  if (!payment || transfer.paymentId !== null || !isElsewhere(transfer, payment)) return null;
  // All accounts share the providers, and the same question may be asked without end.
  if (ctx.lookBudget.usedUp(caller.realNow).includes(caller.id))
    fail('rate_limited', {
      message: 'Too many transactions of this account were looked up within a minute. Try again in a minute.',
      retryAfterSeconds: 60,
    });
  ctx.lookBudget.spend([{ ...transfer, accountId: caller.id, otherHashes: [] }]);
  const reach = await findReach(ctx, caller, transfer, payment.receiveNetwork);
  return { reach, evidence: isUnsure(transfer) ? await verifyNow(ctx, transfer, payment) : null };
}

/**
 * Lets a locked payment without money have its money on the transfer's network. All of it is on one network, so that
 * its sums and refunds are in one coin.
 */
export async function receiveElsewhere(
  db: Transaction,
  { id, network }: Pick<StoredTransfer, 'id' | 'network'>,
  payment: Payment,
  found: Elsewhere | null,
): Promise<void> {
  const [here, there] = [NETWORKS[payment.receiveNetwork].name, NETWORKS[network].name];
  const held = await lockTransfer(db, id);
  const hasMoney = (await findTransfersOf(db, [payment.id])).length > 0 || payment.refunds.ids.length > 0;
  if (hasMoney || (await findOrders(db, payment.id)).length > 0)
    fail('invalid_payment_state', {
      param: 'payment',
      message: `This payment has money or a conversion on ${here} already, so it takes none on ${there}. Send this transfer back.`,
    });
  const reach = found?.reach ?? 'unknown';
  if (reach === 'contract')
    fail('forbidden', {
      param: 'id',
      message:
        `A contract lives at the address on ${here} or on ${there}, so the money may be out of your reach. Save the ` +
        `address as a payout wallet on ${there} and verify ownership of it there first.`,
    });
  if (reach === 'unknown')
    fail('service_unavailable', {
      param: 'id',
      message: `The RPC providers of ${here} and ${there} could not say whether a contract lives at the address. Try again in a minute.`,
      retryAfterSeconds: 60,
    });
  if (held?.status !== 'final' || (isUnsure(held) && !found?.evidence))
    fail('invalid_payment_state', {
      param: 'id',
      message: `The RPC providers of ${there} have not agreed yet that this transfer is final. Try again in a few minutes.`,
    });
  await moveToNetwork(db, payment, network);
}
