import { RECEIVE_NETWORKS, type ReceiveNetwork } from '@quittance/contract';
import type { Context } from '../../context.ts';
import type { Db } from '../../platform/db/db.ts';
import { later } from '../../platform/time.ts';
import { EARLY_TOLERANCE_MS } from '../records/amounts.ts';
import type { Payment } from '../records/payment.ts';
import { findCoverage } from './cursor-store.ts';
import { hasUnseen } from './unseen-store.ts';

/**
 * The time up to which each network has been read by all of its passes. The second pass needs a second provider: while
 * it waits for one, the first pass decides. It reads those blocks later, and what it then finds is attributed by the
 * time of its block.
 */
export async function coverage(ctx: Pick<Context, 'config'>, db: Db): Promise<Map<ReceiveNetwork, Date>> {
  const passes = await findCoverage(db);
  const covered = new Map<ReceiveNetwork, Date>();
  for (const network of RECEIVE_NETWORKS) {
    const [first, second] = (['first', 'second'] as const).map((pass) =>
      passes.find((one) => one.network === network && one.pass === pass),
    );
    if (!first?.blockTime) continue;
    const needsSecond = ctx.config.networks[network].rpcUrls.length > 1 && !second?.waitsForProvider;
    if (!needsSecond) covered.set(network, first.blockTime);
    else if (second?.blockTime) covered.set(network, earlierOf(first.blockTime, second.blockTime));
  }
  return covered;
}

/**
 * Whether the money of a payment that arrived before an instant may be in blocks that were read without looking for it.
 * `coverage` counts them as read; they are looked at again (`look-again.ts`).
 */
export function mayBeUnseen(
  db: Db,
  { receiveNetwork, receiveAsset, createdAt }: Pick<Payment, 'receiveNetwork' | 'receiveAsset' | 'createdAt'>,
  { until, now }: { until: Date; now: Date },
): Promise<boolean> {
  const from = later(createdAt, -EARLY_TOLERANCE_MS);
  return hasUnseen(db, { network: receiveNetwork, asset: receiveAsset, from, until }, now);
}

function earlierOf(one: Date, other: Date): Date {
  return one < other ? one : other;
}
