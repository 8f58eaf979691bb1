import { Readable } from 'node:stream';
import { NOTE_KEY } from '@quittance/contract/customer-note';
import { type QueryOf, settledFee, settledNet } from '@quittance/contract';
import type { exportPayments } from '@quittance/contract/dashboard';
import type { Context } from '../../context.ts';
import type { Account } from '../../platform/caller.ts';
import { createShares } from '../../platform/client-share.ts';
import { fail } from '../../platform/errors.ts';
import { Client } from '../../platform/http/admission/client.ts';
import { inSteps } from '../../platform/http/in-steps.ts';
import { SECOND_MS } from '../../platform/time.ts';
import type { Payment } from '../../settlement/records/payment.ts';
import { presentPayment } from '../../settlement/records/present-payment.ts';
import { fetchPayments, type PaymentFilter } from '../payments/list-store.ts';
import { readFilter } from '../payments/list.ts';

/** What is sent: the head, and the lines behind it, as many at once as are read together. */
export interface ExportedFile {
  columns: readonly string[];
  lines: AsyncIterable<string>;
  /** Begins with a byte order mark. */
  bom: boolean;
}

/** An account's export runs alone, beside few of other accounts: each keeps a connection and some memory busy. */
const EXPORTS_AT_ONCE = { limit: 4, perClient: 1 };
const RETRY_AFTER_SECONDS = 10;
/** How long a client may take to read one part, so that a client that does not read keeps no place. */
const PART_MS = 30 * SECOND_MS;

/** The running exports of this process. */
export class Exports {
  readonly #ctx: Context;
  readonly #partMs: number;
  readonly #places = createShares(EXPORTS_AT_ONCE);

  constructor(ctx: Context, partMs = PART_MS) {
    this.#ctx = ctx;
    this.#partMs = partMs;
  }

  /** All matching payments, newest first. */
  csv(account: Account, query: Omit<QueryOf<typeof exportPayments>, 'mode'>): Readable {
    const filter = readFilter(query);
    const lines = linesOf(this.#ctx, account, filter);
    return this.stream(account, { columns: COLUMNS.map(([name]) => name), lines, bom: query.bom === true });
  }

  /** A file, read as fast as the client takes it and its account may. */
  stream(account: Account, file: ExportedFile): Readable {
    const holder = Client.only(account.id);
    if (!this.#places.acquire(holder))
      fail('rate_limited', {
        message:
          'Another export of this account is running, or several of others. Try again after `Retry-After` seconds.',
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      });
    const stream = Readable.from(
      this.#parts(account, file, () => stream.destroy(new Error('export not read'))),
      { objectMode: false },
    );
    return stream.once('close', () => this.#places.release(holder));
  }

  async *#parts(account: Account, file: ExportedFile, late: () => void): AsyncGenerator<string> {
    // Without the byte order mark, some spreadsheets assume their own code page.
    yield (file.bom ? '\uFEFF' : '') + csvLine(file.columns);
    for await (const part of file.lines) {
      this.#ctx.pace.spend(account.id, part.length);
      const timer = setTimeout(late, this.#partMs).unref();
      try {
        yield part;
      } finally {
        clearTimeout(timer);
      }
      await this.#ctx.pace.keepRate(account.id);
    }
  }
}

/** The lines of the file, as many at once as are read together. */
async function* linesOf(ctx: Context, account: Account, filter: PaymentFilter): AsyncGenerator<string> {
  const steps = inSteps<Payment, string>({
    fetch: (page) => fetchPayments(ctx.db, account, filter, page),
    position: ({ createdAt, id }) => ({ createdAt, id }),
    present: (payment) => lineOf(ctx, payment),
    bytesOf: (line) => line.length,
  });
  for await (const step of steps) yield step.map(({ item }) => item).join('');
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
  ['received_amount', (payment) => payment.received_amount],
  ['surplus', (payment) => payment.surplus],
  ['refunded_amount', (payment) => payment.refunded_amount],
  ['description', (payment) => payment.description],
  ['customer_note', (payment) => payment.metadata[NOTE_KEY] ?? null],
];

/** A number of our own: it may be negative, and no spreadsheet takes it for a formula. */
export interface Figure {
  figure: string;
}

/** One line of a CSV file (RFC 4180). */
export function csvLine(cells: readonly (string | Figure | null)[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

/**
 * A cell that no spreadsheet takes for a formula: text that begins like one gets a leading apostrophe, which
 * spreadsheets show as text. They ignore leading white space, and so does this check. Where lists are separated by
 * semicolons or tabs, a spreadsheet splits there and at line breaks even inside of our quotes, so what follows them is
 * a beginning too.
 */
function csvCell(text: string | Figure | null): string {
  if (text === null) return '';
  if (typeof text !== 'string') return text.figure;
  const safe = (BEGINS_AS_FORMULA.test(text) ? `'${text}` : text).replace(SEPARATOR_BEFORE_FORMULA, "$&'");
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

const BEGINS_AS_FORMULA = /^[\s\uFEFF]*[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20]/;
const SEPARATOR_BEFORE_FORMULA = /[;\t\r\n](?=[\s\uFEFF"]*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/g;
