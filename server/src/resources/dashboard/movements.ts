import { NOTE_KEY } from '@quittance/contract/customer-note';
import type { QueryOf } from '@quittance/contract';
import type { exportMovements } from '@quittance/contract/dashboard';
import type { Context } from '../../context.ts';
import type { Account } from '../../platform/caller.ts';
import { inSteps, type Position } from '../../platform/http/in-steps.ts';
import { readInstant } from '../../platform/http/instant.ts';
import { formatDisplayAmount } from '../../platform/money.ts';
import type { Payment } from '../../settlement/records/payment.ts';
import { presentUnits } from '../../settlement/records/present-payment.ts';
import { displayMinor } from '../../settlement/records/returned.ts';
import type { Outgoing } from '../outgoing-transfers/outgoing.ts';
import type { StoredPayout } from '../payouts/payout.ts';
import { fetchPayouts } from '../payouts/store.ts';
import type { StoredRefund } from '../refunds/refund.ts';
import { fetchRefunds } from '../refunds/store.ts';
import { fetchPage, type OwnTransfer } from '../transfers/list-store.ts';
import { csvLine, type ExportedFile, type Figure } from './export.ts';
import { findPaymentsById } from './search-store.ts';

type Asked = Pick<QueryOf<typeof exportMovements>, 'after' | 'before' | 'bom'>;

interface Movement {
  at: Date;
  kind: 'payment' | 'unattributed' | 'refund' | 'payout';
  /** By the payment's own rate, in its currency; null if the money is of no payment. */
  valueMinor: bigint | null;
  feeMinor: bigint | null;
  /** Negative if it left the merchant's wallet. */
  units: bigint;
  moved: Pick<Outgoing, 'asset' | 'network' | 'txHash'> & { from: string | null; to: string | null };
  payment: Payment | undefined;
  note: string | null;
}

/**
 * What moved, a line each, so that amounts can be added up: first what reached the payout wallets, then refunds, then
 * payouts, each newest first.
 */
export function movementsFile(ctx: Context, account: Account, { after, before, bom }: Asked): ExportedFile {
  const period = {
    after: after === undefined ? null : readInstant(after, 'after'),
    before: before === undefined ? null : readInstant(before, 'before'),
  };
  return { columns: COLUMNS.map(([name]) => name), lines: linesOf(ctx, account, period), bom: bom === true };
}

interface Period {
  after: Date | null;
  before: Date | null;
}

async function* linesOf(ctx: Context, account: Account, period: Period): AsyncGenerator<string> {
  const isWithin = ({ at }: Movement) =>
    (!period.after || at >= period.after) && (!period.before || at < period.before);
  const partOf = (movements: readonly Movement[]) => {
    const shown = movements.filter(isWithin);
    // What is read counts for the account's rate, also if it is outside of the period.
    ctx.pace.spend(account.id, (movements.length - shown.length) * LINE_BYTES);
    return shown.map((movement) => csvLine(COLUMNS.map(([, read]) => read(movement)))).join('');
  };
  for await (const movements of arrivals(ctx, account, period)) yield partOf(movements);
  for await (const movements of refunds(ctx, account, period)) yield partOf(movements);
  for await (const movements of payouts(ctx, account, period)) yield partOf(movements);
}

/** What reached the payout wallets for good. What another account's payment took is in its file. */
async function* arrivals(ctx: Context, account: Account, period: Period): AsyncGenerator<Movement[]> {
  const position = ({ transfer }: OwnTransfer) => ({ createdAt: transfer.block.time, id: transfer.id });
  for await (const page of pages(period, (at) => fetchPage(ctx.db, account, false, at), position)) {
    const own = page.filter(
      ({ transfer: { status, evidence, paymentId }, payment }) =>
        status === 'final' && evidence.goneAfterFinal === undefined && (paymentId === null || payment !== null),
    );
    const ids = own.flatMap(({ payment }) => payment?.id ?? []);
    const payments = await paymentsOf(ctx, account, ids);
    yield own.map(({ transfer, payment: near }) => {
      const payment = near ? payments.get(near.id) : undefined;
      const counted = transfer.paymentId === null ? undefined : payment;
      return {
        at: transfer.block.time,
        kind: counted ? 'payment' : 'unattributed',
        valueMinor: counted ? displayMinor(counted, transfer.amountUnits) : null,
        // Of the transfer that completed the payment, so that the sum counts it once.
        feeMinor: counted && counted.txHash === transfer.txHash ? counted.serviceFeeMinor : null,
        units: transfer.amountUnits,
        moved: transfer,
        payment,
        note: transfer.handledNote ?? (counted ? (counted.metadata[NOTE_KEY] ?? null) : transfer.reason),
      };
    });
    const oldest = page.at(-1);
    if (oldest && period.after && oldest.transfer.block.time < period.after) return;
  }
}

async function paymentsOf({ db }: Context, account: Account, ids: readonly string[]): Promise<Map<string, Payment>> {
  const payments = await findPaymentsById(db, account, [...new Set(ids)]);
  return new Map(payments.map((payment) => [payment.id, payment]));
}

/** Refunds are planned before they are sent, so all that were planned before the end of the period are read. */
async function* refunds(ctx: Context, account: Account, period: Period): AsyncGenerator<Movement[]> {
  const filter = { status: 'final', payment: null, createdAfter: null, createdBefore: null } as const;
  const fetch = (at: Page) => fetchRefunds(ctx.db, account, filter, at);
  for await (const page of pages<StoredRefund>(period, fetch, (refund) => refund)) {
    const ids = page.map(({ paymentId }) => paymentId);
    const payments = await paymentsOf(ctx, account, ids);
    yield page.map((refund) => ({
      ...sent(refund, refund.reason),
      kind: 'refund',
      valueMinor: -refund.amountMinor,
      payment: payments.get(refund.paymentId),
    }));
  }
}

async function* payouts(ctx: Context, account: Account, period: Period): AsyncGenerator<Movement[]> {
  const fetch = (at: Page) => fetchPayouts(ctx.db, account, 'final', at);
  for await (const page of pages<StoredPayout>(period, fetch, (payout) => payout))
    yield page.map((payout) => ({
      ...sent(payout, payout.note),
      kind: 'payout',
      valueMinor: null,
      payment: undefined,
    }));
}

function sent(outgoing: Outgoing, note: string | null) {
  const { asset, network, txHash, toAddress } = outgoing;
  return {
    at: outgoing.sentAt ?? outgoing.createdAt,
    feeMinor: null,
    units: -outgoing.amountUnits,
    moved: { asset, network, txHash, from: null, to: toAddress },
    note,
  };
}

interface Page {
  after: Position | null;
  limit: number;
}

async function* pages<Row>(
  { before }: Period,
  fetch: (page: Page) => Promise<Row[]>,
  position: (row: Row) => Position,
): AsyncGenerator<Row[]> {
  const steps = { fetch, position, present: (row: Row) => row, bytesOf: () => LINE_BYTES };
  for await (const step of inSteps(steps, { after: before && { createdAt: before, id: '' } }))
    yield step.map(({ row }) => row);
}

/** About what a line takes to read, with its payment. */
const LINE_BYTES = 1_500;

/** The columns in a stable order; new ones are added at the end. */
const COLUMNS: readonly [name: string, read: (movement: Movement) => string | Figure | null][] = [
  ['date', ({ at }) => at.toISOString()],
  ['kind', ({ kind }) => kind],
  ['value', ({ valueMinor }) => minor(valueMinor)],
  ['currency', ({ payment, valueMinor }) => (valueMinor === null ? null : (payment?.currency ?? null))],
  ['service_fee', ({ feeMinor }) => minor(feeMinor)],
  ['coin_amount', ({ units, moved }) => ({ figure: presentUnits(units, moved.asset, moved.network) })],
  ['coin', ({ moved }) => moved.asset],
  ['network', ({ moved }) => moved.network],
  ['transaction', ({ moved }) => moved.txHash],
  ['from', ({ moved }) => moved.from],
  ['to', ({ moved }) => moved.to],
  ['payment', ({ payment }) => payment?.id ?? null],
  ['payment_status', ({ payment }) => payment?.status ?? null],
  ['order_id', ({ payment }) => payment?.orderId ?? null],
  ['description', ({ payment }) => payment?.description ?? null],
  ['customer_name', ({ payment }) => payment?.customer?.name ?? null],
  ['customer_email', ({ payment }) => payment?.customer?.email ?? null],
  ['note', ({ note }) => note],
];

function minor(amount: bigint | null): Figure | null {
  return amount === null ? null : { figure: formatDisplayAmount(amount) };
}
