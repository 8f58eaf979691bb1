import { Readable } from 'node:stream';
import { type PaymentStatus, type Route, settledFee, settledNet } from '@quittance/contract';
import type { Context } from '../../context.ts';
import type { Account } from '../../platform/caller.ts';
import { readFilter } from '../payments/list.ts';
import { fetchPayments, type PaymentFilter } from '../payments/list-store.ts';
import { presentPayment } from '../../settlement/records/present-payment.ts';
import type { Payment } from '../../settlement/records/payment.ts';
import { csvLine } from './csv.ts';

const ROWS_AT_ONCE = 1_000;

export interface ExportQuery {
  status?: PaymentStatus;
  route?: Route;
  created_after?: string;
  created_before?: string;
  bom?: boolean;
}

/** All matching payments, newest first, read page by page as fast as the client takes them. */
export function exportCsv(ctx: Context, account: Account, query: ExportQuery): Readable {
  return Readable.from(pages(ctx, account, readFilter(query), query.bom === true), { objectMode: false });
}

async function* pages(ctx: Context, account: Account, filter: PaymentFilter, bom: boolean): AsyncGenerator<string> {
  // Without the byte order mark, some spreadsheets assume their own code page.
  yield (bom ? '\uFEFF' : '') + csvLine(COLUMNS.map(([name]) => name));
  const read = (last?: Payment): Promise<Payment[]> =>
    fetchPayments(ctx.db, account, filter, {
      after: last ? { createdAt: last.createdAt, id: last.id } : null,
      limit: ROWS_AT_ONCE,
    });
  let next: Promise<Payment[]> | undefined = read();
  while (next) {
    const payments: Payment[] = await next;
    const last = payments.at(-1);
    // Reads one page ahead of the client.
    next = payments.length === ROWS_AT_ONCE ? read(last) : undefined;
    // After a disconnect no one awaits it.
    next?.catch(() => {});
    if (payments.length > 0) yield payments.map((payment) => lineOf(ctx, payment)).join('');
  }
}

function lineOf(ctx: Context, payment: Payment): string {
  const presented = { ...presentPayment(ctx, payment), paid_at: payment.paidAt?.toISOString() ?? null };
  return csvLine(COLUMNS.map(([, read]) => read(presented)));
}

type PresentedPayment = ReturnType<typeof presentPayment> & { paid_at: string | null };

/** The columns in a stable order; new ones are added at the end. */
const COLUMNS: readonly [name: string, read: (payment: PresentedPayment) => string | null][] = [
  ['id', (payment) => payment.id],
  ['created_at', (payment) => payment.created_at],
  ['paid_at', (payment) => payment.paid_at],
  ['status', (payment) => payment.status],
  ['route', (payment) => payment.route],
  ['currency', (payment) => payment.currency],
  ['gross', (payment) => payment.amount],
  ['service_fee', settledFee],
  ['net', settledNet],
  ['pay_asset', (payment) => payment.pay_asset],
  ['pay_network', (payment) => payment.pay_network],
  ['receive_asset', (payment) => payment.receive_asset],
  ['receive_network', (payment) => payment.receive_network],
  ['receive_address', (payment) => payment.receive_address],
  ['expected_output', (payment) => payment.expected_output],
  ['actual_output', (payment) => payment.actual_output],
  ['tx_hashes', (payment) => payment.tx_hashes.join(' ')],
  ['order_id', (payment) => payment.order_id],
  ['session', (payment) => payment.session],
  ['payment_link_id', (payment) => payment.payment_link_id],
  ['failure_reason', (payment) => payment.failure_reason],
  ['refund_amount', (payment) => payment.refund?.amount ?? null],
  ['refund_address', (payment) => payment.refund?.address ?? null],
  ['refund_reason', (payment) => payment.refund?.reason ?? null],
  ['refunded_at', (payment) => payment.refund?.created_at ?? null],
  ['metadata', (payment) => JSON.stringify(payment.metadata)],
  ['customer_email', (payment) => payment.customer?.email ?? null],
  ['customer_name', (payment) => payment.customer?.name ?? null],
  ['customer_reference', (payment) => payment.customer?.reference ?? null],
];
