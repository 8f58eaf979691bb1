// What a payment means for a shop's order, decided without I/O or a clock, and what else the shops have in common. Every
// shop that uses it runs the same table of cases.

/** The fields of a payment that decide; an event's `data` and `GET /v1/payments/{id}` have them. */
export interface PaymentFacts {
  session: string | null;
  /** The session that this one tries again, as its session says. Read it if you do not know the payment's session. */
  retry_of?: string | null;
  livemode: boolean;
  status: string;
  sequence: number;
  created_at: string;
  amount: string;
  currency: string;
  surplus: string;
  refunded_amount: string;
  failure_reason: string | null;
  settlement_alert: object | null;
}

/** What was done for one session of an order. Plain data: store it with the order, in the same transaction. */
export interface Applied {
  created_at: string;
  sequence: number;
  /** How much of the order was returned so far. */
  refunded: string;
  /** Why a person was asked to look, so that they are asked once. */
  review: string | null;
  /** No money can come by this session any more, or it was returned. */
  closed: boolean;
}

/** A shop's order, as far as payments decide about it. */
export interface ShopOrder {
  amount: string;
  currency: string;
  livemode: boolean;
  /** The session that paid it, the name of another method, or null while it is not paid. */
  paidBy: string | null;
  /** It was canceled in the shop: nothing is captured for it any more. */
  isCanceled?: boolean;
  /** The sessions of this order, with what was done for each; null for a new one. */
  sessions: Readonly<Record<string, Applied | null>>;
}

/**
 * `capture`: the order is paid. `refund`: that much was returned. `close`: it can no longer be paid by this session.
 * `review`: a person decides; change nothing.
 */
export type Step =
  | { type: 'capture'; amount: string }
  | { type: 'refund'; amount: string }
  | { type: 'close' }
  | { type: 'review'; why: string };

export interface Decision {
  /** In this order; empty if nothing is to be done. */
  steps: Step[];
  /** What to store for the session; null if the payment is not of this order. */
  applied: Applied | null;
}

const NOTHING: Applied = { created_at: '', sequence: 0, refunded: '0.00', review: null, closed: false };
const IGNORED: Decision = { steps: [], applied: null };

/**
 * What to do with an order when its payment says something, by webhook or because you asked: both in any order, and as
 * often as they come. A payment moves the one order whose session it has, or tries again. An older state is ignored, what
 * is paid is not lowered again, and an order that another method paid is never touched.
 *
 * `asked`: the payment is what the service answers now. An event cannot say that an alert is over, since it may be older.
 *
 * @example
 * const { steps, applied } = decide(order, event.data);
 */
export function decide(order: ShopOrder, payment: PaymentFacts, { asked = false } = {}): Decision {
  const before = knownOf(order, payment);
  if (before === undefined || payment.livemode !== order.livemode) return IGNORED;
  const isOver = asked && payment.settlement_alert === null && before?.review === 'settlement_alert';
  const known = { ...NOTHING, ...before, ...(isOver && { review: null }) };
  if (isOlder(payment, known)) return { steps: [], applied: before };

  const steps = order.paidBy === payment.session ? afterCapture(payment, known) : untilPaid(order, payment, known);
  return { steps, applied: appliedAfter(known, payment, steps) };
}

/** What was done for the payment's session; undefined if it is of another order. */
function knownOf({ sessions }: ShopOrder, { session, retry_of = null }: PaymentFacts): Applied | null | undefined {
  if (session === null) return undefined;
  const known = sessions[session];
  return known === undefined && retry_of !== null && sessions[retry_of] !== undefined ? null : known;
}

/** The states of an order that this payment has not paid. */
function untilPaid(order: ShopOrder, payment: PaymentFacts, known: Applied): Step[] {
  const isPaidElsewhere = order.paidBy !== null;
  switch (payment.status) {
    case 'paid': {
      if (isPaidElsewhere) return review('paid_twice', known);
      if (order.isCanceled) return review('order_canceled', known);
      if (payment.settlement_alert || isInDoubt(payment, known)) return review('settlement_alert', known);
      if (minor(payment.amount) !== minor(order.amount) || payment.currency !== order.currency.toUpperCase())
        return review('amount_differs', known);
      const refunded = returnedOf(payment);
      const capture: Step = { type: 'capture', amount: payment.amount };
      return refunded > 0n ? [capture, { type: 'refund', amount: text(refunded) }] : [capture];
    }
    case 'refund_required':
      return review(isPaidElsewhere ? 'paid_twice' : (payment.failure_reason ?? payment.status), known);
    case 'failed':
    case 'expired':
    case 'refunded':
      return isPaidElsewhere || known.closed || hasOtherOpen(order, payment) ? [] : [{ type: 'close' }];
    default:
      return [];
  }
}

/** The states of an order that this payment has paid: money may go back, or its transfer may be in doubt. */
function afterCapture(payment: PaymentFacts, known: Applied): Step[] {
  if (['failed', 'expired', 'refund_required'].includes(payment.status))
    return review(payment.failure_reason ?? payment.status, known);
  if (payment.status !== 'paid' && payment.status !== 'refunded') return [];
  const more = returnedOf(payment) - minor(known.refunded);
  return [
    ...(more > 0n ? [{ type: 'refund' as const, amount: text(more) }] : []),
    ...(payment.settlement_alert ? review('settlement_alert', known) : []),
  ];
}

/**
 * What was returned of the price. A surplus that goes back is not a refund of the order, unless so much went back that
 * the payment is refunded.
 */
function returnedOf({ status, amount, surplus, refunded_amount }: PaymentFacts): bigint {
  const returned = minor(refunded_amount) - (status === 'refunded' ? 0n : minor(surplus));
  const price = minor(amount);
  return returned < 0n ? 0n : returned > price ? price : returned;
}

/** Its alert was seen in this state. An event that was made before says nothing of it, so a person decides. */
function isInDoubt(payment: PaymentFacts, known: Applied): boolean {
  return known.review === 'settlement_alert' && known.sequence === payment.sequence;
}

function appliedAfter(known: Applied, payment: PaymentFacts, steps: readonly Step[]): Applied {
  const next = { ...known, created_at: payment.created_at, sequence: payment.sequence };
  for (const step of steps) {
    if (step.type === 'refund') next.refunded = text(minor(next.refunded) + minor(step.amount));
    if (step.type === 'review') next.review = step.why;
  }
  return { ...next, closed: ['failed', 'expired', 'refunded'].includes(payment.status) };
}

/** A payment that was lost and created again under its old id starts again at sequence 1, with a later `created_at`. */
function isOlder(payment: PaymentFacts, known: Applied): boolean {
  if (payment.created_at !== known.created_at) return payment.created_at < known.created_at;
  return payment.sequence < known.sequence;
}

/** The customer began again, and may pay by the other session. */
function hasOtherOpen(order: ShopOrder, payment: PaymentFacts): boolean {
  return Object.entries(order.sessions).some(([session, applied]) => session !== payment.session && !applied?.closed);
}

function review(why: string, known: Applied): Step[] {
  return known.review === why ? [] : [{ type: 'review', why }];
}

/** The cents of an amount, which may be zero or larger than what can be charged. */
function minor(amount: string): bigint {
  const [, whole, fraction = ''] = /^(\d+)(?:\.(\d{1,2}))?$/.exec(amount) ?? [];
  if (whole === undefined) throw new TypeError(`An amount is a decimal string such as "49.00", not "${amount}".`);
  return BigInt(whole + fraction.padEnd(2, '0'));
}

function text(cents: bigint): string {
  const digits = String(cents).padStart(3, '0');
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/**
 * How much to return where a shop refunds `asked` of a payment, after it refunded `earlier`. The last part is less by
 * what never reached the merchant, such as the service fee. Never more than `asked`, also if refunds begin at once.
 */
export function refundOf(
  payment: { amount: string; net_settlement: string; received_amount: string | null },
  { asked, earlier }: { asked: string; earlier: string },
): string {
  const price = minor(payment.amount);
  const missing = price - minor(payment.received_amount ?? payment.net_settlement);
  const rest = minor(asked) - missing;
  const isLast = minor(earlier) + minor(asked) >= price;
  return isLast && missing > 0n && rest > 0n ? text(rest) : asked;
}

/** An idempotency key: the same for the same parts, such as an order's id and a body, and another once one changes. */
export async function keyOf(prefix: string, ...parts: unknown[]): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(JSON.stringify(parts)));
  return `${prefix}-${btoa(String.fromCharCode(...new Uint8Array(digest)))}`;
}

/** Creates a checkout, without its customer if the service refuses what the shop knows of them. */
export async function createFor<Body extends { customer?: object }, Session>(
  body: Body,
  create: (body: Body) => Promise<Session>,
): Promise<Session> {
  return create(body).catch((error: { param?: string | null }) => {
    if (!error.param?.startsWith('customer')) throw error;
    return create({ ...body, customer: undefined });
  });
}

/** An amount in the smallest unit of a currency with two decimals, as a decimal string: `4900` → `"49.00"`. */
export function fromMinor(cents: bigint | number): string {
  if (typeof cents === 'number' && !Number.isSafeInteger(cents)) throw new TypeError(`${cents} is not a whole number.`);
  if (cents < 0) throw new TypeError(`${cents} is below zero.`);
  return text(BigInt(cents));
}

/** A decimal string in the smallest unit: `"49.00"` and `"49"` → `4900n`. */
export function toMinor(amount: string): bigint {
  const cents = /^(0|[1-9]\d{0,8})(\.\d{1,2})?$/.test(amount) ? minor(amount) : 0n;
  if (cents === 0n) throw new TypeError(`An amount is a decimal string from 0.01 to 999999999.99, not "${amount}".`);
  return cents;
}
