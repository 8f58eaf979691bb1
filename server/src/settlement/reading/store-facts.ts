import type { ReceiveNetwork } from '@quittance/contract';
import type { Pass, Transfer } from '../../outside/chains/chain.ts';
import type { Transaction } from '../../platform/db/db.ts';
import type { Reporter } from '../records/contested.ts';
import { storeTransfers } from '../records/seen-transfer-store.ts';
import { countActivity, findActivity, findMatches } from './activity-store.ts';
import { isBelowCent, listedLimit, selectTransfers } from './select-transfers.ts';

/** The transfers that a pass read from a network. */
export interface ReadTransfers {
  network: ReceiveNetwork;
  pass: Pass;
  transfers: readonly Transfer[];
  reporter: Reporter;
}

/** How many transfers of a reading were new, and how many contradict what is stored. */
export interface StoredFacts {
  found: number;
  contested: number;
}

/**
 * Stores the transfers of a reading and queues them for attribution. No query grows with the amount of data that
 * strangers send: each transfer's content is evaluated later, one transfer at a time.
 */
export async function storeFacts(
  db: Transaction,
  { network, pass, transfers, reporter }: ReadTransfers,
  now: Date,
): Promise<StoredFacts> {
  if (transfers.length === 0) return { found: 0, contested: 0 };
  const activity = await findActivity(db, network, [...new Set(transfers.map((transfer) => transfer.to))], now);
  const arriving = Map.groupBy(transfers, (transfer) => transfer.to);
  const isCrowded = (address: string) => {
    const known = activity.get(address);
    return (known?.listed ?? 0) + (arriving.get(address)?.length ?? 0) > listedLimit(known);
  };
  const doubtful = transfers.filter((transfer) => isBelowCent(transfer) || isCrowded(transfer.to));
  const matches = await findMatches(db, doubtful);

  const { stored, onHints, counted } = selectTransfers(transfers, matches, activity);
  const { fresh, contested } = await storeTransfers(db, { livemode: true, transfers: stored, reporter }, now);
  const listed = Map.groupBy(fresh, (transfer) => transfer.to);
  const hinted = new Set([...onHints].map(keyOf));
  await countActivity(
    db,
    network,
    new Map(
      [...counted].map(([address, count]) => {
        const rows = listed.get(address) ?? [];
        const own = { stored: rows.length, storedOnHints: rows.filter((row) => hinted.has(keyOf(row))).length };
        // Both passes read the same transfers. A row counts for the pass that stored it; skipped transfers count in the
        // first pass only.
        return [address, pass === 'first' ? { ...count, ...own } : { ...own, skipped: 0, dust: 0, dustUnits: 0n }];
      }),
    ),
    now,
  );
  return { found: fresh.length, contested };
}

function keyOf({ txHash, index }: Pick<Transfer, 'txHash' | 'index'>): string {
  return `${txHash} ${index}`;
}
