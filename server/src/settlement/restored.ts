import { findAsset, type ReceiveNetwork } from '@quittance/contract';
import type { Context } from '../context.ts';
import { type Reclaimed, reclaimReferenced } from './attribution/reclaim-referenced.ts';
import { findCursor } from './reading/cursor-store.ts';
import { peggedRate, requiredUnits } from './records/amounts.ts';
import { preferredAmount } from './records/exact-amounts.ts';
import { rescan } from './rescan.ts';
import { findLooseTransfers, findUnpaidPayments, type LooseTransfer, type UnpaidPayment } from './restored-store.ts';

const MAX_LISTED = 1_000;
const MAX_COMPARED = 10_000;

/** How a network was read again. */
export interface Reread {
  network: ReceiveNetwork;
  /** Transfers that were not stored before. */
  found: number;
  /** Transactions that could not be stored. */
  setAside: number;
  /** Blocks that the watcher has yet to read. */
  behind: bigint;
}

/** Reads a network again from the time of the backup on: wallets may have been saved again only after the watcher had passed. */
export async function reread(ctx: Context, network: ReceiveNetwork, from: Date): Promise<Reread> {
  let [found, setAside] = [0, 0];
  for await (const progress of rescan(ctx, network, from)) ({ found, setAside } = progress);
  const head = await ctx.chains.get(network)?.head('first');
  const cursor = await findCursor(ctx.db, network, 'first');
  const behind = head && cursor && head.number > cursor.number ? head.number - cursor.number : 0n;
  return { network, found, setAside, behind };
}

/** Attributes what carries the reference of a session that was created again. Returns the transfers that found their payment. */
export function reclaimSince(ctx: Context, from: Date): Promise<Reclaimed[]> {
  return reclaimReferenced(ctx, { from, limit: MAX_COMPARED });
}

/** Money without a payment since an instant, each with the payments whose exact amount it is. */
export async function findLoose(
  ctx: Pick<Context, 'db'>,
  from: Date,
): Promise<{ transfer: LooseTransfer; candidates: UnpaidPayment[] }[]> {
  const transfers = await findLooseTransfers(ctx.db, from, MAX_LISTED);
  const addresses = [...new Set(transfers.map(({ address }) => address))];
  const payments = await findUnpaidPayments(ctx.db, addresses, from, MAX_COMPARED);
  const byAmount = Map.groupBy(payments, (payment) => place(payment, preferredUnits(payment)));
  return transfers.map((transfer) => ({
    transfer,
    candidates: byAmount.get(place(transfer, transfer.amountUnits)) ?? [],
  }));
}

function place(
  { network, asset, address }: Pick<UnpaidPayment, 'network' | 'asset' | 'address'>,
  units?: bigint,
): string {
  return `${network} ${asset} ${address} ${units}`;
}

/** Where a market decides, the price of that time is not known, and with it the amount. */
function preferredUnits({ asset, network, currency, amountMinor, reference }: UnpaidPayment): bigint | undefined {
  const rate = peggedRate(asset, currency);
  const known = findAsset(asset, network);
  return rate && known && preferredAmount(reference, requiredUnits(amountMinor, known, rate), amountMinor, known);
}
