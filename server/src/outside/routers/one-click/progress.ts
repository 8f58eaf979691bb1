import { payoutHashes } from '../payout-hashes.ts';
import type { RouteProgress } from '../router.ts';
import { objectOf, optionalUnits } from './shapes.ts';

/** What the provider says of an order, in our words. Unknown statuses mean "wait": nothing is concluded from them. */
export function progressOf(body: unknown): RouteProgress {
  const answer = objectOf(body, 'a status');
  const details = typeof answer.swapDetails === 'object' && answer.swapDetails !== null ? (answer.swapDetails as Record<string, unknown>) : {};
  const depositedUnits = optionalUnits(details.depositedAmount);
  const updatedAt = typeof answer.updatedAt === 'string' && !Number.isNaN(Date.parse(answer.updatedAt)) ? new Date(answer.updatedAt) : null;
  const payoutTxHashes = payoutHashes(listOf(details.destinationChainTxHashes).map((entry) => (entry as { hash?: unknown } | null)?.hash));

  switch (answer.status) {
    case 'KNOWN_DEPOSIT_TX':
      // What is not in a block yet is counted as nothing.
      return { state: 'seen', depositedUnits: depositedUnits || null, depositedAt: updatedAt };
    case 'INCOMPLETE_DEPOSIT':
      return { state: 'short', depositedUnits: depositedUnits ?? 0n };
    case 'PROCESSING':
      return payoutTxHashes.length > 0 || listOf(details.intentHashes).length > 0
        ? { state: 'delivering', payoutTxHashes }
        : { state: 'converting', depositedAt: updatedAt };
    case 'SUCCESS':
      return { state: 'done', payoutTxHashes, outputUnits: optionalUnits(details.amountOut) };
    case 'REFUNDED':
      return { state: 'returned', reason: typeof details.refundReason === 'string' ? details.refundReason.slice(0, 200) : null, refundedUnits: optionalUnits(details.refundedAmount) };
    case 'FAILED':
      return (depositedUnits ?? 0n) > 0n ? { state: 'stuck', reason: 'route_failed' } : { state: 'dead', reason: 'route_failed' };
    default:
      return { state: 'waiting' };
  }
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
