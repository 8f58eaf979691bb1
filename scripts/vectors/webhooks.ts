import { signatureHeaders, signingKeys } from '../../server/src/resources/webhooks/delivery/signature.ts';

/** Why a receiver refuses a request. A sample is answered with 200, everything else with 400. */
type Refusal = 'header' | 'signature' | 'old' | 'future' | 'sample';

export interface WebhookVector {
  name: string;
  secret: string;
  /** The clock of the receiver, in Unix seconds. */
  now: number;
  headers: Record<string, string>;
  /** The exact text of the body. */
  body: string;
  expect: { event: string } | { refused: Refusal; status: 200 | 400 };
}

const SECRET = 'whsec_UXVpdHRhbmNlIHZlY3RvciBrZXkgMQ==';
const NEWER = 'whsec_UXVpdHRhbmNlIHZlY3RvciBrZXkgMg==';
const NOW = 1_773_480_413;

const PAYMENT = {
  id: 'pay_4fzqzXm2V9pQ7rT1kB3nW8yA',
  order_id: 'order-1001',
  status: 'paid',
  amount: '49.00',
  currency: 'USD',
  sequence: 3,
  created_at: '2026-03-14T09:20:00.000Z',
};
const EVENT = { id: 'evt_4fzqzXm2V9pQ7rT1kB3nW8yA', type: 'payment.paid', created: '2026-03-14T09:26:53.000Z' };
const BODY = JSON.stringify({ ...EVENT, data: PAYMENT });
const TAKEN = { event: EVENT.id };

/** What arrives at a receiver, signed as the server signs it, and what the receiver must do. */
export function webhookVectors(): WebhookVector[] {
  return [...taken(), ...changed(), ...outOfTime()];
}

function taken(): WebhookVector[] {
  const unicode = JSON.stringify({ ...EVENT, data: { ...PAYMENT, order_id: 'Größe 1 – 数 🪴 \u2028"\\' } });
  const signed = sign(BODY);
  const own = signed['service-signature'] as string;
  return [
    vector('valid', {}),
    vector('letters of every script', { body: unicode }),
    vector('escaped letters, which are other bytes', { body: BODY.replace('order-1001', '\\u00f6rder') }),
    vector('spaces and line ends in the body', { body: `{ "id" : "${EVENT.id}",\r\n "data": {} }\n` }),
    vector('a long body', {
      body: JSON.stringify({ ...EVENT, data: { ...PAYMENT, metadata: { note: 'x'.repeat(2_000) } } }),
    }),
    vector('two keys, the receiver has the older one', { headers: sign(BODY, { secrets: [NEWER, SECRET] }) }),
    vector('two keys, the receiver has the newer one', {
      headers: sign(BODY, { secrets: [NEWER, SECRET] }),
      secret: NEWER,
    }),
    vector('the parts of the header in another order', {
      headers: { 'service-signature': own.split(',').reverse().join(',') },
    }),
    vector('a scheme that is not known yet beside v1', {
      headers: { 'service-signature': own.replace(',', `,v2=${'ab'.repeat(32)},`) },
    }),
    vector('also signed with a public key', {
      headers: { ...signed, 'webhook-signature': `${signed['webhook-signature']} v1a,${'A'.repeat(86)}==` },
    }),
  ];
}

function changed(): WebhookVector[] {
  const own = sign(BODY)['service-signature'] as string;
  const only = (header: string) => ({ 'service-signature': header });
  const later = own.replace(`t=${NOW}`, `t=${NOW + 1}`);
  return [
    refused('another amount', 'signature', { headers: sign(BODY), body: BODY.replace('49.00', '49.01') }),
    refused('the same JSON in other bytes', 'signature', {
      headers: sign(BODY),
      body: JSON.stringify(JSON.parse(BODY), null, 1),
    }),
    refused('a byte more', 'signature', { headers: sign(BODY), body: `${BODY}\n` }),
    refused('an empty body', 'signature', { headers: sign(BODY), body: '' }),
    refused('another secret', 'signature', { headers: sign(BODY, { secrets: [NEWER] }) }),
    refused('signed with an empty secret', 'signature', { headers: sign(BODY, { secrets: [''] }) }),
    refused('a receiver without a secret, which everyone could sign for', 'signature', {
      headers: sign(BODY, { secrets: [''] }),
      secret: '',
    }),
    refused('a signature of other letters', 'header', { headers: only(`t=${NOW},v1=${'é'.repeat(64)}`) }),
    refused('an old signature with a new time', 'signature', { headers: only(later) }),
    refused('no header', 'header', { headers: {} }),
    refused('an empty header', 'header', { headers: only('') }),
    refused('a header without a time', 'header', { headers: only(own.slice(own.indexOf(',') + 1)) }),
    refused('a time that is no number', 'header', { headers: only(own.replace(`t=${NOW}`, 't=soon')) }),
    refused('a header without a signature', 'header', { headers: only(`t=${NOW}`) }),
    refused('a signature that is cut off', 'header', { headers: only(own.slice(0, -2)) }),
    refused('another scheme in place of v1', 'header', { headers: only(own.replace('v1=', 'v0=')) }),
    refused('a sample', 'sample', { body: JSON.stringify({ ...EVENT, sample: true, data: PAYMENT }) }),
  ];
}

function outOfTime(): WebhookVector[] {
  const at = (seconds: number) => ({ headers: sign(BODY, { at: NOW + seconds }) });
  return [
    vector('300 seconds old', at(-300)),
    refused('301 seconds old', 'old', at(-301)),
    refused('a day old', 'old', at(-86_400)),
    vector('from a clock that is 300 seconds ahead', at(300)),
    refused('from a clock that is 301 seconds ahead', 'future', at(301)),
  ];
}

type Parts = Partial<Pick<WebhookVector, 'headers' | 'body' | 'secret'>>;

function vector(name: string, { body = BODY, headers = sign(body), secret = SECRET }: Parts): WebhookVector {
  return { name, secret, now: NOW, headers, body, expect: TAKEN };
}

function refused(name: string, why: Refusal, parts: Parts): WebhookVector {
  return { ...vector(name, parts), expect: { refused: why, status: why === 'sample' ? 200 : 400 } };
}

/** The headers of the server for this body. */
function sign(body: string, { secrets = [SECRET], at = NOW }: { secrets?: string[]; at?: number } = {}) {
  return signatureHeaders({
    keys: secrets.map(signingKeys),
    eventId: EVENT.id,
    at: new Date(at * 1_000),
    body: Buffer.from(body),
  });
}
