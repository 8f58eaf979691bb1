import { PAY_ASSETS, RECEIVE_ASSETS, type Asset } from '@quittance/contract';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseUnits } from '../../../src/platform/money.ts';
import { type Merchant, startApp, type TestApp } from '../../support/index.ts';
import { ScriptedRouter } from './scripted-router.ts';

const ADDRESSES = {
  evm: '0x52908400098527886E0F7030069857D2E4169EE7',
  solana: '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM',
};

const sandbox = new ScriptedRouter('sandbox');
let app: TestApp;
let merchant: Merchant;
const wallets = new Map<string, string>();

beforeAll(async () => {
  app = await startApp({ overrides: { routers: [], sandboxRouter: sandbox } });
  merchant = app.merchant;
  for (const entry of RECEIVE_ASSETS) wallets.set(entry.key, (await merchant.createWallet(walletOf(entry))).id);
});
afterAll(() => app.stop());

describe('GET /v1/routes/quote answers 200', () => {
  test('with the whole quote of a direct payment: no fee, the amount itself', async () => {
    const answer = await quote({
      pay_asset: 'usdc',
      pay_network: 'BASE',
      payout_wallet_id: wallets.get('USDC_BASE'),
      amount: '48.26',
    });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      data: {
        id: expect.stringMatching(/^qt_[0-9A-Za-z]{24}$/),
        livemode: false,
        type: 'direct',
        provider: 'direct',
        pay_asset: 'USDC',
        pay_network: 'base',
        pay_amount: '48.260000',
        fee_pct: 0,
        service_fee: '0.00',
        expected_output: '48.260000 USDC',
        price_warning_pct: null,
        expires_in: 90,
        expires_at: expect.stringMatching(/Z$/),
      },
      request_id: answer.headers['request-id'],
    });
    expect(Math.abs(Date.parse(answer.body.data.expires_at) - Date.now() - 90_000)).toBeLessThan(5_000);
  });

  test('with the whole quote of a routed payment: 1.5 %, and the net converted', async () => {
    const { body } = await quote({
      pay_asset: 'USDT',
      pay_network: 'tron',
      payout_wallet_id: wallets.get('USDC_SOLANA'),
      amount: '49',
    });
    expect(body.data).toMatchObject({
      type: 'routed',
      provider: 'sandbox',
      pay_asset: 'USDT',
      pay_network: 'tron',
      pay_amount: '48.260001',
      fee_pct: 1.5,
      service_fee: '0.74',
      expected_output: '48.260000 USDC',
      expires_in: expect.any(Number),
    });
    expect(sandbox.asked.at(-1)).toMatchObject({
      outputUnits: 48_260_000n,
      recipient: ADDRESSES.solana,
      pay: { key: 'USDT_TRON' },
      receive: { key: 'USDC_SOLANA' },
    });
    expect(body.data.expires_in).toBe(90);
  });

  test('holding no longer than the provider offers', async () => {
    sandbox.offerMs = 25_000;
    const { body } = await quote({
      pay_asset: 'USDT',
      pay_network: 'tron',
      payout_wallet_id: wallets.get('USDC_SOLANA'),
      amount: '51',
    });
    expect(body.data.expires_in).toBeGreaterThan(35);
    expect(body.data.expires_in).toBeLessThanOrEqual(45);
    sandbox.offerMs = 120_000;
  });

  test('about a session: its amount, currency and payout asset', async () => {
    const session = await merchant.createSession({
      payout_wallet_id: wallets.get('USDC_BASE'),
      amount: '36.73',
      currency: 'AED',
    });
    const direct = await quote({
      session: session.id,
      pay_asset: 'USDC',
      pay_network: 'base',
      amount: '1.00',
      payout_wallet_id: 'ignored',
    });
    expect(direct.body.data).toMatchObject({
      type: 'direct',
      expected_output: expect.stringMatching(/^10\.00\d{4} USDC$/),
    });
    const routed = await quote({ session: session.id, pay_asset: 'ETH', pay_network: 'arbitrum' });
    expect(routed.body.data).toMatchObject({ type: 'routed', fee_pct: 1.5, service_fee: '0.55' });
  });

  test('in dollars unless another currency is named', async () => {
    const query = { pay_asset: 'USDC', pay_network: 'base', payout_wallet_id: wallets.get('USDC_BASE'), amount: '10' };
    expect((await quote(query)).body.data.pay_amount).toBe('10.000000');
    expect((await quote({ ...query, currency: 'EUR' })).body.data.pay_amount).toBe('10.800000');
  });

  test('and keeps it', async () => {
    const { data } = (
      await quote({ pay_asset: 'USDC', pay_network: 'base', payout_wallet_id: wallets.get('USDC_BASE'), amount: '10' })
    ).body;
    expect(
      await app.ctx.db.query('test_quote', 'select body from quotes where id = $1 and account_id = $2', [
        data.id,
        merchant.accountId,
      ]),
    ).toEqual([{ body: data }]);
  });

  const pairs = RECEIVE_ASSETS.flatMap((receive) => PAY_ASSETS.map((pay) => ({ pay, receive })));
  const isDirect = (pay: Asset, receive: Asset) => pay.key === receive.key;

  test('for each of the 136 pairs by wallet and amount: 8 direct at 0, 128 routed at 1.5, right to the cent and the unit', async () => {
    const answers = [];
    for (const { pay, receive } of pairs)
      answers.push(
        await checkPair(pay, receive, 4_900n, { payout_wallet_id: wallets.get(receive.key), amount: '49.00' }),
      );
    expect([
      answers.length,
      answers.filter((type) => type === 'direct').length,
      answers.filter((type) => type === 'routed').length,
    ]).toEqual([136, 8, 128]);
  }, 60_000);

  test('for each of the 136 pairs by session: 8 direct at 0, 128 routed at 1.5, right to the cent and the unit', async () => {
    const answers = [];
    for (const receive of RECEIVE_ASSETS) {
      const session = await merchant.createSession({ payout_wallet_id: wallets.get(receive.key), amount: '123.45' });
      for (const pay of PAY_ASSETS) answers.push(await checkPair(pay, receive, 12_345n, { session: session.id }));
    }
    expect([
      answers.length,
      answers.filter((type) => type === 'direct').length,
      answers.filter((type) => type === 'routed').length,
    ]).toEqual([136, 8, 128]);
  }, 60_000);

  test('for any pair and any amount, right to the cent and the unit', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...pairs),
        fc.bigInt({ min: 1n, max: 99_999_999_999n }),
        ({ pay, receive }, cents) =>
          checkPair(pay, receive, cents, { payout_wallet_id: wallets.get(receive.key), amount: inCents(cents) }).then(
            () => undefined,
          ),
      ),
      { numRuns: 200 },
    );
  }, 60_000);

  // In whole dollars, from the fixed table.
  const DOLLARS: Record<string, bigint> = { USDC: 1n, USDT: 1n, ETH: 2_500n, SOL: 150n };

  async function checkPair(
    pay: Asset,
    receive: Asset,
    cents: bigint,
    about: Record<string, string | undefined>,
  ): Promise<string> {
    const { status, body } = await quote({ pay_asset: pay.asset, pay_network: pay.network, ...about });
    expect(status).toBe(200);
    const { data } = body;
    const feeCents = isDirect(pay, receive) ? 0n : (cents * 15n + 500n) / 1_000n;
    expect([data.type, data.fee_pct]).toEqual(isDirect(pay, receive) ? ['direct', 0] : ['routed', 1.5]);
    expect([data.pay_asset, data.pay_network, parseUnits(data.service_fee, 2), data.expires_in]).toEqual([
      pay.asset,
      pay.network,
      feeCents,
      90,
    ]);
    const [output, symbol] = data.expected_output.split(' ');
    expect([symbol, decimals(output), decimals(data.pay_amount)]).toEqual([
      receive.asset,
      receive.decimals,
      pay.decimals,
    ]);
    expect(parseUnits(data.pay_amount, pay.decimals) > 0n).toBe(true);
    // A route promises no more than the net is worth; a direct payment asks for no less than the amount.
    const dividend = (cents - feeCents) * 10n ** BigInt(receive.decimals);
    const divisor = 100n * (DOLLARS[receive.asset] as bigint);
    expect(parseUnits(output, receive.decimals)).toBe(
      isDirect(pay, receive) ? (dividend + divisor - 1n) / divisor : dividend / divisor,
    );
    return data.type;
  }
});

describe('GET /v1/routes/quote answers 400 invalid_route', () => {
  test.each([
    ['pay_network', { pay_network: 'dogecoin' }],
    ['pay_network', { pay_network: '' }],
    ['pay_network', { pay_network: undefined }],
    ['pay_network', { pay_network: 'Base ' }],
    ['pay_asset', { pay_asset: 'USDC', pay_network: 'tron' }],
    ['pay_asset', { pay_asset: 'DOGE' }],
    ['pay_asset', { pay_asset: '' }],
    ['pay_asset', { pay_asset: undefined }],
    ['pay_asset', { pay_asset: 'USDC\u0000' }],
    ['pay_asset', { pay_asset: 'x'.repeat(21) }],
    ['payout_wallet_id', { payout_wallet_id: undefined }],
    ['payout_wallet_id', { payout_wallet_id: 'pp_x' }],
    ['payout_wallet_id', { payout_wallet_id: '' }],
    ['payout_wallet_id', { payout_wallet_id: 'pp_4Xq2LwZ8nT6vRb1KsYc9MdHf' }],
    ['amount', { amount: undefined }],
    ['amount', { amount: '0' }],
    ['amount', { amount: '1e5' }],
    ['amount', { amount: '-1' }],
    ['amount', { amount: '1.001' }],
    ['amount', { amount: '' }],
    ['currency', { currency: 'usd' }],
    ['currency', { currency: 'GBP' }],
    ['session', { session: 'cs_x' }],
    ['session', { session: 'cs_4Xq2LwZ8nT6vRb1KsYc9MdHf' }],
    ['session', { session: '' }],
  ])('naming %s for %j', async (param, fields) => {
    const answer = await quote({
      pay_asset: 'USDC',
      pay_network: 'base',
      payout_wallet_id: wallets.get('USDC_BASE'),
      amount: '10',
      ...fields,
    });
    expect(answer.status).toBe(400);
    expect(answer.body.error).toMatchObject({ code: 'invalid_route', param });
  });

  test('for sessions and wallets of strangers and of the other mode in the very words of missing ones', async () => {
    const stranger = await app.newMerchant();
    const foreign = await stranger.createSession();
    const live = await merchant.live.createSession();
    const base = { pay_asset: 'USDC', pay_network: 'base' };
    const sessions = await Promise.all(
      [foreign.id, live.id, 'cs_4Xq2LwZ8nT6vRb1KsYc9MdHf'].map(
        async (session) => (await quote({ ...base, session })).body.error,
      ),
    );
    const ofWallets = await Promise.all(
      [foreign.payout_wallet_id, live.payout_wallet_id, 'pp_4Xq2LwZ8nT6vRb1KsYc9MdHf'].map(
        async (id) => (await quote({ ...base, payout_wallet_id: id, amount: '1' })).body.error,
      ),
    );
    for (const errors of [sessions, ofWallets]) for (const error of errors) expect(error).toEqual(errors[0]);
  });

  test('naming pay_asset where the session does not accept it', async () => {
    const session = await merchant.createSession({ accepted_assets: ['USDC_BASE'] });
    expect((await quote({ session: session.id, pay_asset: 'ETH', pay_network: 'base' })).body.error).toMatchObject({
      code: 'invalid_route',
      param: 'pay_asset',
    });
  });

  test('naming pay_asset where every provider refuses the pair', async () => {
    sandbox.answer = 'refused';
    // An amount that no earlier test has used, because the provider's answer is cached.
    const query = {
      pay_asset: 'ETH',
      pay_network: 'base',
      payout_wallet_id: wallets.get('USDC_BASE'),
      amount: '7351.94',
    };
    expect((await quote(query)).body.error).toMatchObject({ code: 'invalid_route', param: 'pay_asset' });
    sandbox.answer = 'missing';
    expect((await quote(query)).body.error).toMatchObject({ code: 'invalid_route', param: 'pay_asset' });
    sandbox.answer = 'one to one';
  });
});

function quote(query: Record<string, string | undefined>) {
  return merchant.request('GET', '/routes/quote', { query });
}

function inCents(cents: bigint): string {
  return `${cents / 100n}.${(cents % 100n).toString().padStart(2, '0')}`;
}

function walletOf({ asset, network }: Asset) {
  return { asset, network, address: network === 'solana' ? ADDRESSES.solana : ADDRESSES.evm };
}

function decimals(text: string): number {
  return text.split('.')[1]?.length ?? 0;
}
