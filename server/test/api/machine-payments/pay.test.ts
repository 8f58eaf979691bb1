import { pino } from 'pino';
import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { walkOf } from '../../support/payments.ts';
import { keysOfReceipt } from '../../support/receipt-keys.ts';
import { verifyReceipt } from '../../../../sdk/src/receipts.ts';
import { machinePaymentsJob } from '../../../src/resources/machine-payments/resolve.ts';
import { rotateSigningKeys } from '../../../src/platform/signing/signing-keys.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import {
  challengeFor,
  challengesIn,
  decode,
  machineClient,
  requestOf,
  requiredIn,
  signMpp,
  signX402,
  x402Header,
} from '../../support/machine-client.ts';

const TEST_DOMAIN = { name: 'USDC', version: '2' };
const payer = privateKeyToAccount(`0x${'42'.repeat(32)}`);
let app: TestApp;
let client: ReturnType<typeof machineClient>;

beforeAll(async () => {
  app = await startApp();
  client = machineClient(app.inject);
});
afterAll(() => app.stop());

describe('the offer to a program', () => {
  test('an unpaid session answers 402 with a challenge of each protocol for the same exact amount', async () => {
    const session = await app.merchant.createSession({ description: 'A "thing"' });
    const answer = await client.ask(session.id);
    expect(answer.status).toBe(402);
    expect(answer.headers).toMatchObject({
      'content-type': 'application/problem+json; charset=utf-8',
      'cache-control': 'no-store',
    });
    expect(answer.body).toMatchObject({
      type: 'https://paymentauth.org/problems/payment-required',
      status: 402,
      checkout_url: session.checkout_url,
    });
    const [signed, sent] = challengesIn(answer);
    expect([signed, sent].map((one) => one && requestOf(one).methodDetails.credentialTypes)).toEqual([
      ['authorization'],
      ['transaction', 'hash'],
    ]);
    const { accepts, resource, x402Version } = requiredIn(answer);
    expect([x402Version, resource.url]).toEqual([2, `${session.checkout_url}/pay`]);
    expect(accepts).toEqual([
      {
        scheme: 'exact',
        network: 'eip155:84532',
        amount: requestOf(signed as never).amount,
        asset: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
        payTo: '0x52908400098527886E0F7030069857D2E4169EE7',
        maxTimeoutSeconds: 120,
        extra: { name: 'USDC', version: '2', session: session.id },
      },
    ]);
    // A customer who opens the page has chosen nothing yet, and gets the same amount when they choose.
    const path = `/v1/public/checkout/sessions/${session.id}`;
    expect((await app.inject('GET', path)).body.data.payment).toBe(null);
    const { data } = (await app.inject('POST', `${path}/pay`, { body: { pay_asset: 'USDC', pay_network: 'base' } }))
      .body;
    expect(data.payment.amount_due.replace('.', '')).toBe(accepts[0].amount);
  });

  test('a page of another origin may ask and pay at the door, without credentials, and nowhere else', async () => {
    const session = await app.merchant.createSession();
    expect(session.machine_url).toBe(`${session.checkout_url}/pay`);
    const link = await app.merchant.createLink();
    const origin = { origin: 'https://agent.example' };
    const path = `/checkout/${session.id}/pay`;
    for (const open of [path, `/pay/${link.id}`]) {
      const preflight = await app.inject('OPTIONS', open, { headers: origin });
      expect([preflight.status, preflight.headers['access-control-allow-origin']]).toEqual([204, '*']);
      expect(preflight.headers['access-control-allow-headers']).toContain('PAYMENT-SIGNATURE');
      expect(preflight.headers['access-control-allow-headers']).toContain('Authorization');
    }
    const asked = [
      await app.inject('GET', path, { headers: origin }),
      await app.inject('POST', path, { headers: { ...origin, authorization: 'Payment malformed' } }),
      await app.inject('POST', `/pay/${link.id}`, { headers: { ...origin, accept: 'application/json' } }),
    ];
    for (const answer of asked) {
      expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([402, '*']);
      expect(answer.headers['access-control-allow-credentials']).toBeUndefined();
      for (const name of ['WWW-Authenticate', 'PAYMENT-REQUIRED', 'PAYMENT-RESPONSE', 'Payment-Receipt'])
        expect(answer.headers['access-control-expose-headers']).toContain(name);
    }
    const html = { ...origin, accept: 'text/html' };
    for (const [method, closed] of [
      ['GET', `/checkout/${session.id}`],
      ['GET', `/pay/${link.id}`],
      ['GET', `/checkout/${session.id}/authorization`],
      ['POST', `/checkout/${session.id}/paymaster`],
    ] as const)
      expect((await app.inject(method, closed, { headers: html })).headers).not.toHaveProperty(
        'access-control-allow-origin',
      );
  });

  test('a session that programs cannot pay names no address for them', async () => {
    const { id } = await app.merchant.createWallet({ asset: 'ETH', network: 'ethereum' });
    expect((await app.merchant.createSession({ payout_wallet_id: id })).machine_url).toBe(null);
  });

  test('asking starts nothing that the merchant sees, and reserves one amount however often', async () => {
    const session = await app.merchant.createSession();
    const amounts = new Set<string>();
    for (let time = 0; time < 5; time += 1) amounts.add(requiredIn(await client.ask(session.id)).accepts[0].amount);
    expect(amounts.size).toBe(1);
    expect(await app.merchant.get(`/checkout/sessions/${session.id}`)).toMatchObject({
      status: 'created',
      payment: null,
    });
  });

  test('browsers, previews and everything that takes anything get the page, and programs that take only JSON do not', async () => {
    const session = await app.merchant.createSession();
    const typeFor = async (accept?: string) => {
      const answer = await app.inject('GET', `/checkout/${session.id}`, { headers: { accept } });
      return `${answer.status} ${String(answer.headers['content-type']).split(';')[0]}`;
    };
    for (const accept of [undefined, '*/*', 'text/html', 'text/html,application/json', 'application/json, */*;q=0.1'])
      expect(await typeFor(accept)).toBe('200 text/html');
    for (const accept of ['application/json', 'application/problem+json, application/json'])
      expect(await typeFor(accept)).toBe('402 application/problem+json');
    const page = await app.inject('GET', `/checkout/${session.id}`);
    expect(page.headers.link).toBe(`<${session.checkout_url}/pay>; rel="payment"`);
  });

  test('a malformed id is answered as a problem', async () => {
    for (const path of [`/checkout/cs_${'0'.repeat(24)}/pay`, '/checkout/none/pay'])
      expect((await app.inject('GET', path)).status).toBe(404);
  });
});

describe('a program pays a test session', () => {
  test('by x402, without money, and gets what was paid with a receipt', async () => {
    const session = await app.merchant.createSession();
    const answer = await client.buy(session.id, payer);
    expect(answer.status).toBe(200);
    expect(answer.body.session).toMatchObject({ id: session.id, status: 'paid' });
    expect(decode(String(answer.headers['payment-response']), 'base64')).toMatchObject({
      success: true,
      network: 'eip155:84532',
      payer: payer.address,
      transaction: answer.body.receipt.reference,
    });
    expect(await walk(session.id)).toEqual(['created', 'pending', 'paid']);
    expect(await rulesOf(session.id)).toEqual(['authorization']);
  });

  test('and gets the signed receipt, in the body and as the x402 extension, with the bytes that everyone gets', async () => {
    const session = await app.merchant.createSession();
    const asked = await client.ask(session.id);
    const [signed] = requiredIn(asked).extensions['offer-receipt'].info.offers;
    const [entry] = requiredIn(asked).accepts;
    const promised = decode(signed.signature.split('.')[1], 'base64url');
    expect(promised).toMatchObject({ version: 1, resourceUrl: `${session.checkout_url}/pay`, amount: entry.amount });
    expect(promised).toMatchObject({ network: entry.network, asset: entry.asset, payTo: entry.payTo, livemode: false });

    const answer = await client.payX402(session.id, await signX402(entry, payer));
    const { jws } = answer.body.receipt;
    const { extensions } = decode(String(answer.headers['payment-response']), 'base64');
    expect(extensions['offer-receipt'].info.receipt).toEqual({ format: 'jws', signature: jws });
    const jwks = await keysOfReceipt(app, jws);
    const claims = await verifyReceipt(jws, { jwks, payee: entry.payTo, allowTestMode: true });
    expect(claims).toMatchObject({ version: 1, session: session.id, resourceUrl: `${session.checkout_url}/pay` });
    expect(claims.transaction).toBe(answer.body.receipt.reference);
    expect((await app.inject('GET', `/checkout/${session.id}/receipt`)).raw).toBe(jws);

    // Also without a credential: anyone who knows the session sees what it received.
    const later = await client.ask(session.id);
    expect([later.status, later.body.receipt.jws]).toEqual([200, jws]);
    expect(later.body.payment).toMatchObject({ id: claims.payment, status: 'paid', tx_hash: claims.transaction });
    expect(later.body.session).toMatchObject({ id: session.id, status: 'paid' });
  });

  test('and gets 200 though no receipt can be signed', async () => {
    const session = await app.merchant.createSession();
    const [entry] = requiredIn(await client.ask(session.id)).accepts;
    await app.ctx.db.query('test_unreadable_key', `update signing_keys set private_key = '\\x00'::bytea`, []);
    const answer = await client.payX402(session.id, await signX402(entry, payer));
    expect([answer.status, answer.body.session.status, answer.body.receipt.jws]).toEqual([200, 'paid', null]);
    await rotateSigningKeys(app.ctx);
    expect((await client.ask(session.id)).body.receipt.jws).toEqual(expect.any(String));
  });

  test('by an authorization of the "Payment" scheme', async () => {
    const session = await app.merchant.createSession();
    const challenge = challengeFor(await client.ask(session.id), 'authorization');
    const payload = await signMpp(challenge, payer, TEST_DOMAIN);
    const answer = await client.payMpp(session.id, challenge, payload);
    expect(answer.status).toBe(200);
    expect(answer.headers['cache-control']).toBe('private');
    expect(decode(String(answer.headers['payment-receipt']), 'base64url')).toEqual({
      status: 'success',
      method: 'evm',
      timestamp: expect.any(String),
      reference: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      challengeId: challenge.id,
    });
    // The same credential gets the same answer and pays once.
    const again = await client.payMpp(session.id, challenge, payload);
    expect([again.status, again.headers['payment-receipt']]).toEqual([200, answer.headers['payment-receipt']]);
    expect(await walk(session.id)).toEqual(['created', 'pending', 'paid']);
  });

  test.each<[string, string, string]>([
    ['base', 'hash', `0x${'11'.repeat(32)}`],
    ['solana', 'signature', `${'1'.repeat(63)}2`],
  ])('on %s by a %s', async (network, type, value) => {
    const wallet = network === 'solana' ? SOLANA_WALLET : {};
    const { id } = await app.merchant.createWallet({ asset: 'USDC', network, ...wallet });
    const session = await app.merchant.createSession({ payout_wallet_id: id });
    const challenge = challengeFor(await client.ask(session.id), type);
    const answer = await client.payMpp(session.id, challenge, { type, [type]: value });
    expect(answer.status).toBe(200);
    expect(await walk(session.id)).toEqual(['created', 'pending', 'paid']);
  });

  test('whose outcome stays unknown, is asked to wait, and is not asked again by its credential', async () => {
    const session = await app.merchant.createSession();
    const challenge = challengeFor(await client.ask(session.id), 'hash');
    const payload = { type: 'hash', hash: `0x${'0'.repeat(63)}2` };
    const prefer = { prefer: 'wait=1' };
    const [first, second] = await Promise.all([1, 2].map(() => client.payMpp(session.id, challenge, payload, prefer)));
    for (const answer of [first, second]) {
      expect(answer?.status).toBe(202);
      expect(answer?.headers['retry-after']).toBe('5');
      expect(answer?.headers['payment-receipt']).toBeUndefined();
      expect(answer?.body.session.status).toBe('pending');
    }
    // A hash proves nothing, so it delays no other credential.
    expect((await client.buy(session.id, payer)).status).toBe(200);
  });

  test('and a refund shows to the program', async () => {
    const session = await app.merchant.createSession();
    await client.buy(session.id, payer);
    const { payment } = await app.merchant.get(`/checkout/sessions/${session.id}`);
    await app.merchant.dashboard.post(`/payments/${payment}/refund`, { amount: '49.00', reason: 'returned' });
    const answer = await client.ask(session.id);
    expect([answer.status, answer.body.type]).toEqual([410, 'https://paymentauth.org/problems/checkout-ended']);
    expect(answer.body.detail).toContain('refunded');
  });

  test('through a payment link, which a POST opens and a GET never does', async () => {
    const link = await app.merchant.createLink();
    const sessions = async () =>
      (await app.ctx.db.query('test_count', `select id from checkout_sessions where payment_link_id = $1`, [link.id]))
        .length;
    const visit = await app.inject('GET', `/pay/${link.id}`, { headers: { accept: 'application/json' } });
    expect([visit.status, visit.headers.allow, await sessions()]).toEqual([405, 'POST', 0]);

    const asked = await app.inject('POST', `/pay/${link.id}`);
    expect([asked.status, await sessions()]).toEqual([402, 1]);
    const payload = await signX402(requiredIn(asked).accepts[0], payer);
    const paid = await app.inject('POST', `/pay/${link.id}`, { headers: { 'payment-signature': x402Header(payload) } });
    expect([paid.status, paid.body.session.status, await sessions()]).toEqual([200, 'paid', 1]);
    // A credential for one link opens no other.
    const other = await app.merchant.createLink();
    const wrong = await app.inject('POST', `/pay/${other.id}`, {
      headers: { 'payment-signature': x402Header(payload) },
    });
    expect(wrong.status).toBe(404);
  });

  test('only by a signature of the payer that it names', async () => {
    const session = await app.merchant.createSession();
    const answer = await client.buy(session.id, payer, { from: '0x8617E340B3D01FA5F11F306F4090FD50E238070D' });
    expect([answer.status, answer.body.type]).toEqual([402, 'https://paymentauth.org/problems/verification-failed']);
    expect(await walk(session.id)).toEqual(['created']);
  });

  test('once: a paid session answers 200 to whatever is presented afterwards', async () => {
    const session = await app.merchant.createSession();
    await client.buy(session.id, payer);
    const other = requiredIn(await client.ask((await app.merchant.createSession()).id)).accepts[0];
    for (const payload of ['malformed', await signX402(other, payer)])
      expect((await client.payX402(session.id, payload)).status).toBe(200);
    expect(await rulesOf(session.id)).toEqual(['authorization']);
  });

  test('that has ended answers 410, and accepts nothing', async () => {
    const session = await app.merchant.createSession();
    const asked = requiredIn(await client.ask(session.id)).accepts[0];
    await app.inject('POST', `/v1/public/checkout/sessions/${session.id}/test`, { body: { action: 'expire' } });
    expect((await client.ask(session.id)).status).toBe(410);
    expect((await client.payX402(session.id, await signX402(asked, payer))).status).toBe(410);
    expect(await walk(session.id)).toEqual(['created', 'expired']);
  });

  test('that has ended answers 202, not 410, while a signed transaction may still pay it', async () => {
    const session = await app.merchant.createSession();
    const challenge = challengeFor(await client.ask(session.id), 'hash');
    const payload = { type: 'hash', hash: `0x${'0'.repeat(63)}2` };
    const pay = async () => (await client.payMpp(session.id, challenge, payload, { prefer: 'wait=1' })).status;
    const ask = async () => (await client.ask(session.id)).status;
    expect(await pay()).toBe(202);
    await app.inject('POST', `/v1/public/checkout/sessions/${session.id}/test`, { body: { action: 'expire' } });
    expect(await walk(session.id)).toEqual(['created', 'pending', 'expired']);
    // Anyone can make up a hash, so only the one who presents it is asked to wait.
    expect([await pay(), await ask()]).toEqual([202, 410]);
    const change = (set: string) =>
      app.ctx.db.query(
        `test_change_${set.length}`,
        `update machine_credentials c set ${set} from payments p where p.id = c.payment_id and p.session_id = $1`,
        [session.id],
      );
    await change(`kind = 'transaction'`);
    expect(await ask()).toBe(202);
    await change(`state = 'void', ended_at = c.created_at, due_at = null, credential = null`);
    expect([await pay(), await ask()]).toEqual([410, 410]);
  });
});

test('no credential is in the log or, once it is used, in the database', async () => {
  const lines: string[] = [];
  const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });
  await using quiet = await startApp({ overrides: { log } });
  const own = machineClient(quiet.inject);
  const session = await quiet.merchant.createSession();
  const asked = await own.ask(session.id);
  const payload = await signX402(requiredIn(asked).accepts[0], payer);
  const challenge = challengeFor(asked, 'authorization');
  const signed = await signMpp(challenge, payer, TEST_DOMAIN);
  await own.payX402(session.id, { ...payload, payload: { ...payload.payload, signature: '0x12' } });
  await own.payMpp(session.id, challenge, { ...signed, value: '1' });
  expect((await own.payX402(session.id, payload)).status).toBe(200);

  const written = lines.join('');
  expect(written).toContain('payment advanced');
  for (const secret of [
    payload.payload.signature,
    signed.signature,
    payload.payload.authorization.nonce,
    x402Header(payload),
  ])
    expect(written).not.toContain(secret);
  await machinePaymentsDue(quiet);
  const rows = await quiet.ctx.db.query<{ state: string; credential: Buffer | null }>(
    'test_kept',
    `select state, credential from machine_credentials`,
    [],
  );
  expect(rows).toEqual([{ state: 'settled', credential: null }]);
});

describe('100 requests at once', () => {
  test('with one credential settle once, and all get the same answer', async () => {
    const session = await app.merchant.createSession();
    const payload = await signX402(requiredIn(await client.ask(session.id)).accepts[0], payer);
    const answers = await Promise.all(Array.from({ length: 100 }, () => client.payX402(session.id, payload)));
    expect(new Set(answers.map((answer) => `${answer.status} ${answer.body.receipt?.reference}`)).size).toBe(1);
    expect(answers[0]?.status).toBe(200);
    expect(await walk(session.id)).toEqual(['created', 'pending', 'paid']);
    expect(await rulesOf(session.id)).toEqual(['authorization']);
  });

  test('with 100 credentials for one session settle one of them', async () => {
    const session = await app.merchant.createSession();
    const [accepted] = requiredIn(await client.ask(session.id)).accepts;
    const payloads = await Promise.all(Array.from({ length: 100 }, () => signX402(accepted, payer)));
    const answers = await Promise.all(payloads.map((payload) => client.payX402(session.id, payload)));
    const statuses = Map.groupBy(answers, (answer) => answer.status);
    expect(statuses.get(200)?.length ?? 0).toBeGreaterThan(0);
    expect([...statuses.keys()].filter((status) => ![200, 409].includes(status))).toEqual([]);
    expect(await rulesOf(session.id)).toEqual(['authorization']);
  });
});

const SOLANA_WALLET = { address: '7vfCXTUXx5WJV5JADk17DUJ4ksgau7utNKj4b963voxs' };

async function machinePaymentsDue({ ctx }: TestApp): Promise<void> {
  await ctx.db.query('test_due', `update machine_credentials set due_at = created_at`, []);
  await machinePaymentsJob().run(ctx, new AbortController().signal, () => {});
}

function walk(sessionId: string): Promise<string[]> {
  return walkOf(app.ctx.db, sessionId);
}

async function rulesOf(sessionId: string): Promise<string[]> {
  const rows = await app.ctx.db.query<{ attributedBy: string }>(
    'test_rules_of',
    `select t.attributed_by from transfers t join payments p on p.id = t.payment_id where p.session_id = $1`,
    [sessionId],
  );
  return rows.map((row) => row.attributedBy);
}
