import type { RefundEventType } from '@quittance/contract';
import { later } from '../../platform/time.ts';
import { advance } from '../../settlement/outcome/lifecycle.ts';
import { eventId, insertEvents, type NewEvent } from '../../settlement/records/event-store.ts';
import type { Payment, Refund, RefundTally } from '../../settlement/records/payment.ts';
import { savePaymentWithoutEvent, saveSteps } from '../../settlement/records/payment-store.ts';
import { wholeRefund } from '../../settlement/records/returned.ts';
import type { Settlement } from '../../settlement/records/settlement.ts';
import { mailAboutLink } from './link-mails.ts';
import { presentRefund } from './present.ts';
import { isClaiming, type RefundSettlement, type StoredRefund } from './refund.ts';
import { writeRefund } from './store.ts';

/**
 * Saves a change of a refund of a locked payment: the refund, the sum in the payment, both their events, and the status
 * of the payment once its amount was returned. `recorded` makes it refunded whatever the amount.
 */
export async function saveRefund(
  settlement: RefundSettlement,
  payment: Payment,
  { before, after: changed }: { before: StoredRefund | null; after: StoredRefund },
  recorded?: Refund,
): Promise<{ payment: Payment; refund: StoredRefund }> {
  const { ctx, db, at } = settlement;
  const types = eventsOf(before, changed);
  await mailAboutLink(settlement, payment, { before, after: changed });
  const numbered = { ...changed, sequence: (before?.sequence ?? 0) + types.length };
  const refund = before?.status === changed.status ? numbered : stampEnd(numbered, at.created);
  await writeRefund(db, refund);
  await insertEvents(db, newEvents(refund, types, settlement), at.created);
  if (types.length > 0) db.afterCommit(() => ctx.db.notify('deliveries', refund.accountId));

  const summed = { ...payment, refunds: sumWith(payment.refunds, before, refund) };
  const { toAddress: address, reason } = refund;
  const returned = recorded ?? wholeRefund(summed, { address, reason, createdAt: at.created });
  const steps = returned
    ? advance(summed, { type: 'refund_recorded', at: at.created, refund: returned, evidence: { refund: refund.id } })
    : [];
  return {
    refund,
    payment:
      steps.length > 0
        ? await saveSteps(settlement, payment, steps)
        : await savePaymentWithoutEvent(ctx, db, payment, summed),
  };
}

/** Notes when a refund ended. The customer's email is then removed: only the mails of the link need it. */
function stampEnd(refund: StoredRefund, now: Date): StoredRefund {
  const isOver = refund.status === 'final' || !isClaiming(refund);
  if (!isOver) return { ...refund, endedAt: null };
  return { ...refund, endedAt: now, link: refund.link && { ...refund.link, email: null } };
}

function eventsOf(before: StoredRefund | null, { status }: StoredRefund): RefundEventType[] {
  const types: RefundEventType[] = before ? [] : ['refund.created'];
  if (status === before?.status) return types;
  if (status === 'final') types.push('refund.final');
  if (status === 'failed') types.push('refund.failed');
  return types;
}

/** Those of one commit are a millisecond apart, so that lists and queues keep their order. */
function newEvents(refund: StoredRefund, types: readonly RefundEventType[], { at }: Settlement): NewEvent[] {
  return types.map((type, place) => {
    const behind = types.length - 1 - place;
    const object = { ...refund, sequence: refund.sequence - behind };
    const id = eventId(object, type);
    const shown = behind > 0 ? { ...object, status: 'planned' as const } : object;
    const body = { id, type, created: at.created.toISOString(), data: presentRefund(shown) };
    return { id, type, object, body: Buffer.from(JSON.stringify(body)), recordedAt: later(at.recorded, -behind) };
  });
}

function sumWith(sum: RefundTally, before: StoredRefund | null, after: StoredRefund): RefundTally {
  const [was, is] = [before && contributionOf(before), contributionOf(after)];
  return {
    ids: before ? sum.ids : [...sum.ids, after.id],
    claimedUnits: sum.claimedUnits - (was?.claimedUnits ?? 0n) + is.claimedUnits,
    returnedUnits: sum.returnedUnits - (was?.returnedUnits ?? 0n) + is.returnedUnits,
    returnedMinor: sum.returnedMinor - (was?.returnedMinor ?? 0n) + is.returnedMinor,
  };
}

function contributionOf(refund: StoredRefund): Omit<RefundTally, 'ids'> {
  const isFinal = refund.status === 'final';
  return {
    claimedUnits: isClaiming(refund) ? refund.amountUnits : 0n,
    returnedUnits: isFinal ? refund.amountUnits : 0n,
    returnedMinor: isFinal ? refund.amountMinor : 0n,
  };
}
