/** Another transfer from the same account to the same wallet in the same transaction. */
export interface Sibling {
  amountUnits: bigint;
  /** The payment that has it, or whose exact amount or reference it has while it is queued. */
  paymentId: string | null;
  /** Whether what its payment lacks was computed with it. Not of a transfer that is still queued. */
  isCounted: boolean;
}

interface Claimed {
  paymentId: string;
  dueUnits: bigint | null;
  enoughUnits: bigint | null;
}

/**
 * Chooses the payment that takes a transfer among those that its sender claimed the transaction for, oldest claim
 * first. A transaction can pay several checkouts, which are claimed one by one. So a payment takes the transfers that
 * come nearest to what it lacks, and leaves the others once it has enough. Undefined if each has enough of it. Pure.
 */
export function chooseClaimed<One extends Claimed>(
  amountUnits: bigint,
  claimed: readonly One[],
  siblings: readonly Sibling[],
): One | undefined {
  const own = { amountUnits };
  const free = new Set([own, ...siblings.filter(({ paymentId }) => paymentId === null)]);
  const supplied = new Set(siblings.map(({ paymentId }) => paymentId));
  const payments = claimed.map((one) => ({ one, ...lackOf(one, siblings) }));
  for (;;) {
    const lacking = payments.filter(({ enough }) => enough > 0n);
    const pairs = lacking.flatMap((payment) => [...free].map((transfer) => ({ payment, transfer })));
    const [first, ...others] = pairs;
    if (!first) break;
    const { payment, transfer } = others.reduce((best, pair) => (gapOf(pair) < gapOf(best) ? pair : best), first);
    if (transfer === own) return payment.one;
    free.delete(transfer);
    supplied.add(payment.one.paymentId);
    payment.due -= transfer.amountUnits;
    payment.enough -= transfer.amountUnits;
  }
  // What a payment without a price lacks is not known. One that has its money from elsewhere may lose it to a reorg.
  return claimed.find((one) => one.enoughUnits === null || !supplied.has(one.paymentId));
}

/** What a payment lacks once its queued transfers count. Nothing if no price is known. */
function lackOf({ paymentId, dueUnits, enoughUnits }: Claimed, siblings: readonly Sibling[]) {
  const awaited = siblings
    .filter((one) => one.paymentId === paymentId && !one.isCounted)
    .reduce((sum, one) => sum + one.amountUnits, 0n);
  return { due: (dueUnits ?? 0n) - awaited, enough: (enoughUnits ?? 0n) - awaited };
}

function gapOf({ payment, transfer }: { payment: { due: bigint }; transfer: { amountUnits: bigint } }): bigint {
  const gap = payment.due - transfer.amountUnits;
  return gap < 0n ? -gap : gap;
}
