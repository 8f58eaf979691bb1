import { DAY_MS } from '../../platform/time.ts';
import type { StoredTransfer } from '../records/transfer-store.ts';

/** For how long providers may leave a transfer open before its payment closes without it. */
export const MAX_UNDECIDED_MS = 1 * DAY_MS;

/**
 * Whether a payment's window stays open for a transfer. A transfer that is not final does, but not forever: a single
 * provider could invent one that the others cannot deny. It stays listed, is still verified, and pays if it stands.
 */
export function holdsPaymentOpen(
  { status, evidence }: Pick<StoredTransfer, 'status' | 'evidence'>,
  now: Date,
): boolean {
  if (status !== 'seen') return false;
  const since = evidence.undecidedSince;
  return typeof since !== 'string' || now.getTime() - new Date(since).getTime() < MAX_UNDECIDED_MS;
}
