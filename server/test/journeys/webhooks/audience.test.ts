import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { verifyReceipt } from '../../../../sdk/src/receipts.ts';
import { type Jwks, readEvent } from '../../../../sdk/src/webhooks.ts';
import { type Merchant, startApp, type TestApp } from '../../support/index.ts';
import { startProject } from '../../support/guides.ts';
import { keysOfReceipt } from '../../support/receipt-keys.ts';
import { type Receiver, startReceiver } from '../../support/receiver.ts';

interface Sent {
  body: string;
  headers: Record<string, string>;
}

/** Who made what is replayed to the receiver of the merchant's live endpoint. */
const SOURCES = ['own', 'other account', 'other mode', 'sample', 'other endpoint'] as const;
type Source = (typeof SOURCES)[number];

const ORDER = 'order-1001';
const PAYEE = '0x52908400098527886E0F7030069857D2E4169EE7';
const hasPython = spawnSync('python3', ['--version']).status === 0;
const folder = mkdtempSync(join(tmpdir(), 'quittance-audience-'));

let app: TestApp;
let receiver: Receiver;
let merchant: Merchant;
let stranger: Merchant;
let endpoint: { id: string; secret: string; jwks_url: string };
let jwks: Jwks;
const sent = {} as Record<Source, Sent>;
/** The verification that the guide prints, for the receiver of the merchant's live endpoint. */
const readers: Record<string, (given: Sent) => Promise<unknown>> = {};

beforeAll(async () => {
  app = await startApp({ work: true });
  receiver = await startReceiver();
  [merchant, stranger] = [await app.newMerchant(), await app.newMerchant()];
  endpoint = await endpointOf(merchant.live, 'own');
  const other = { account: stranger, mode: merchant, endpoint: merchant.live };
  await endpointOf(other.account.live, 'other-account');
  await endpointOf(other.mode, 'other-mode');
  await endpointOf(other.endpoint, 'other-endpoint');
  const live = merchant.live;
  for (const [one, count] of [
    [live, 2],
    [stranger.live, 1],
    [merchant, 1],
  ] as const) {
    const session = await one.createSession({ order_id: ORDER });
    await receiver.waitFor(count, ({ event }) => event.data.session === session.id);
  }
  for (const source of SOURCES) if (source !== 'sample') sent[source] = receivedAt(source.replace(' ', '-'));
  receiver.received.length = 0;
  await live.post('/webhooks/test', { endpoint_id: endpoint.id, event: 'payment.paid' });
  sent.sample = receivedAt('own');

  jwks = await keysAt(endpoint.jwks_url);
  const request = ({ body, headers }: Sent) => new Request('http://shop.example', { method: 'POST', body, headers });
  readers.v1 = (given) => readEvent(request(given), endpoint.secret);
  readers.v1a = (given) => readEvent(request(given), { jwks, endpoint: endpoint.id });

  for (const file of ['verify.py', 'verify-by-key.mjs']) writeFileSync(join(folder, file), blockOf(file));
  const { constructEvent } = await import(join(folder, 'verify-by-key.mjs'));
  readers['v1a without the SDK'] = async ({ body, headers }) =>
    constructEvent(Buffer.from(body), headers, jwks, endpoint.id);
  if (hasPython)
    readers['v1 in Python'] = async ({ body, headers }) =>
      execFileSync('python3', ['-c', PYTHON, body, headers['service-signature'] ?? '', endpoint.secret], {
        cwd: folder,
        stdio: 'pipe',
      });
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await app?.stop();
  await receiver?.close();
});

const PYTHON =
  'import sys, verify; print(verify.construct_event(sys.argv[1].encode(), sys.argv[2], sys.argv[3])["id"])';

describe.each(['v1', 'v1a', 'v1a without the SDK', 'v1 in Python'])('a receiver that verifies %s', (name) => {
  test.each(SOURCES)('takes what it was sent and nothing else: %s', async (source) => {
    if (name === 'v1 in Python' && !hasPython) return;
    const verdict = readers[name]?.(sent[source]);
    if (source === 'own') await expect(verdict).resolves.toBeTruthy();
    else await expect(verdict).rejects.toThrow();
  });
});

test('the bytes are the same at both endpoints of a mode, and only the audience differs', () => {
  expect(sent['other endpoint'].body).toBe(sent.own.body);
  expect(sent['other endpoint'].headers['service-audience']).not.toBe(sent.own.headers['service-audience']);
});

test.each(SOURCES)('with another id or signature in its headers it is refused too: %s', async (source) => {
  const { body, headers } = sent[source];
  const audience = headers['service-audience'] ?? '';
  for (const changed of [
    { 'service-audience': audience.replace(/endpoint=\w+/, `endpoint=${endpoint.id}`) },
    { 'service-audience': audience.replace(/v1a=\w+/, `v1a=${standardSignatureOf(headers)}`) },
    { 'service-audience': `${audience},${audience}` },
    { 'service-audience': '' },
  ]) {
    if (source === 'own' && changed['service-audience'] === audience) continue;
    const verdict = readers.v1a?.({ body, headers: { ...headers, ...changed } });
    await expect(verdict).rejects.toMatchObject({ status: source === 'sample' ? expect.any(Number) : 400 });
  }
});

test('a sample says so in both modes, names no live money, and is answered with 200', async () => {
  for (const one of [merchant.live, merchant]) {
    const { id, secret } = await endpointOf(one, `sample-${one.livemode}`);
    for (const event of ['payment.paid', 'payment.created']) {
      receiver.received.length = 0;
      await one.post('/webhooks/test', { endpoint_id: id, event });
      const { body, headers } = receivedAt(`sample-${one.livemode}`);
      expect(JSON.parse(body)).toMatchObject({ type: event, sample: true, data: { livemode: false } });
      const request = () => new Request('http://shop.example', { method: 'POST', body, headers });
      await expect(readEvent(request(), secret)).rejects.toMatchObject({ name: 'SampleEventError', status: 200 });
      expect(await readEvent(request(), secret, { acceptSamples: true })).toMatchObject({ sample: true });
    }
  }
});

test('what is verified without an endpoint is refused, no matter who sent it', async () => {
  const { body, headers } = sent.own;
  for (const keys of [jwks, { jwks }, { jwks, endpoint: undefined }, { jwks, endpoint: '' }, { jwks, endpoint: 'x' }]) {
    const request = new Request('http://shop.example', { method: 'POST', body, headers });
    await expect(readEvent(request, keys as never)).rejects.toMatchObject({ status: 400 });
  }
});

describe('a receipt', () => {
  let own: string;
  let foreign: string;
  let keys: Jwks;
  beforeAll(async () => {
    [own, foreign] = [await receiptOf(merchant), await receiptOf(stranger)];
    keys = await keysOfReceipt(app, own);
  });

  test('is believed with the keys of its account and mode and with its payee', async () => {
    for (const payee of [PAYEE, PAYEE.toLowerCase(), `eip155:8453:${PAYEE}`, ['0x1', PAYEE]])
      expect(await verifyReceipt(own, { jwks: keys, payee, allowTestMode: true })).toMatchObject({ status: 'paid' });
  });

  test('of another account, another mode or another kind is refused', async () => {
    const live = await keysAt(endpoint.jwks_url);
    const service = await keysAt('/.well-known/jwks.json');
    const options = { payee: PAYEE, allowTestMode: true };
    await expect(verifyReceipt(foreign, { ...options, jwks: keys })).rejects.toThrow('could have signed');
    for (const set of [live, service])
      await expect(verifyReceipt(own, { ...options, jwks: set })).rejects.toThrow('could have signed');
    await expect(verifyReceipt(own, { jwks: keys, payee: PAYEE })).rejects.toThrow('test mode');
    for (const { body, headers } of Object.values(sent))
      for (const text of [body, headers['service-audience'] ?? '', standardSignatureOf(headers)])
        await expect(verifyReceipt(text, { ...options, jwks: keys })).rejects.toThrow('not a receipt');
  });

  test('is believed by the program of the guide, and nothing else is: other accounts, other modes, and what webhooks signed', async () => {
    await using shop = await startProject({ url: app.config.publicUrl, key: '', port: 4000 });
    const verify = async (receipt: string, set: Jwks) => {
      writeFileSync(join(shop.folder, 'receipt.jwt'), receipt);
      writeFileSync(join(shop.folder, 'jwks.json'), JSON.stringify(set));
      return shop.node('verify.mjs');
    };
    expect(await verify(own, keys)).toMatch(/^paid /);
    expect(await verify(foreign, keys)).toBe('');
    expect(await verify(own, await keysAt(endpoint.jwks_url))).toBe('');
    expect(await verify(own, await keysOfReceipt(app, foreign))).toBe('');
    for (const source of SOURCES) expect([source, await verify(sent[source].body, keys)]).toEqual([source, '']);
  });

  test('of money to another address is refused, and so is a check without any', async () => {
    for (const payee of [`0x${'1'.repeat(40)}`, `eip155:1:${PAYEE}`, '', [], undefined, PAYEE.slice(0, -1)])
      await expect(
        verifyReceipt(own, { jwks: keys, payee: payee as string, allowTestMode: true }),
      ).rejects.toMatchObject({ name: 'ReceiptVerificationError' });
  });

  test('is verified by the service with the keys of its own account only', async () => {
    expect(await stranger.post('/receipts/verify', { receipt: own })).toMatchObject({ valid: true, current: true });
    const { kid } = JSON.parse(Buffer.from(own.split('.')[0] ?? '', 'base64url').toString());
    await app.ctx.db.query('test_other_owner', 'update signing_keys set account_id = $2 where kid = $1', [
      kid,
      (await app.newMerchant()).accountId,
    ]);
    const moved = await stranger.post('/receipts/verify', { receipt: own });
    expect(moved).toMatchObject({ valid: false, claims: null, reason: expect.stringContaining('another account') });
  });
});

test('key sets exist for accounts only, and share no key', async () => {
  const sets = await Promise.all(
    [merchant, stranger].flatMap(({ accountId }) =>
      ['live', 'test'].map((mode) => keysAt(`/.well-known/jwks/${accountId}/${mode}.json`)),
    ),
  );
  const kids = sets.flatMap((set) => set.keys.map(({ kid }) => kid));
  expect(new Set(kids).size).toBe(kids.length);
  for (const path of [`acc_${'0'.repeat(24)}/live`, 'nothing/live', '%00/test', `${merchant.accountId}/other`])
    expect((await app.inject('GET', `/.well-known/jwks/${path}.json`)).status).toBe(404);
});

async function endpointOf(one: Merchant, path: string) {
  return one.createEndpoint({ url: `${receiver.url}/${path}`, asymmetric_signature: true });
}

function receivedAt(path: string): Sent {
  const got = receiver.received.find((one) => one.path.endsWith(`/${path}`));
  if (!got) throw new Error(`nothing was delivered to ${path}`);
  const { 'content-length': _, connection: __, host: ___, ...headers } = got.headers;
  return { body: String(got.body), headers: headers as Record<string, string> };
}

function standardSignatureOf(headers: Record<string, string>): string {
  const [, standard = ''] = /(?:^| )v1a,(\S+)/.exec(headers['webhook-signature'] ?? '') ?? [];
  return Buffer.from(standard, 'base64').toString('hex');
}

async function keysAt(url: string): Promise<Jwks> {
  return JSON.parse((await app.inject('GET', url.replace(app.config.publicUrl, ''))).raw);
}

async function receiptOf(one: Merchant): Promise<string> {
  const { id } = await one.createSession({ order_id: ORDER });
  await one.pay(id);
  return (await one.get(`/public/checkout/sessions/${id}/receipt`)).jws;
}

function blockOf(file: string): string {
  const page = file === 'verify.py' ? 'verify-webhooks.md' : 'webhooks.md';
  const guide = readFileSync(new URL(`../../../../docs/guides/${page}`, import.meta.url), 'utf8');
  const start = guide.indexOf('\n', guide.indexOf(` ${file}\n`)) + 1;
  return guide.slice(start, guide.indexOf('```', start));
}
