import { PermanentError } from '../../../platform/errors.ts';
import { at, toUnits, payoutHashes } from '../answer.ts';
import type { RouteProgress } from '../router.ts';
import { objectOf } from './shapes.ts';

/**
 * Fields of the stored request that a status must repeat. The provider omits optional ones, so its signature cannot be
 * checked again.
 */
const BOUND = ['originAsset', 'destinationAsset', 'amount', 'recipient', 'refundTo', 'swapType'] as const;

/**
 * Maps the provider's status of this order to a `RouteProgress`. Unknown statuses mean waiting and have no other
 * effect.
 */
export function progressOf(body: unknown, order: { reference: string; raw: unknown }): RouteProgress {
  const answer = objectOf(body, 'status');
  requireSameOrder(answer, order);
  const details = objectOf(answer.swapDetails ?? {}, 'swap details');
  const depositedUnits = toUnits(details.depositedAmount) ?? null;
  const updatedAt =
    typeof answer.updatedAt === 'string' && !Number.isNaN(Date.parse(answer.updatedAt))
      ? new Date(answer.updatedAt)
      : null;
  const payoutTxHashes = payoutHashes(listOf(details.destinationChainTxHashes).map((entry) => at(entry, 'hash')));

  switch (answer.status) {
    case 'KNOWN_DEPOSIT_TX':
      // A deposit without an amount is only announced: anyone's hint causes this status.
      return { state: 'seen', depositedUnits: depositedUnits || null, depositedAt: updatedAt };
    case 'INCOMPLETE_DEPOSIT':
      return { state: 'short', depositedUnits: depositedUnits ?? 0n };
    case 'PROCESSING':
      return payoutTxHashes.length > 0 || listOf(details.intentHashes).length > 0
        ? { state: 'delivering', payoutTxHashes }
        : { state: 'converting', depositedAt: updatedAt };
    case 'SUCCESS':
      return { state: 'done', payoutTxHashes, outputUnits: toUnits(details.amountOut) ?? null };
    case 'REFUNDED':
      return {
        state: 'returned',
        reason: typeof details.refundReason === 'string' ? details.refundReason.slice(0, 200) : null,
        refundedUnits: toUnits(details.refundedAmount) ?? null,
      };
    case 'FAILED':
      return (depositedUnits ?? 0n) > 0n
        ? { state: 'stuck', reason: 'route_failed' }
        : { state: 'dead', reason: 'route_failed' };
    default:
      return { state: 'waiting' };
  }
}

/** A status of another order must not change this one. */
function requireSameOrder(
  answer: Record<string, unknown>,
  { reference, raw }: { reference: string; raw: unknown },
): void {
  if (at(answer, 'quoteResponse', 'quote', 'depositAddress') !== reference)
    throw new PermanentError('the status belongs to another order');
  for (const field of BOUND) {
    if (at(answer, 'quoteResponse', 'quoteRequest', field) !== at(raw, 'quoteRequest', field))
      throw new PermanentError(`the status belongs to an order with another ${field}`);
  }
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
