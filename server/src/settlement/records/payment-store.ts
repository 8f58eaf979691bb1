import type { ReceiveNetwork } from '@quittance/contract';
import type { Account } from '../../platform/caller.ts';
import type { Database, Db, Transaction } from '../../platform/db/db.ts';
import { invariant } from '../../platform/errors.ts';
import { paymentTransitions } from '../../platform/metrics.ts';
import { unitsOn } from './amounts.ts';
import { countForCustomer } from './customer-store.ts';
import { signalDemand } from './demand.ts';
import { queuePaymentNotices } from './notice-store.ts';
import { ORDER_OF_SESSION } from './order.ts';
import { NO_REFUNDS, type Payment, type Refund, type RefundTally, type SettlementAlert, type Step } from './payment.ts';
import { balanceOf } from './returned.ts';
import { recordEvents } from './record-events.ts';
import { releaseAmounts } from './reserved-amount-store.ts';
import type { Settlement } from './settlement.ts';

/** Where a payment's money is: on the network of its session, unless a person assigned money of another one. */
export const RECEIVE_NETWORK = 'coalesce(p.arrived_network, s.receive_network)';

/** The columns of a payment and its session; `p` and `s` are the table aliases. */
export const PAYMENT_COLUMNS = `
  p.id, p.account_id, p.livemode, p.session_id, p.status, p.sequence, p.route, s.amount_minor, s.currency, p.pay_asset, p.pay_network,
  s.receive_asset, ${RECEIVE_NETWORK} as receive_network, s.receive_address, s.payout_wallet_id, s.payment_link_id,
  ${ORDER_OF_SESSION}, s.reference,
  p.service_fee_minor, p.expected_output_units, p.actual_output_units, p.tx_hash, p.tx_hashes, p.failure_reason,
    p.refund, p.refunds, p.settlement_alert,
  p.started_at, p.paid_at, p.ended_at, p.created_at, p.expires_at, p.is_announced`;

/** A stored payment. JSON contains amounts and instants as text. */
export type PaymentRow = Omit<Payment, 'refund' | 'refunds' | 'settlementAlert'> & {
  refund: { amount_minor: string; address: string | null; reason: string | null; created_at: string } | null;
  refunds: { ids: string[]; claimed_units: string; returned_units: string; returned_minor: string } | null;
  settlementAlert: { type: SettlementAlert['type']; tx_hash: string; detected_at: string } | null;
};

export function toPayment(row: PaymentRow): Payment {
  return {
    ...row,
    refund: row.refund && toRefund(row.refund),
    refunds: row.refunds ? toTally(row.refunds) : NO_REFUNDS,
    settlementAlert: row.settlementAlert && toSettlementAlert(row.settlementAlert),
  };
}

/** Finds a payment of the account. */
export async function findPayment(db: Db, account: Account, id: string): Promise<Payment | undefined> {
  const [row] = await db.query<PaymentRow>(
    'find_payment',
    `
    select ${PAYMENT_COLUMNS}
      from payments p join checkout_sessions s on s.id = p.session_id
     where p.id = $1 and p.account_id = $2 and p.livemode = $3`,
    [id, account.id, account.livemode],
  );
  return row && toPayment(row);
}

/** Finds the payment of a session of any account, for public endpoints, where the session's id is the capability. */
export async function findPaymentOfSession(db: Db, sessionId: string): Promise<Payment | undefined> {
  const [row] = await db.query<PaymentRow>(
    'find_payment_of_session',
    `
    select ${PAYMENT_COLUMNS}
      from payments p join checkout_sessions s on s.id = p.session_id
     where p.session_id = $1`,
    [sessionId],
  );
  return row && toPayment(row);
}

/** Finds a payment of any account, for the operator. */
export async function findPaymentById(db: Db, id: string): Promise<Payment | undefined> {
  const [row] = await db.query<PaymentRow>(
    'find_payment_by_id',
    `
    select ${PAYMENT_COLUMNS}
      from payments p join checkout_sessions s on s.id = p.session_id
     where p.id = $1`,
    [id],
  );
  return row && toPayment(row);
}

/** Locks the account's payment until the transaction ends. */
export async function lockPayment(db: Transaction, account: Account, id: string): Promise<Payment | undefined> {
  const [row] = await db.query<PaymentRow>(
    'lock_payment',
    `
    select ${PAYMENT_COLUMNS}
      from payments p join checkout_sessions s on s.id = p.session_id
     where p.id = $1 and p.account_id = $2 and p.livemode = $3
       for no key update of p`,
    [id, account.id, account.livemode],
  );
  return row && toPayment(row);
}

/** Locks payments until the transaction ends, in the order of their ids, so that two transactions cannot deadlock. */
export async function lockPayments(db: Transaction, ids: readonly string[]): Promise<Map<string, Payment>> {
  if (ids.length === 0) return new Map();
  const rows = await db.query<PaymentRow>(
    'lock_payments',
    `
    select ${PAYMENT_COLUMNS}
      from payments p join checkout_sessions s on s.id = p.session_id
     where p.id = any($1)
     order by p.id
       for no key update of p`,
    [ids],
  );
  return new Map(rows.map((row) => [row.id, toPayment(row)]));
}

/**
 * Saves the result of `advance` for a locked payment: the payment, its states, its events and their deliveries, in the
 * caller's transaction.
 */
export async function saveSteps(
  { ctx, db, at }: Settlement,
  before: Payment,
  steps: readonly Step[],
): Promise<Payment> {
  const last = steps.at(-1);
  if (!last) return before;

  const announced = stepsToRecord(before, steps);
  const after = { ...last.payment, isAnnounced: before.isAnnounced || announced.length > 0 };
  await updatePayment(db, before, after);
  await insertStates(db, steps, at.created);
  await recordEvents(ctx, db, announced, at);
  if (last.payment.endedAt && !before.endedAt) await releaseAmounts(db, last.payment.id, at.created);
  if (last.payment.paidAt && !before.paidAt && last.payment.paymentLinkId)
    await countPaymentOfLink(db, last.payment.paymentLinkId, before);
  await countForCustomer(db, before, last.payment);
  await queuePaymentNotices(db, before, last.payment);
  db.afterCommit(() => {
    ctx.db.notify('deliveries', before.accountId);
    ctx.db.notify('payments', before.id);
    if (after.livemode && after.startedAt && !before.startedAt) signalDemand(ctx.db, after.receiveNetwork);
  });
  return after;
}

/** Records that a program was given the address and an amount of a payment that it may pay without a choice. */
export async function recordOffered(
  ctx: { db: Database },
  db: Transaction,
  { id, livemode, receiveNetwork }: Payment,
  now: Date,
): Promise<void> {
  await db.query('record_offered', `update payments set offered_at = $2 where id = $1 and offered_at is null`, [
    id,
    now,
  ]);
  if (livemode) db.afterCommit(() => signalDemand(ctx.db, receiveNetwork));
}

/** Saves changes that keep the status, such as another choice or more money on an ended payment. Records no event. */
export async function savePaymentWithoutEvent(
  ctx: { db: Database },
  db: Transaction,
  before: Payment,
  after: Payment,
): Promise<Payment> {
  invariant(
    before.status === after.status && before.sequence === after.sequence,
    'a change without an event keeps the status',
  );
  await updatePayment(db, before, after);
  // More money for a paid payment changes what it brought.
  await countForCustomer(db, before, after);
  db.afterCommit(() => ctx.db.notify('payments', before.id));
  return after;
}

/** A locked payment without money gets its money on another network, in the base units of its coin there. */
export async function moveToNetwork(
  db: Transaction,
  { id, expectedOutputUnits, receiveAsset, receiveNetwork }: Payment,
  network: ReceiveNetwork,
): Promise<void> {
  const expected = expectedOutputUnits && unitsOn(network, expectedOutputUnits, receiveAsset, receiveNetwork);
  await db.query(
    'move_to_network',
    `
    update payments set arrived_network = $2, expected_output_units = $3, actual_output_units = null where id = $1`,
    [id, network, expected],
  );
}

/** Sets or clears the alert of a locked payment. Its status, its sequence and its events do not change. */
export async function setSettlementAlert(
  ctx: { db: Database },
  db: Transaction,
  paymentId: string,
  alert: SettlementAlert | null,
): Promise<void> {
  const stored = alert && JSON.stringify({ type: alert.type, tx_hash: alert.txHash, detected_at: alert.detectedAt });
  await db.query('set_settlement_alert', 'update payments set settlement_alert = $2 where id = $1', [
    paymentId,
    stored,
  ]);
  db.afterCommit(() => ctx.db.notify('payments', paymentId));
}

/** The number of the account's payments with an alert since an instant. */
export async function countSettlementAlerts(db: Db, account: Account, since: Date): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    'count_settlement_alerts',
    `
    select count(*)::integer as count from payments
     where account_id = $1 and livemode = $2 and settlement_alert is not null and (settlement_alert ->> 'detected_at')::timestamptz >= $3`,
    [account.id, account.livemode, since],
  );
  return row?.count ?? 0;
}

async function updatePayment(db: Transaction, before: Payment, after: Payment): Promise<void> {
  invariant(after.receiveAddress === before.receiveAddress, 'the recipient never changes');
  const rows = await db.query(
    'update_payment',
    `
    update payments
       set status = $3, sequence = $4, route = $5, pay_asset = $6, pay_network = $7, service_fee_minor = $8, expected_output_units = $9,
           actual_output_units = $10, tx_hash = $11, tx_hashes = $12, failure_reason = $13, refund = $14,
             started_at = $15, paid_at = $16, ended_at = $17, is_announced = $18, refunds = $19, balance = $20
     where id = $1 and sequence = $2
    returning id`,
    [
      before.id,
      before.sequence,
      after.status,
      after.sequence,
      after.route,
      after.payAsset,
      after.payNetwork,
      after.serviceFeeMinor,
      after.expectedOutputUnits,
      after.actualOutputUnits,
      after.txHash,
      after.txHashes,
      after.failureReason,
      after.refund && JSON.stringify(fromRefund(after.refund)),
      after.startedAt,
      after.paidAt,
      after.endedAt,
      after.isAnnounced,
      after.refunds.ids.length > 0 || after.refunds.returnedMinor > 0n
        ? JSON.stringify(fromTally(after.refunds))
        : null,
      balanceOf(after),
    ],
  );
  invariant(rows.length === 1, `payment ${before.id} is locked at sequence ${before.sequence}`);
  if (after.status !== before.status)
    db.afterCommit(() => paymentTransitions.inc({ status: after.status, livemode: String(after.livemode) }));
}

async function insertStates(db: Transaction, steps: readonly Step[], at: Date): Promise<void> {
  await db.query(
    'insert_payment_states',
    `
    insert into payment_states (payment_id, sequence, status, evidence, at)
    select step.payment_id, step.sequence, step.status, step.evidence::jsonb, $5
      from unnest($1::text[], $2::integer[], $3::text[], $4::text[]) as step (payment_id, sequence, status, evidence)`,
    [
      steps.map((step) => step.payment.id),
      steps.map((step) => step.payment.sequence),
      steps.map((step) => step.payment.status),
      steps.map((step) => toJson(step.evidence)),
      at,
    ],
  );
}

/** A link counts payments that were ever paid: one whose money was released may be paid again. */
async function countPaymentOfLink(db: Transaction, linkId: string, { id, sequence }: Payment): Promise<void> {
  await db.query(
    'count_payment_of_link',
    `
    update payment_links set payments = payments + 1
     where id = $1 and not exists (select from payment_states where payment_id = $2 and status = 'paid' and sequence <= $3)`,
    [linkId, id, sequence],
  );
}

/** JSON with amounts as strings, because a number would lose digits. */
export function toJson(value: unknown): string {
  return JSON.stringify(value, (_, inner) => (typeof inner === 'bigint' ? inner.toString() : inner));
}

function toRefund(stored: NonNullable<PaymentRow['refund']>): Refund {
  return {
    amountMinor: BigInt(stored.amount_minor),
    address: stored.address,
    reason: stored.reason,
    createdAt: new Date(stored.created_at),
  };
}

function toSettlementAlert(stored: NonNullable<PaymentRow['settlementAlert']>): SettlementAlert {
  return { type: stored.type, txHash: stored.tx_hash, detectedAt: new Date(stored.detected_at) };
}

function fromRefund(refund: Refund): NonNullable<PaymentRow['refund']> {
  return {
    amount_minor: refund.amountMinor.toString(),
    address: refund.address,
    reason: refund.reason,
    created_at: refund.createdAt.toISOString(),
  };
}

function toTally(stored: NonNullable<PaymentRow['refunds']>): RefundTally {
  return {
    ids: stored.ids,
    claimedUnits: BigInt(stored.claimed_units),
    returnedUnits: BigInt(stored.returned_units),
    returnedMinor: BigInt(stored.returned_minor),
  };
}

function fromTally(tally: RefundTally): NonNullable<PaymentRow['refunds']> {
  return {
    ids: [...tally.ids],
    claimed_units: tally.claimedUnits.toString(),
    returned_units: tally.returnedUnits.toString(),
    returned_minor: tally.returnedMinor.toString(),
  };
}

/**
 * The events to record for these steps of a payment. An unannounced payment that expires has no event: the merchant
 * never saw it. Its first other step also records the events of everything before.
 */
function stepsToRecord(before: Payment, steps: readonly Step[]): readonly Step[] {
  if (before.isAnnounced) return steps;
  if (steps.every(({ payment }) => payment.status === 'expired')) return [];
  return [...earlierSteps(before), ...steps];
}

/** An unannounced payment has been created and may have expired. No other status is possible. */
function earlierSteps(payment: Payment): Step[] {
  const created: Payment = { ...payment, status: 'created', sequence: 1, endedAt: null };
  const first: Step = { payment: created, type: 'payment.created', evidence: {} };
  switch (payment.status) {
    case 'created':
      return [first];
    case 'expired':
      return [first, { payment, type: 'payment.expired', evidence: {} }];
    default:
      throw new Error(`an unannounced payment is ${payment.status}`);
  }
}

export async function findSettings(
  db: Db,
  paymentIds: readonly string[],
): Promise<Map<string, { toleranceBps: number | null; acceptedAssets: string[] }>> {
  const rows = await db.query<{ id: string; toleranceBps: number | null; acceptedAssets: string[] }>(
    'find_payment_settings',
    `
    select p.id, a.tolerance_bps, s.accepted_assets
      from payments p join checkout_sessions s on s.id = p.session_id join accounts a on a.id = p.account_id
     where p.id = any($1)`,
    [paymentIds],
  );
  return new Map(rows.map(({ id, ...settings }) => [id, settings]));
}
