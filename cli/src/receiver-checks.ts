import { randomBytes } from 'node:crypto';
import { type Forwarded, isAccepted, signedHeaders } from './forward.ts';

/** One request of a check. */
export interface Delivery {
  headers: Record<string, string>;
  body: string;
  /** Arrives in two parts with a pause between them. */
  slow?: boolean;
}

/** What a receiver must do with deliveries that break receivers, and what to mend if it does not. */
export interface Check {
  name: string;
  /** `taken`: every answer is 2xx. `refused`: none is 2xx, 5xx or missing. */
  expects: 'taken' | 'refused';
  /** Sent in this order, or all at the same moment. */
  deliveries: readonly Delivery[];
  atOnce?: boolean;
  mend: string;
}

export interface CheckInput {
  secret: string;
  /** The order that the events name; an unknown one by default, so that nothing is shipped. */
  orderId: string;
  now: Date;
}

/** A body above the default limit of several frameworks, 100 kB, and below what requests can make, 115 kB. */
const LONG_TEXT_LENGTH = 110_000;
const OLD_SECONDS = 600;

/** Every check, in the order in which they are made. All but one send events of payments that do not exist. */
export async function receiverChecks(input: CheckInput): Promise<Check[]> {
  const make = deliveryMaker(input);
  const paid = await make({ type: 'payment.paid', sequence: 3 });
  const pending = await make({ type: 'payment.pending', sequence: 2 });
  const late = await make({ type: 'payment.created', sequence: 1 }, { ageSeconds: 60 });
  const cheaper = { ...paid, body: paid.body.replace('"amount":"49.00"', '"amount":"0.01"') };
  const { 'service-signature': _, 'webhook-signature': __, ...unsigned } = paid.headers;
  const taken = (name: string, deliveries: Delivery[], mend: string): Check => ({
    name,
    expects: 'taken',
    deliveries,
    mend,
  });
  const refused = (name: string, delivery: Delivery, mend: string): Check => ({
    name,
    expects: 'refused',
    deliveries: [delivery],
    mend,
  });

  return [
    taken('a signed event', [paid], FIRST),
    taken('the same event again', [paid], 'Answer 2xx to an event that you have handled: deliveries are repeated.'),
    { ...taken('one event five times at once', Array(5).fill(await make({})), CONCURRENT), atOnce: true },
    taken('an older event after a newer one', [pending], 'Answer 2xx to an event that is older than what you know.'),
    taken(
      'an event that was signed a minute ago',
      [late],
      'Allow signatures to be 300 seconds old: networks are slow.',
    ),
    taken('letters of every script', [await make({ description: 'Größe 1 – 数 🪴' })], RAW),
    taken('a body of 110 kB', [await make({ metadata: { note: 'x'.repeat(LONG_TEXT_LENGTH) } })], LARGE),
    taken('a body that arrives slowly', [{ ...(await make({})), slow: true }], SLOW),
    taken('two signatures, yours first', [await make({}, { also: 'after' })], TWO_KEYS),
    taken('two signatures, yours second', [await make({}, { also: 'before' })], TWO_KEYS),
    taken('a type of event that is new', [await make({ type: 'payment.something_new' })], UNKNOWN),
    taken('a sample, signed as usual', [await make({ sample: true })], SAMPLE),
    refused('a changed amount', cheaper, FORGED),
    refused('the signature of another secret', await make({}, { secret: otherSecret() }), FORGED),
    refused('no signature', { ...paid, headers: unsigned }, FORGED),
    refused('a signature of ten minutes ago', await make({}, { ageSeconds: OLD_SECONDS }), REPLAY),
    refused('a body that is no JSON', { ...paid, body: '{' }, 'Verify the signature before you parse the body.'),
  ];
}

/** Whether the answers are what the check expects, and if not, why. */
export function judge(check: Check, answers: readonly Forwarded[]): { passed: true } | { passed: false; why: string } {
  const wrong = answers.find(({ answer }) => isAccepted(answer) !== (check.expects === 'taken'));
  // A receiver that breaks may have acted before.
  const broken = answers.find(({ answer }) => typeof answer === 'string' || answer >= 500);
  const found = wrong ?? (check.expects === 'refused' ? broken : undefined);
  if (!found) return { passed: true };
  const { answer } = found;
  const said = typeof answer === 'string' ? `no answer (${answer})` : `answered ${answer}`;
  return {
    passed: false,
    why: `${said}, expected ${check.expects === 'taken' ? '2xx' : '4xx'}. ${mendOf(check, answer)}`,
  };
}

/** What to mend: the answer can say more than the check. */
function mendOf(check: Check, answer: Forwarded['answer']): string {
  if (typeof answer === 'string')
    return /timeout|aborted/i.test(answer)
      ? 'Answer within ten seconds: store the event, answer, and do the work afterwards.'
      : 'Keep everything that can fail inside a `try`: one bad request must not end the process.';
  if (answer >= 300 && answer < 400) return 'A redirect is a failure. Register the address that it leads to.';
  if (answer === 404 && check.expects === 'taken') return `Check the path. ${UNKNOWN_ORDER}`;
  if (answer === 405) return 'Take POST at this address.';
  if (answer >= 500 && check.expects === 'refused')
    return 'Answer 400 to what is not signed for you: 500 looks like a fault of your own.';
  return check.mend;
}

const UNKNOWN_ORDER = 'Answer 2xx to an event of an order that you do not know, or pass --order-id with a test order.';
const FIRST = `Use this endpoint's secret, and verify the raw body before any parser. ${UNKNOWN_ORDER}`;
const RAW = 'Verify the bytes as they arrived: a body that is parsed and serialized again has other bytes.';
const LARGE = 'Read bodies up to 256 kB: the default of `express.raw()` and `express.json()` is 100 kB.';
const SLOW = 'Wait for the whole body before you verify it, for ten seconds at least.';
const TWO_KEYS = 'Compare every `v1` of the header: while a rotated secret overlaps, both secrets sign.';
const CONCURRENT = 'Lock the payment, or insert its event id under a unique key, and answer 2xx to the repeats.';
const UNKNOWN = 'Answer 2xx to a type that you do not handle: new types are added without notice.';
const SAMPLE = 'Answer 200 to a sample and do nothing: the dashboard sends them to test your endpoint.';
const FORGED = 'Anyone can send this and have an order shipped. Verify the signature before you do anything.';
const REPLAY = 'Refuse signatures that are more than 300 seconds old, so that a recorded request is worthless.';

interface Signing {
  secret?: string;
  ageSeconds?: number;
  /** Also signed with another secret, whose signature comes first or last. */
  also?: 'before' | 'after';
}

/** Makes deliveries of one payment; its fields and `sample` can be changed. */
function deliveryMaker({ secret: own, orderId, now }: CheckInput) {
  const payment = {
    id: newId('pay'),
    object: 'payment',
    livemode: false,
    status: 'paid',
    sequence: 3,
    amount: '49.00',
    currency: 'USD',
    order_id: orderId,
    metadata: {},
    refunded_amount: '0.00',
    created_at: now.toISOString(),
  };
  return async (
    { type = 'payment.paid', sample, ...fields }: Record<string, unknown>,
    { secret = own, ageSeconds = 0, also }: Signing = {},
  ): Promise<Delivery> => {
    const eventId = newId('evt');
    const data = { ...payment, status: String(type).replace('payment.', ''), ...fields };
    const body = JSON.stringify({
      id: eventId,
      type,
      created: now.toISOString(),
      ...(sample === true && { sample }),
      data,
    });
    const others = also ? [otherSecret()] : [];
    const secrets = also === 'before' ? [...others, secret] : [secret, ...others];
    const seconds = Math.floor(now.getTime() / 1000) - ageSeconds;
    return { body, headers: await signedHeaders({ secrets, eventId, body, seconds }) };
  };
}

function otherSecret(): string {
  return `whsec_${randomBytes(24).toString('base64')}`;
}

function newId(prefix: string): string {
  return `${prefix}_${randomBytes(12).toString('hex')}`;
}
