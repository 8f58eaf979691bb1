import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TemporaryError } from '../../../src/platform/errors.ts';
import { type Merchant, startApp, type TestApp } from '../../support/index.ts';
import { ScriptedRouter } from './scripted-router.ts';

const WALLET = '0x52908400098527886E0F7030069857D2E4169EE7';

const [first, second, sandbox] = ['first', 'second', 'sandbox'].map((name) => new ScriptedRouter(name)) as [
  ScriptedRouter,
  ScriptedRouter,
  ScriptedRouter,
];
let app: TestApp;
let merchant: Merchant;

beforeAll(async () => {
  app = await startApp({ overrides: { routers: [first, second], sandboxRouter: sandbox }, movableClock: true });
  merchant = app.merchant;
});
afterAll(() => app.stop());

describe('in live mode', () => {
  let query: Record<string, string>;
  beforeAll(async () => {
    query = {
      pay_asset: 'ETH',
      pay_network: 'base',
      payout_wallet_id: (await merchant.live.createWallet()).id,
      amount: '100',
    };
  });
  // Each with another amount, so that none is answered from the cache.
  let cents = 10_000n;
  const ask = (on: TestApp = app, by: Merchant = merchant.live) =>
    on.inject('GET', '/v1/routes/quote', { query: { ...query, amount: inCents(cents++) }, token: by.token });

  test('the first provider that has the pair is taken', async () => {
    expect((await ask()).body.data).toMatchObject({
      provider: 'first',
      livemode: true,
      expected_output: '98.500000 USDC',
      expires_in: 90,
    });
    for (const answer of ['refused', 'down', 'missing', 'lying'] as const) {
      first.answer = answer;
      expect((await ask()).body.data.provider).toBe('second');
    }
    first.answer = 'one to one';
  });

  test('a price up to 5 % above the market is usual, up to 15 % it carries a warning, and above that the next provider is asked', async () => {
    for (const [premium, provider, warning] of [
      [1.049, 'first', null],
      [1.052, 'first', 5.2],
      [1.149, 'first', 14.9],
      [1.151, 'second', null],
      [20, 'second', null],
    ] as const) {
      first.premium = premium;
      expect((await ask()).body.data).toMatchObject({ provider, price_warning_pct: warning });
    }
    first.premium = second.premium = 1.2;
    expect((await ask()).body.error).toMatchObject({
      code: 'invalid_route',
      param: 'pay_asset',
      message: expect.stringContaining('at a fair price'),
    });
    first.premium = second.premium = 1;
  });

  test('in the development profile the fixed table answers where no provider does, and says so', async () => {
    first.answer = second.answer = 'down';
    cents = 20_000n;
    expect((await ask()).body.data).toMatchObject({
      type: 'routed',
      provider: 'indicative',
      pay_amount: '0.080000000000000000',
      fee_pct: 1.5,
      service_fee: '3.00',
      expected_output: '197.000000 USDC',
    });
    first.answer = second.answer = 'one to one';
  });

  test('a provider is asked once in 20 seconds for the same, however many ask at once; each is given a quote of its own that holds 90 s', async () => {
    const same = () =>
      app.inject('GET', '/v1/routes/quote', { query: { ...query, amount: '77.77' }, token: merchant.live.token });
    const before = first.asked.length;
    const together = await Promise.all([same(), same(), same(), same()]);
    const answers = together.map(({ body }) => body.data);
    await app.pass(19);
    answers.push((await same()).body.data);
    expect(first.asked.length - before).toBe(1);
    expect(new Set(answers.map(({ id }) => id)).size).toBe(5);
    for (const answer of answers) expect([answer.pay_amount, answer.expires_in]).toEqual([answers[0].pay_amount, 90]);
    const kept = await app.ctx.db.query<{ id: string }>(
      'test_quotes_kept',
      'select id from quotes where id = any($1) and account_id = $2',
      [answers.map(({ id }) => id), merchant.accountId],
    );
    expect(kept).toHaveLength(5);

    await app.pass(1);
    await same();
    expect(first.asked.length - before).toBe(2);
  });

  test("a preview for one merchant's wallet is never returned to another, and another pair, amount or wallet is requested again", async () => {
    const stranger = await app.newMerchant();
    const theirs = (await stranger.live.createWallet({ address: '0x8617E340B3D01FA5F11F306F4090FD50E238070D' })).id;
    const asked = first.asked.length;
    const mine = await app.inject('GET', '/v1/routes/quote', {
      query: { ...query, amount: '55.55' },
      token: merchant.live.token,
    });
    const others = await app.inject('GET', '/v1/routes/quote', {
      query: { ...query, amount: '55.55', payout_wallet_id: theirs },
      token: stranger.live.token,
    });
    expect(mine.body.data.id).not.toBe(others.body.data.id);
    expect(first.asked.slice(asked).map(({ recipient }) => recipient)).toEqual([
      WALLET,
      '0x8617E340B3D01FA5F11F306F4090FD50E238070D',
    ]);
    await app.inject('GET', '/v1/routes/quote', { query: { ...query, amount: '55.56' }, token: merchant.live.token });
    await app.inject('GET', '/v1/routes/quote', {
      query: { ...query, amount: '55.55', pay_network: 'arbitrum' },
      token: merchant.live.token,
    });
    expect(first.asked).toHaveLength(asked + 4);
  });

  test('a refusal and an outage are not kept', async () => {
    const same = () =>
      app.inject('GET', '/v1/routes/quote', { query: { ...query, amount: '33.33' }, token: merchant.live.token });
    for (const answer of ['refused', 'down', 'lying'] as const) {
      first.answer = answer;
      expect((await same()).body.data.provider).toBe('second');
    }
    first.answer = 'one to one';
    expect((await same()).body.data.provider).toBe('first');
  });

  test('in production 503 with Retry-After is the answer where no provider or price source answers', async () => {
    const rate = app.ctx.prices.rate.bind(app.ctx.prices);
    for (const overrides of [
      { routers: [] },
      { routers: [Object.assign(new ScriptedRouter('down'), { answer: 'down' as const })] },
      {
        routers: [first],
        prices: { ...app.ctx.prices, rate: () => Promise.reject(new TemporaryError('no source')), fixedRate: rate },
      },
    ]) {
      const production = await startApp({
        env: { PROFILE: 'production', PUBLIC_URL: 'https://pay.example.com', MASTER_KEY: '00'.repeat(32) },
        overrides: { sandboxRouter: sandbox, ...overrides } as never,
      });
      try {
        query.payout_wallet_id = (await production.merchant.live.createWallet()).id;
        const answer = await ask(production, production.merchant.live);
        expect([answer.status, answer.body.error.code]).toEqual([503, 'service_unavailable']);
        expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
      } finally {
        await production.stop();
      }
    }
  }, 60_000);
});

function inCents(cents: bigint): string {
  return `${cents / 100n}.${(cents % 100n).toString().padStart(2, '0')}`;
}

describe('before a customer says where a refund goes', () => {
  const price = async (id: string, query: Record<string, string>, from = '203.0.113.5') =>
    (await app.inject('GET', `/checkout/${id}/price`, { query, from })).body.price;
  const ETH = { asset: 'ETH', network: 'base' };

  test('the page says what their coin costs with its conversion, and orders nothing', async () => {
    first.premium = 1.02;
    const { id } = await merchant.live.createSession({ amount: '1000.00' });
    const asked = first.asked.length;
    // 985 arrive without the service fee.
    const [, shown] =
      /≈ ([\d.]+) ETH/.exec((await app.inject('GET', `/checkout/${id}?asset=ETH&network=base`)).raw) ?? [];
    expect(await price(id, ETH)).toMatch(/^0\.40188/);
    expect(shown).toBe('0.4019');
    expect(first.asked.slice(asked)).toHaveLength(1);
    expect((await app.inject('GET', `/v1/public/checkout/sessions/${id}`)).body.data.payment).toBeNull();
    first.premium = 1;
  });

  test('nothing is said of a coin that is not converted, not accepted or unknown, or while no provider answers', async () => {
    const { id } = await merchant.live.createSession({ amount: '1001.00', accepted_assets: ['USDC_BASE', 'ETH_BASE'] });
    for (const query of [
      { asset: 'USDC', network: 'base' },
      { asset: 'BTC', network: 'bitcoin' },
      { asset: 'X', network: 'base' },
      {} as Record<string, string>,
    ])
      expect(await price(id, query)).toBeNull();
    [first.answer, second.answer] = ['down', 'lying'];
    expect(await price(id, ETH)).toBeNull();
    expect((await app.inject('GET', `/checkout/${id}?asset=ETH&network=base`)).raw).toContain('≈ 0.4004 ETH');
    [first.answer, second.answer] = ['one to one', 'one to one'];
    expect(await price(id, ETH)).toMatch(/^0\.394/);
  });

  test('providers are asked for a client twenty times an hour at most', async () => {
    const ids = [];
    for (let at = 0; at < 25; at++)
      ids.push((await merchant.live.createSession({ amount: `${1002 + at}.00` })).id as string);
    const answers = [];
    for (const id of ids) answers.push(await price(id, ETH, '203.0.113.6'));
    const known = answers.filter((one) => one !== null).length;
    expect(known).toBeGreaterThan(16);
    expect(known).toBeLessThanOrEqual(20);
    expect(answers.at(-1)).toBeNull();
    // What is known already costs nothing.
    for (let again = 0; again < 25; again++) expect(await price(ids[0] as string, ETH, '203.0.113.6')).toBe(answers[0]);
    expect(await price(ids.at(-1) as string, ETH, '203.0.113.7')).not.toBeNull();
  });
});
