import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { registerOwner } from '../../../src/settlement/records/address-owner-store.ts';
import { type AmountPlace, tryReserveAmount } from '../../../src/settlement/records/reserved-amount-store.ts';
import { type Merchant, startApp, type TestApp } from '../../support/index.ts';

const CUSTOMER = privateKeyToAccount(`0x${'59'.repeat(32)}`);
const SOLANA_WALLET = 'GmaDrppBC7P5ARKV8g3djiwP89vz1jLK23V2GBjuAEGB';
const CLIENT = '203.0.113.7';
const OTHER_CLIENT = '203.0.113.8';
const MINUTE_S = 60;

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

describe('after its payment has ended, an exact amount stays reserved', () => {
  test('for 30 minutes where nothing shows that a customer sent money', async () => {
    const { merchant, session } = await chosen();
    await merchant.post('/test_helpers/clock/advance', { seconds: 60 });
    expect(await quarantineMinutes(app, session.id)).toEqual([30]);
  });

  test('for 48 hours where a customer pointed at a transaction', async () => {
    const { merchant, session } = await chosen();
    await hint(session.id);
    await merchant.post('/test_helpers/clock/advance', { seconds: 60 });
    expect(await quarantineMinutes(app, session.id)).toEqual([48 * 60]);
  });

  test('for 48 hours where a customer pointed at a transaction after the end', async () => {
    const { merchant, session } = await chosen();
    await merchant.post('/test_helpers/clock/advance', { seconds: 60 });
    await hint(session.id);
    expect(await quarantineMinutes(app, session.id)).toEqual([48 * 60]);
  });

  test('for 48 hours where a wallet was connected', async () => {
    const { merchant, session } = await chosen({ sender: CUSTOMER.address });
    await merchant.post('/test_helpers/clock/advance', { seconds: 60 });
    expect(await quarantineMinutes(app, session.id)).toEqual([48 * 60]);
  });

  test('for 48 hours where money came', async () => {
    const merchant = await app.newMerchant();
    const session = await merchant.createSession();
    await merchant.post(`/test_helpers/checkout/sessions/${session.id}/pay`, { ...USDC, outcome: 'paid' });
    expect(await quarantineMinutes(app, session.id)).toEqual([48 * 60]);
  });
});

test('an amount of an open payment whose price no longer holds is free half an hour after a newer one replaced it', async () => {
  const merchant = await app.newMerchant();
  const wallet = await merchant.createWallet({ asset: 'ETH', network: 'ethereum' });
  const session = await merchant.createSession({ payout_wallet_id: wallet.id });
  const ether = { pay_asset: 'ETH', pay_network: 'ethereum' };
  await choose(app, session.id, {}, ether);
  await merchant.post('/test_helpers/clock/advance', { seconds: 16 * MINUTE_S });
  await choose(app, session.id, {}, ether);

  const rows = await app.ctx.db.query<{ minutes: number | null }>(
    'test_replaced',
    `
    select (extract(epoch from r.reserved_until - t.locked_until) / 60)::integer as minutes
      from reserved_amounts r join payment_targets t on t.payment_id = r.payment_id and t.amount_units = r.amount_units
      join checkout_sessions s on s.payment_id = r.payment_id
     where s.id = $1 order by t.created_at`,
    [session.id],
  );
  expect(rows.map(({ minutes }) => minutes)).toEqual([30, null]);
});

test('an amount that an open payment has is not reserved for another one', async () => {
  const { merchant, session } = await chosen();
  const other = await merchant.createSession();
  const rows = await app.ctx.db.query<AmountPlace & { amountUnits: bigint; otherId: string }>(
    'test_held',
    `
    select r.livemode, r.network, r.address, r.asset, r.amount_units as "amountUnits", other.payment_id as "otherId"
      from reserved_amounts r join checkout_sessions s on s.payment_id = r.payment_id, checkout_sessions other
     where s.id = $1 and other.id = $2`,
    [session.id, other.id],
  );
  const [held] = rows;
  if (!held) throw new Error('the payment holds no amount');
  const now = await app.ctx.db.now();
  const reserve = () =>
    tryReserveAmount(
      app.ctx.db,
      { place: held, amountUnits: held.amountUnits },
      { paymentId: held.otherId, purpose: 'target' },
      now,
    );
  expect(await reserve()).toBe(false);
});

describe('a client address', () => {
  test('that holds as many exact amounts as it may gets the time of the next free one and what to do, and leaves nothing behind', async () => {
    await using small = await startApp({ env: { RESERVED_AMOUNTS_PER_CLIENT: '2' } });
    const [one, two, three] = await sessions(small, 3);
    for (const session of [one, two]) expect((await choose(small, session.id, { from: CLIENT })).status).toBe(200);
    const before = await rowsOf(small, three.id);

    const refused = await choose(small, three.id, { from: CLIENT });

    expect([refused.status, refused.body.error.code, refused.body.error.param]).toEqual([
      429,
      'rate_limited',
      'pay_asset',
    ]);
    const freeAt = new Date(/free at (\S+)\. Connect a wallet/.exec(refused.body.error.message)?.[1] ?? '');
    expect(freeAt.getTime()).toBe(new Date(one.expires_at).getTime() + 30 * MINUTE_S * 1000);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(89 * MINUTE_S);
    expect(await rowsOf(small, three.id)).toEqual(before);
    expect((await choose(small, three.id, { from: OTHER_CLIENT })).status).toBe(200);
  });

  test('pays by a connected wallet beyond it, by an amount that is never reserved', async () => {
    await using small = await startApp({ env: { RESERVED_AMOUNTS_PER_CLIENT: '1' } });
    const [one, two] = await sessions(small, 2, { amount: '100.00', currency: 'AED' });
    await choose(small, one.id, { from: CLIENT });

    const { body } = await choose(small, two.id, { from: CLIENT }, { ...USDC, sender: CUSTOMER.address });

    // 100.00 dirhams are 27.229408 dollars.
    expect(body.data.payment).toMatchObject({
      amount: '27.229500',
      identified_by: 'reference',
      tag: expect.stringMatching(/^0x/),
    });
    expect((await choose(small, two.id, { from: CLIENT })).status).toBe(429);
  });

  test('has its amounts free again half an hour after its checkouts have ended', async () => {
    await using small = await startApp({ env: { RESERVED_AMOUNTS_PER_CLIENT: '1' } });
    const session = await small.merchant.createSession({ expires_in: 60 });
    await choose(small, session.id, { from: CLIENT });
    await small.merchant.post('/test_helpers/clock/advance', { seconds: 60 });
    await small.merchant.post('/test_helpers/clock/advance', { seconds: 29 * MINUTE_S });
    const next = await small.merchant.createSession();
    expect((await choose(small, next.id, { from: CLIENT })).status).toBe(429);
    await small.merchant.post('/test_helpers/clock/advance', { seconds: 2 * MINUTE_S });
    expect((await choose(small, next.id, { from: CLIENT })).status).toBe(200);
  });

  test('is not limited by checkouts that were paid', async () => {
    await using small = await startApp({ env: { RESERVED_AMOUNTS_PER_CLIENT: '1' } });
    const [one, two] = await sessions(small, 2);
    await choose(small, one.id, { from: CLIENT });
    await small.merchant.post(`/test_helpers/checkout/sessions/${one.id}/pay`, { ...USDC, outcome: 'paid' });
    expect((await choose(small, two.id, { from: CLIENT })).status).toBe(200);
  });

  test('is held to its limit by requests at once', async () => {
    await using small = await startApp({ env: { RESERVED_AMOUNTS_PER_CLIENT: '3' } });
    const many = await sessions(small, 10);
    const statuses = await Promise.all(
      many.map(async (session) => (await choose(small, session.id, { from: CLIENT })).status),
    );
    expect(statuses.filter((status) => status === 200)).toHaveLength(3);
    expect(statuses.filter((status) => status === 429)).toHaveLength(7);
  });

  test('uses its limit up by conversions as well', async () => {
    await using small = await startApp({ env: { RESERVED_AMOUNTS_PER_CLIENT: '1' } });
    const [one, two] = await sessions(small, 2);
    await choose(small, one.id, { from: CLIENT });
    const bitcoin = {
      pay_asset: 'BTC',
      pay_network: 'bitcoin',
      refund_address: 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq',
    };
    const refused = await choose(small, two.id, { from: CLIENT }, bitcoin);
    expect([refused.status, refused.body.error.param]).toEqual([429, 'pay_asset']);
  });

  test('is stored as a keyed hash only', async () => {
    const merchant = await app.newMerchant();
    const session = await merchant.createSession();
    await choose(app, session.id, { from: CLIENT });
    const [row] = await app.ctx.db.query<{ client: Buffer }>(
      'test_client',
      'select r.client from reserved_amounts r join checkout_sessions s on s.payment_id = r.payment_id where s.id = $1',
      [session.id],
    );
    expect(row?.client).toHaveLength(16);
    expect(row?.client.toString()).not.toContain('203');
  });
});

test('a payment link that holds as many exact amounts as it may leaves the other checkouts of its price alone', async () => {
  await using small = await startApp({ env: { RESERVED_AMOUNTS_PER_LINK: '2' } });
  const link = await small.merchant.createLink();
  const open = async () => (await small.inject('POST', `/v1/public/payment-links/${link.id}/open`)).body.data;
  for (const session of [await open(), await open()]) expect((await choose(small, session.id)).status).toBe(200);

  const refused = await choose(small, (await open()).id);
  expect([refused.status, refused.body.error.param]).toEqual([429, 'pay_asset']);
  expect(refused.body.error.message).toContain('This payment link has 2 exact amounts reserved');
  const [other] = await sessions(small, 1);
  expect((await choose(small, other.id)).status).toBe(200);
});

test('an account that has not proved the address holds a few exact amounts, and one that has is not limited', async () => {
  await using small = await startApp({ env: { RESERVED_AMOUNTS_PER_UNPROVED_ACCOUNT: '1' } });
  const { live } = small.merchant;
  const [one, two] = [await live.createSession(), await live.createSession()];
  expect((await choose(small, one.id)).status).toBe(200);
  const refused = await choose(small, two.id);
  expect([refused.status, refused.body.error.param]).toEqual([429, 'pay_asset']);
  expect(refused.body.error.message).toContain('not proved');

  await registerOwner(small.ctx.db, {
    livemode: true,
    network: 'base',
    address: (await live.get('/payout-wallets')).data[0].address,
    accountId: live.accountId,
    method: 'signature',
    at: await small.ctx.db.now(),
  });
  expect((await choose(small, two.id)).status).toBe(200);
});

describe('the fuller the budget, the fewer exact amounts one client address holds', () => {
  test.each([
    ['of a payment link', { RESERVED_AMOUNTS_PER_LINK: '4' }, 'this payment link'],
    ['of an account that has not proved the wallet', { RESERVED_AMOUNTS_PER_UNPROVED_ACCOUNT: '4' }, 'this merchant'],
  ])('%s, so that strangers leave some for customers', async (_whose, env, named) => {
    await using small = await startApp({ env: { RESERVED_AMOUNTS_PER_CLIENT: '4', ...env } });
    const link = await small.merchant.live.createLink();
    const open = async () => (await small.inject('POST', `/v1/public/payment-links/${link.id}/open`)).body.data;
    const chooseNew = async (from: string) => choose(small, (await open()).id, { from });

    const stranger = [await chooseNew(CLIENT), await chooseNew(CLIENT), await chooseNew(CLIENT)];
    expect(stranger.map(({ status }) => status)).toEqual([200, 200, 429]);
    expect(stranger[2]?.body.error.message).toContain(
      `This client address has 2 exact amounts of ${named} reserved for checkouts that no one has paid, ` +
        'which is the limit while 2 of 4 are in use.',
    );
    const second = [await chooseNew(OTHER_CLIENT), await chooseNew(OTHER_CLIENT)];
    expect(second.map(({ status }) => status)).toEqual([200, 429]);
    expect((await chooseNew('203.0.113.9')).status).toBe(200);
    expect((await chooseNew('203.0.113.10')).status).toBe(429);
  });

  test('and what they hold elsewhere does not count', async () => {
    await using small = await startApp({
      env: { RESERVED_AMOUNTS_PER_CLIENT: '4', RESERVED_AMOUNTS_PER_LINK: '4' },
    });
    for (const { id } of await sessions(small, 3)) expect((await choose(small, id, { from: CLIENT })).status).toBe(200);
    const link = await small.merchant.createLink();
    const { body } = await small.inject('POST', `/v1/public/payment-links/${link.id}/open`);
    expect((await choose(small, body.data.id, { from: CLIENT })).status).toBe(200);
  });
});

describe('if every exact amount of a price is in use at a wallet', () => {
  test('the customer gets a message, and pays by a connected wallet', async () => {
    const merchant = await app.newMerchant();
    const [first, session] = [
      await merchant.createSession({ amount: '0.01' }),
      await merchant.createSession({ amount: '0.01' }),
    ];
    await choose(app, first.id);
    await app.ctx.db.query(
      'test_use_all_up',
      `
      insert into reserved_amounts (livemode, network, address, asset, amount_units, payment_id, purpose, taken_at)
      select r.livemode, r.network, r.address, r.asset, units, r.payment_id, 'target', r.taken_at
        from reserved_amounts r join checkout_sessions s on s.payment_id = r.payment_id, generate_series(10001, 60000) units
       where s.id = $1 on conflict do nothing`,
      [first.id],
    );

    const refused = await choose(app, session.id);
    expect([refused.status, refused.body.error.param, Number(refused.headers['retry-after'])]).toEqual([
      429,
      'pay_asset',
      60,
    ]);
    expect(refused.body.error.message).toMatch(/^All exact amounts of this price are in use at this wallet\. Connect/);
    const connected = await choose(app, session.id, {}, { ...USDC, sender: CUSTOMER.address });
    expect(connected.body.data.payment.amount).toBe('0.010000');
  });
});

describe('on Solana, where the reference travels with the transaction', () => {
  const solana = { pay_asset: 'USDC', pay_network: 'solana' };

  test('a connected wallet is asked for an amount without a suffix, and none is reserved', async () => {
    const { session } = await solanaSession(app, await app.newMerchant());
    const { body } = await choose(app, session.id, {}, { ...solana, sender: SOLANA_WALLET });
    expect(body.data.payment).toMatchObject({
      amount: '49.000000',
      identified_by: 'reference',
      uri: expect.stringContaining(`reference=${session.reference}`),
    });
    expect(await quarantineMinutes(app, session.id)).toEqual([]);
  });

  test('a customer without a wallet has an exact amount too, and pays by the reference if none is left', async () => {
    await using small = await startApp({ env: { RESERVED_AMOUNTS_PER_CLIENT: '1' } });
    const { session: one, next } = await solanaSession(small, small.merchant);
    const amounts = [];
    for (const { id } of [one, await next()])
      amounts.push((await choose(small, id, { from: CLIENT }, solana)).body.data.payment.amount);
    expect(amounts).toEqual([expect.stringMatching(/^49\.00\d{4}$/), '49.000000']);
    expect(amounts[0]).not.toBe('49.000000');
  });
});

const USDC = { pay_asset: 'USDC', pay_network: 'base' };

/** A session that ends in a minute, for which the customer has chosen an asset. */
async function chosen(more: Record<string, unknown> = {}) {
  const merchant = await app.newMerchant();
  const session = await merchant.createSession({ expires_in: 60 });
  expect((await choose(app, session.id, {}, { ...USDC, ...more })).status).toBe(200);
  return { merchant, session };
}

function choose(
  of: TestApp,
  sessionId: string,
  { from }: { from?: string } = {},
  body: Record<string, unknown> = USDC,
) {
  return of.inject('POST', `/v1/public/checkout/sessions/${sessionId}/pay`, { body, ...(from && { from }) });
}

async function hint(sessionId: string): Promise<void> {
  const body = { tx_hash: `0x${'ab'.repeat(32)}` };
  const { status } = await app.inject('POST', `/v1/public/checkout/sessions/${sessionId}/transactions`, { body });
  expect(status).toBe(202);
}

async function sessions(of: TestApp, count: number, fields: Record<string, unknown> = {}): Promise<any[]> {
  const made = [];
  for (let one = 0; one < count; one += 1) made.push(await of.merchant.createSession(fields));
  return made;
}

async function solanaSession(_of: TestApp, merchant: Merchant) {
  const wallet = await merchant.createWallet({ asset: 'USDC', network: 'solana', address: SOLANA_WALLET });
  const next = () => merchant.createSession({ payout_wallet_id: wallet.id });
  return { session: await next(), next };
}

/** How long the session's amounts stay reserved after its payment ended. */
async function quarantineMinutes(of: TestApp, sessionId: string): Promise<number[]> {
  const rows = await of.ctx.db.query<{ minutes: number }>(
    'test_quarantine',
    `
    select (extract(epoch from (r.reserved_until - p.ended_at)) / 60)::integer as minutes
      from reserved_amounts r join payments p on p.id = r.payment_id where p.session_id = $1`,
    [sessionId],
  );
  return rows.map(({ minutes }) => minutes);
}

/** The rows that a session has left in the database. */
async function rowsOf(of: TestApp, sessionId: string) {
  return of.ctx.db.query(
    'test_rows',
    `
    select p.status, p.sequence, p.started_at,
           (select count(*) from payment_targets t where t.payment_id = p.id) as targets,
           (select count(*) from reserved_amounts r where r.payment_id = p.id) as amounts,
           (select count(*) from events e where e.object_id = p.id) as events
      from payments p where p.session_id = $1`,
    [sessionId],
  );
}
