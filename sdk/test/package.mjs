// Tests the built package on each supported Node: `node --test sdk/test/package.mjs`. What the vectors of the contract say
// is tested on the source.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { generateKeyPairSync, sign } from 'node:crypto';
import { createRequire } from 'node:module';
import { Readable } from 'node:stream';
import { after, before, beforeEach, test } from 'node:test';
import {
  ConnectionError,
  constructEvent,
  constructEventWithKeys,
  generateTestHeader,
  newestEvents,
  Quittance,
  RateLimitError,
  readEvent,
  ReceiptVerificationError,
  ServerError,
  SignatureVerificationError,
  verifyReceipt,
} from '../dist/index.js';

const KEY = 'sk_test_0000000000000000000000000000000000Abcd';
const SECRET = 'whsec_ZXhhbXBsZS1leGFtcGxlLWV4YW1w';
let server;
let url;
let answers = [];
let requests = [];

before(async () => {
  server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    requests.push({
      method: request.method,
      path: request.url,
      headers: request.headers,
      body: Buffer.concat(chunks).toString(),
    });
    const {
      status = 200,
      headers = {},
      body = '',
      hang = false,
      reset = false,
    } = answers.length > 1 ? answers.shift() : answers[0];
    if (reset) return request.socket.destroy();
    if (hang) return;
    response
      .writeHead(status, { 'content-type': 'application/json', 'request-id': 'req_1', ...headers })
      .end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${server.address().port}`;
});
after(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  requests = [];
  answers = [{}];
});

const client = (options = {}) => new Quittance(KEY, { baseUrl: url, ...options });
const error = (status, code = 'internal_error', headers = {}) => ({
  status,
  headers,
  body: { error: { code, message: 'Because.', param: 'amount' }, request_id: 'req_1' },
});
const session = { data: { id: 'cs_1', amount: '49.00' }, request_id: 'req_1' };

test('an answer is unwrapped, with its request id at hand and out of the way', async () => {
  answers = [{ status: 201, body: session }];
  const made = await client().checkout.sessions.create({ amount: '49.00' });
  assert.equal(made.id, 'cs_1');
  assert.equal(made.lastResponse.requestId, 'req_1');
  assert.deepEqual(JSON.parse(JSON.stringify(made)), session.data);
  assert.equal(requests[0].headers.authorization, `Bearer ${KEY}`);
  assert.equal(requests[0].path, '/v1/checkout/sessions');
});

test('a base address may end in /v1 or a slash', async () => {
  answers = [{ body: session }];
  for (const baseUrl of [`${url}/v1`, `${url}/`, `${url}/v1/`])
    await client({ baseUrl }).checkout.sessions.retrieve('cs_1');
  assert.deepEqual(
    requests.map(({ path }) => path),
    Array(3).fill('/v1/checkout/sessions/cs_1'),
  );
});

test('a malformed id cannot lead to another path', async () => {
  answers = [{ body: session }];
  await client().payments.retrieve('../api-keys?x=1#y');
  assert.equal(requests[0].path, '/v1/payments/..%2Fapi-keys%3Fx%3D1%23y');
});

test('every attempt of one request carries one idempotency key, another request another', async () => {
  answers = [error(500), { reset: true }, { status: 201, body: session }];
  await client().checkout.sessions.create({ amount: '49.00' });
  assert.equal(requests.length, 3);
  assert.equal(new Set(requests.map(({ headers }) => headers['idempotency-key'])).size, 1);
  answers = [{ status: 201, body: session }];
  await client().checkout.sessions.create({ amount: '49.00' });
  assert.notEqual(requests[3].headers['idempotency-key'], requests[0].headers['idempotency-key']);
  // A UUID of version 7, which begins with the time.
  const key = requests[3].headers['idempotency-key'];
  assert.match(key, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.ok(Math.abs(Number.parseInt(key.replace('-', '').slice(0, 12), 16) - Date.now()) < 60_000);
});

test('what takes no idempotency key is not repeated where its answer was lost', async () => {
  answers = [{ reset: true }];
  await assert.rejects(client().testHelpers.advanceClock(60), ConnectionError);
  answers = [error(500)];
  await assert.rejects(client().testHelpers.pay('cs_1', { pay_asset: 'USDC', pay_network: 'base' }), ServerError);
  assert.equal(requests.length, 2);
});

test('a key of the caller is used as it is', async () => {
  answers = [{ status: 201, body: session, headers: { 'idempotent-replayed': 'true' } }];
  const made = await client().checkout.sessions.create({ amount: '49.00' }, { idempotencyKey: 'order-1' });
  assert.equal(requests[0].headers['idempotency-key'], 'order-1');
  assert.equal(made.lastResponse.replayed, true);
});

test('Retry-After sets the delay of the retry', async () => {
  answers = [error(429, 'rate_limited', { 'retry-after': '1' }), { body: session }];
  const started = performance.now();
  await client().checkout.sessions.retrieve('cs_1');
  assert.ok(performance.now() - started >= 990);
});

test('a delay that is longer than 30 seconds, or than the timeout, is not waited for', async () => {
  for (const [seconds, options] of [
    ['86400', {}],
    ['31', { timeoutMs: 60_000 }],
    ['2', { timeoutMs: 1_000 }],
  ]) {
    requests = [];
    answers = [error(429, 'rate_limited', { 'retry-after': seconds }), { body: session }];
    const limited = client(options).checkout.sessions.retrieve('cs_1', { signal: AbortSignal.timeout(5_000) });
    await assert.rejects(limited, (thrown) => {
      assert.ok(thrown instanceof RateLimitError);
      assert.equal(thrown.retryAfterSeconds, Number(seconds));
      return true;
    });
    assert.equal(requests.length, 1);
  }
});

test('no answer in time is a ConnectionError, after the retries', async () => {
  answers = [{ hang: true }];
  await assert.rejects(client({ timeoutMs: 50, maxRetries: 1 }).payments.retrieve('pay_1'), ConnectionError);
  assert.equal(requests.length, 2);
});

test('an unreachable service is reported with its address and the network error', async () => {
  const unreachable = new Quittance(KEY, { baseUrl: 'http://127.0.0.1:9', maxRetries: 0 });
  await assert.rejects(unreachable.payments.retrieve('pay_1'), (thrown) => {
    assert.ok(thrown instanceof ConnectionError);
    assert.match(
      thrown.message,
      /^GET http:\/\/127\.0\.0\.1:9\/v1\/payments\/pay_1 got no response: .*(ECONNREFUSED|bad port)/,
    );
    return true;
  });
});

test('a malformed base address and a missing id are refused before anything is sent', () => {
  for (const baseUrl of ['localhost:3000', 'pay.example.com', 'ftp://pay.example.com'])
    assert.throws(() => client({ baseUrl }), /baseUrl must be a URL/);
  for (const id of [undefined, null, ''])
    assert.throws(() => client().payments.retrieve(id), /\/v1\/payments\/… requires an ID/);
  assert.equal(requests.length, 0);
});

test('a list that is awaited is its first page, and toArray stops at its limit', async () => {
  answers = [{ body: { data: [{ id: 'pay_1' }, { id: 'pay_2' }], pagination: { cursor: 'cur_a', has_more: true } } }];
  const page = await client().payments.list();
  assert.equal(page.data.length, 2);
  assert.deepEqual(
    (await client().payments.list().toArray({ limit: 3 })).map(({ id }) => id),
    ['pay_1', 'pay_2', 'pay_1'],
  );
});

test('what is plainly no key is refused before it is sent', () => {
  for (const wrong of [undefined, '', SECRET, 'pk_live_1', 'hello'])
    assert.throws(() => new Quittance(wrong), TypeError);
});

const event = (id, sequence, day = 1, eventId = `evt_${id}_${sequence}`) => ({
  id: eventId,
  type: 'payment.paid',
  created: new Date().toISOString(),
  data: { id, sequence, created_at: `2026-03-0${day}T09:26:53.000Z` },
});

test('a webhook is believed once its signature fits', async () => {
  const body = JSON.stringify(event('pay_1', 3));
  const header = await generateTestHeader(body, SECRET);
  for (const raw of [body, Buffer.from(body), new TextEncoder().encode(body), new TextEncoder().encode(body).buffer]) {
    assert.equal((await constructEvent(raw, header, SECRET)).type, 'payment.paid');
  }
});

test('an event is read from a request of Node or of the web', async () => {
  const body = JSON.stringify(event('pay_1', 3));
  const headers = { 'service-signature': await generateTestHeader(body, SECRET) };
  for (const request of [
    new Request(url, { method: 'POST', body, headers }),
    Object.assign(Readable.from([Buffer.from(body)]), { headers }),
  ])
    assert.equal((await readEvent(request, SECRET)).type, 'payment.paid');
});

test('a webhook is refused with the reason', async () => {
  const body = JSON.stringify(event('pay_1', 3));
  const header = await generateTestHeader(body, SECRET);
  const old = await generateTestHeader(body, SECRET, { timestamp: Math.floor(Date.now() / 1000) - 301 });
  const soon = await generateTestHeader(body, SECRET, { timestamp: Math.floor(Date.now() / 1000) + 310 });
  for (const [raw, signature, secret, reason] of [
    [`${body} `, header, SECRET, /No signature matches/],
    [body, header, 'whsec_other', /No signature matches/],
    [body, old, SECRET, /seconds old/],
    [body, null, SECRET, /`Service-Signature` header is missing/],
    [body, 'nonsense', SECRET, /is malformed/],
    [body, header.replace('t=', 't=-'), SECRET, /is malformed/],
    [body, soon, SECRET, /in the future/],
    [body, header, undefined, /Signing secret missing/],
    [body, header, '', /Signing secret missing/],
    [body, header, KEY, /an API key/],
    [JSON.parse(body), header, SECRET, /already parsed/],
    [undefined, header, SECRET, /Body missing/],
  ]) {
    await assert.rejects(
      constructEvent(raw, signature, secret),
      (thrown) => thrown instanceof SignatureVerificationError && reason.test(thrown.message),
    );
  }
  assert.ok(await constructEvent(body, old, SECRET, { toleranceSeconds: 0 }));
});

test('stale and repeated events are ignored, and a payment that begins again is not', async () => {
  const newest = newestEvents();
  const verdicts = [];
  for (const [id, sequence, day, eventId] of [
    ['a', 2, 1],
    ['a', 2, 1],
    ['a', 1, 1],
    ['b', 1, 1],
    ['a', 3, 1],
    // Created again: its known events are repeats, and its new ones start at 1 again.
    ['a', 1, 2],
    ['a', 2, 2, 'evt_x'],
    ['a', 3, 2],
    ['a', 4, 1],
  ])
    verdicts.push(await newest(event(id, sequence, day, eventId), () => {}));
  assert.deepEqual(verdicts, [true, false, false, true, true, false, true, false, false]);
});

test('CommonJS finds the same', () => {
  const required = createRequire(import.meta.url)('../dist/index.cjs');
  assert.equal(typeof required.Quittance, 'function');
  assert.equal(typeof createRequire(import.meta.url)('../dist/webhooks.cjs').constructEvent, 'function');
});

test('receipts and webhooks are verified with a public key', async () => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const jwks = { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'k1' }] };
  const encode = (value) => Buffer.from(value).toString('base64url');
  const sealed = (header, claims) => {
    const signed = `${encode(JSON.stringify(header))}.${encode(JSON.stringify(claims))}`;
    return `${signed}.${encode(sign(null, Buffer.from(signed), privateKey))}`;
  };
  const header = { alg: 'EdDSA', typ: 'receipt+jwt', kid: 'k1' };
  const claims = {
    iss: 'https://pay.example.com',
    iat: 1_772_323_200,
    livemode: true,
    payment: 'pay_1',
    payee: 'eip155:1:0x1',
  };
  const receipt = sealed(header, claims);
  assert.deepEqual(await verifyReceipt(receipt, { jwks, payee: '0x1', issuer: 'https://pay.example.com/' }), claims);
  for (const wrong of [
    // Another first byte of the signature. Its last byte is zero so often that a fixed one may change nothing.
    receipt.replace(/\.([^.])([^.]*)$/, (_, first, rest) => `.${first === 'A' ? 'B' : 'A'}${rest}`),
    sealed({ ...header, typ: 'JWT' }, claims),
    sealed({ ...header, kid: 'k2' }, claims),
    sealed(header, { ...claims, livemode: false }),
    sealed(header, { ...claims, payee: 'eip155:1:0x2' }),
  ])
    await assert.rejects(verifyReceipt(wrong, { jwks, payee: '0x1' }), ReceiptVerificationError);

  const seconds = String(Math.floor(Date.now() / 1000));
  const body = '{"type":"payment.paid"}';
  const signature = sign(null, Buffer.from(`we_1.evt_1.${seconds}.${body}`), privateKey).toString('hex');
  const headers = {
    'webhook-id': 'evt_1',
    'webhook-timestamp': seconds,
    'service-audience': `endpoint=we_1,v1a=${signature}`,
  };
  const keys = { jwks, endpoint: 'we_1' };
  assert.equal((await constructEventWithKeys(body, headers, keys)).type, 'payment.paid');
  assert.equal((await readEvent(new Request(url, { method: 'POST', body, headers }), keys)).type, 'payment.paid');
  await assert.rejects(constructEventWithKeys(`${body} `, headers, keys), SignatureVerificationError);
  await assert.rejects(constructEventWithKeys(body, headers, { jwks, endpoint: 'we_2' }), SignatureVerificationError);
});
