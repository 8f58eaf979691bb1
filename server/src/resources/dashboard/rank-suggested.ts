import type { Payment } from '../../settlement/records/payment.ts';
import type { StoredTransfer } from '../../settlement/records/transfer-store.ts';
import { expectedUnits, unitsOn } from '../../settlement/records/amounts.ts';
import { ACCEPTING_STATUSES } from '../transfers/assign.ts';
import { isElsewhere } from '../transfers/elsewhere.ts';

export interface RankedPayment {
  payment: Payment;
  /** Whether the transfer may be assigned to it. */
  accepts: boolean;
  /** Whether the transfer itself points to it. */
  isNamed: boolean;
  /** The transfer minus the amount due; null if no amount is due. */
  differenceUnits: bigint | null;
}

/** Amounts within the same step, in basis points of the amount due, are equally likely, so that time decides. */
export const NEAR_BPS = [10n, 100n, 500n, 2_500n];

/**
 * Payments by how well a transfer matches them: named first, then by amount, then by time. Distant ones only if
 * `keepsAll`.
 */
export function rankSuggested(
  payments: readonly Payment[],
  transfer: Pick<StoredTransfer, 'amountUnits' | 'block' | 'to' | 'network' | 'asset'>,
  { namedId, keepsAll }: { namedId: string | null; keepsAll: boolean },
): RankedPayment[] {
  return payments
    .map((payment) => {
      const due = dueOf(payment);
      const isSameWallet =
        payment.receiveAddress === transfer.to &&
        payment.receiveNetwork === transfer.network &&
        payment.receiveAsset === transfer.asset;
      const fits = isSameWallet || isElsewhere(transfer, payment);
      const differenceUnits =
        due === null || !fits
          ? null
          : unitsOn(payment.receiveNetwork, transfer.amountUnits, transfer.asset, transfer.network) - due;
      return {
        payment,
        accepts: fits && ACCEPTING_STATUSES.includes(payment.status),
        isNamed: payment.id === namedId,
        differenceUnits,
        nearness: nearnessOf(differenceUnits, due),
        awayMs: awayMs(payment, transfer.block.time),
      };
    })
    .filter(({ nearness, isNamed }) => keepsAll || isNamed || nearness < NEAR_BPS.length)
    .sort(
      (a, b) =>
        Number(b.accepts) - Number(a.accepts) ||
        Number(b.isNamed) - Number(a.isNamed) ||
        a.nearness - b.nearness ||
        a.awayMs - b.awayMs,
    )
    .map(({ nearness: _nearness, awayMs: _awayMs, ...ranked }) => ranked);
}

/** The amount that is still due; null if no price was fixed. */
function dueOf(payment: Payment): bigint | null {
  const expected = expectedUnits(payment);
  if (expected === null) return null;
  const missing = expected - (payment.actualOutputUnits ?? 0n);
  return missing > 0n ? missing : expected;
}

/** The step of the amount. `findSuggestedPayments` repeats it, and `awayMs`, in SQL. */
function nearnessOf(difference: bigint | null, due: bigint | null): number {
  if (difference === null || due === null) return NEAR_BPS.length;
  const away = difference < 0n ? -difference : difference;
  const at = NEAR_BPS.findIndex((bps) => away * 10_000n <= bps * due);
  return at === -1 ? NEAR_BPS.length : at;
}

/** How far the transfer is from the time in which the payment was open. */
function awayMs({ createdAt, expiresAt }: Payment, time: Date): number {
  if (time < createdAt) return createdAt.getTime() - time.getTime();
  // Inside its window the newest is the likeliest, but never behind one that has ended.
  const isInside = time <= expiresAt;
  const sinceCreated = time.getTime() - createdAt.getTime();
  return isInside ? sinceCreated / 1_000_000 : time.getTime() - expiresAt.getTime();
}
