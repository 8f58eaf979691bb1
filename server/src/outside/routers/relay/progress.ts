import { PermanentError } from '../../../platform/errors.ts';
import { at, payoutHashes } from '../answer.ts';
import type { RouteProgress } from '../router.ts';

const NO_REFUND_REASONS = /BLOCKED_WALLET|AMOUNT_TOO_LOW_TO_REFUND|REFUND_RECIPIENT_IS_VASP/;

/**
 * Maps the provider's status of this order to a `RouteProgress`. Unknown statuses mean waiting and have no other
 * effect.
 */
export function progressOf(body: unknown, order: { reference: string; raw: unknown }): RouteProgress {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new PermanentError('the status is not an object');
  // Relay may omit the chains while there is nothing to report. That is equivalent to an unknown request.
  const isEmpty =
    at(body, 'status') === 'waiting' &&
    at(body, 'originChainId') === undefined &&
    at(body, 'destinationChainId') === undefined;
  if (isEmpty) return { state: 'waiting', isUnknown: true };
  requireSameOrder(body, order);
  const depositedAt = instantOf(at(body, 'updatedAt'));
  const payoutTxHashes = hashesOf(at(body, 'txHashes'));
  const reason =
    [at(body, 'failReason'), at(body, 'refundFailReason')]
      .filter((part) => typeof part === 'string')
      .join('/')
      .slice(0, 200) || null;

  switch (at(body, 'status')) {
    case 'depositing':
      return { state: 'seen', depositedUnits: null, depositedAt };
    case 'pending':
    case 'delayed':
      return { state: 'converting', depositedAt };
    case 'submitted':
      return { state: 'delivering', payoutTxHashes };
    case 'success':
      return { state: 'done', payoutTxHashes, outputUnits: null };
    case 'refund':
      return { state: 'returned', reason, refundedUnits: null };
    case 'failure':
      return hashesOf(at(body, 'inTxHashes')).length > 0 || (reason !== null && NO_REFUND_REASONS.test(reason))
        ? {
            state: 'stuck',
            reason: reason !== null && /BLOCKED_WALLET/.test(reason) ? 'compliance_hold' : 'route_failed',
          }
        : { state: 'dead', reason: 'route_failed' };
    default:
      return { state: 'waiting' };
  }
}

/** A status repeats both chains. If it names a request, that must be this order's. */
function requireSameOrder(body: unknown, { reference, raw }: { reference: string; raw: unknown }): void {
  const requestId = at(body, 'requestId');
  if (requestId !== undefined && String(requestId).toLowerCase() !== reference.toLowerCase())
    throw new PermanentError('the status belongs to another order');
  for (const [field, side] of [
    ['originChainId', 'currencyIn'],
    ['destinationChainId', 'currencyOut'],
  ] as const) {
    if (at(body, field) !== at(raw, 'details', side, 'currency', 'chainId'))
      throw new PermanentError(`the status belongs to an order with another ${field}`);
  }
}

function instantOf(milliseconds: unknown): Date | null {
  const instant = new Date(typeof milliseconds === 'number' ? milliseconds : Number.NaN);
  return Number.isNaN(instant.getTime()) ? null : instant;
}

function hashesOf(value: unknown): string[] {
  return Array.isArray(value) ? payoutHashes(value) : [];
}
