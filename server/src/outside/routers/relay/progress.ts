import { payoutHashes } from '../payout-hashes.ts';
import type { RouteProgress } from '../router.ts';
import { at } from './quote.ts';

const NOT_FOR_A_REFUND = /BLOCKED_WALLET|AMOUNT_TOO_LOW_TO_REFUND|REFUND_RECIPIENT_IS_VASP/;

/** What the provider says of an order, in our words. Unknown statuses mean "wait": nothing is concluded from them. */
export function progressOf(body: unknown): RouteProgress {
  const updated = at(body, 'updatedAt');
  const depositedAt = typeof updated === 'number' && Number.isFinite(updated) ? new Date(updated) : null;
  const payoutTxHashes = hashesOf(at(body, 'txHashes'));
  const reason = [at(body, 'failReason'), at(body, 'refundFailReason')].filter((part) => typeof part === 'string').join('/').slice(0, 200) || null;

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
      return hashesOf(at(body, 'inTxHashes')).length > 0 || (reason !== null && NOT_FOR_A_REFUND.test(reason))
        ? { state: 'stuck', reason: reason !== null && /BLOCKED_WALLET/.test(reason) ? 'compliance_hold' : 'route_failed' }
        : { state: 'dead', reason: 'route_failed' };
    default:
      return { state: 'waiting' };
  }
}

function hashesOf(value: unknown): string[] {
  return Array.isArray(value) ? payoutHashes(value) : [];
}
