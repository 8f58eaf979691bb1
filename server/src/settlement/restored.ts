import { setTimeout as pause } from 'node:timers/promises';
import { findAsset, type ReceiveNetwork } from '@quittance/contract';
import type { Context } from '../context.ts';
import { SECOND_MS } from '../platform/time.ts';
import { type Reclaimed, reclaimReferenced } from './attribution/reclaim-referenced.ts';
import { findCursor } from './reading/cursor-store.ts';
import { findWatchedAddresses } from './reading/watched-addresses.ts';
import { signalDemand } from './records/demand.ts';
import { peggedRate, requiredUnits } from './records/amounts.ts';
import { preferredAmount } from './records/exact-amounts.ts';
import { rescan } from './rescan.ts';
import { findLooseTransfers, findUnpaidPayments, type LooseTransfer, type UnpaidPayment } from './restored-store.ts';

const MAX_COMPARED = 10_000;
/** A watcher at the end of a network passes a new head within its longest interval of eight seconds and its reading. */
const MAX_WAIT_MS = 15 * SECOND_MS;
const POLL_MS = 250;

/** How a network was read again. */
export interface Reread {
  network: ReceiveNetwork;
  /** Transfers that were not stored before. */
  found: number;
  /** Transactions that could not be stored. */
  setAside: number;
  /** As of a rescan: blocks without the search for ether of contracts, and blocks that one provider alone served. */
  unseen: number;
  readByOne: number;
  /** Blocks that the watcher has yet to read, of those that existed when this began. */
  behind: bigint;
}

/** Reads a network again from the time of the backup on: wallets may have been saved again only after the watcher had passed. */
export async function reread(
  ctx: Context,
  network: ReceiveNetwork,
  from: Date,
  { maxWaitMs = MAX_WAIT_MS }: { maxWaitMs?: number } = {},
): Promise<Reread> {
  // The head of the beginning: blocks come faster than a watcher asks for them, so it is always behind the newest one.
  const head = await ctx.chains.get(network)?.head('first', { tags: false });
  signalDemand(ctx.db, network);
  let [found, setAside, unseen, readByOne] = [0, 0, 0, 0];
  for await (const progress of rescan(ctx, network, from)) ({ found, setAside, unseen, readByOne } = progress);
  return {
    network,
    found,
    setAside,
    unseen,
    readByOne,
    behind: head ? await blocksLeft(ctx, network, head.number, maxWaitMs) : 0n,
  };
}

/** How many blocks up to this one the watcher has not read after a wait. Without watched addresses it has none to read. */
async function blocksLeft({ db }: Context, network: ReceiveNetwork, until: bigint, maxWaitMs: number): Promise<bigint> {
  if ((await findWatchedAddresses(db, network, await db.now())).addresses.size === 0) return 0n;
  const startedMs = performance.now();
  for (;;) {
    const cursor = await findCursor(db, network, 'first');
    if (!cursor || cursor.number >= until) return 0n;
    if (performance.now() - startedMs >= maxWaitMs) return until - cursor.number;
    await pause(POLL_MS);
  }
}

/** Attributes what carries the reference of a session that was created again. Returns the transfers that found their payment. */
export function reclaimSince(ctx: Context, from: Date): Promise<Reclaimed[]> {
  return reclaimReferenced(ctx, { from, limit: MAX_COMPARED });
}

/** Money without a payment since an instant, each with the payments whose exact amount it is. */
export async function findLoose(
  ctx: Pick<Context, 'db'>,
  from: Date,
  limit: number,
): Promise<{ transfer: LooseTransfer; candidates: UnpaidPayment[] }[]> {
  const transfers = await findLooseTransfers(ctx.db, from, limit);
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
