import { randomBytes } from 'node:crypto';
import { getAddress, toHex } from 'viem';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseUnits } from '../../src/platform/money.ts';
import { saveSample, minuteOf } from '../../src/settlement/records/rate-store.ts';
import { ratesJob } from '../../src/settlement/outcome/sample-rates.ts';
import { proveWallet } from '../support/prove.ts';
import { calldata } from '../support/anvil.ts';
import { type Settlement, startSettlement } from '../support/settlement.ts';

let shop: Settlement;
let walletId: string;
const wallet = getAddress(toHex(randomBytes(20)));
const ETHER = 10n ** 18n;
const HOUR = 3_600;

beforeAll(async () => {
  // Ether costs 2,500 dollars.
  shop = await startSettlement();
  walletId = (await shop.merchant.createWallet({ asset: 'ETH', network: 'ethereum', address: wallet })).id;
});
afterAll(() => shop[Symbol.asyncDispose]());

describe('ether', () => {
  test('of the exact amount within its lock pays, from any wallet', async () => {
    const { id, amountUnits } = await asked();
    const txHash = await shop.chain.sendEth({ to: wallet, amount: amountUnits });
    await shop.settle();
    expect(await shop.payment(id)).toMatchObject({
      status: 'paid',
      pay_asset: 'ETH',
      tx_hashes: [txHash],
      actual_output: ether(amountUnits),
    });
  });

  test('carries a tag only where no contract would have to take it', async () => {
    const contract = await shop.chain.deploy('Forwarder');
    const contractWallet = await shop.merchant.createWallet({ asset: 'ETH', network: 'ethereum', address: contract });
    await proveWallet(shop.app.ctx.db, contractWallet.id);
    const [own, its] = [
      await shop.session({ payout_wallet_id: walletId }),
      await shop.session({ payout_wallet_id: contractWallet.id }),
    ];
    expect((await shop.choose(own.id, { pay_asset: 'ETH' })).payment.tag).toMatch(/^0x51544e43/);
    expect((await shop.choose(its.id, { pay_asset: 'ETH' })).payment.tag).toBeNull();
  });

  test('sent from inside a contract, as exchanges and smart wallets do, pays as well', async () => {
    const forwarder = await shop.chain.deploy('Forwarder');
    const { id, amountUnits } = await asked();
    await shop.chain.send({ to: forwarder, value: amountUnits, data: calldata('Forwarder', 'forward', [wallet]) });
    await shop.settle();
    expect((await shop.payment(id)).status).toBe('paid');
  });

  test('sent within the lock counts at its price though it is final after it, and the market has fallen since', async () => {
    const { id, amountUnits } = await asked();
    await shop.chain.sendEth({ to: wallet, amount: amountUnits });
    await shop.pass(1_000);
    await sample('1000');
    await shop.settle();
    expect((await shop.payment(id)).status).toBe('paid');
  });

  test('sent after the lock is worth what the minute says: less, when the price has halved', async () => {
    const { id, amountUnits } = await asked();
    await shop.pass(1_000);
    await sample('1250');
    await shop.chain.sendEth({ to: wallet, amount: amountUnits });
    await shop.settle();
    const { status, payment } = await shop.publicSession(id);
    expect(status).toBe('pending');
    expect(BigInt(payment.amount_due.replace('.', '')) - amountUnits / 2n).toBeLessThan(10n ** 13n);
  });

  test('sent after the lock is worth more when the price has doubled: half of it is enough', async () => {
    const { id, amountUnits } = await asked();
    await shop.pass(1_000);
    await sample('5000');
    await shop.chain.sendEth({ to: wallet, amount: amountUnits });
    await shop.settle();
    expect((await shop.payment(id)).status).toBe('paid');
  });

  test('sent after the lock in a minute that no price is known of needs a refund', async () => {
    const { id, amountUnits } = await asked();
    await shop.pass(1_000);
    await shop.chain.sendEth({ to: wallet, amount: amountUnits });
    await shop.settle();
    expect(await shop.payment(id)).toMatchObject({
      status: 'refund_required',
      failure_reason: 'rate_unknown',
      actual_output: ether(amountUnits),
    });
  });

  test('is locked again by asking again, and both amounts stay valid', async () => {
    const { id, amountUnits } = await asked();
    const before = amountUnits;
    await shop.ctx.db.query(
      'test_unlock',
      `update payment_targets
        set created_at = created_at - interval '1 day', locked_until = created_at - interval '1 day'
          where payment_id = (select id from payments where session_id = $1)`,
      [id],
    );
    const again = await shop.choose(id, { pay_asset: 'ETH' });
    await lockFromNow(id);
    expect(BigInt(again.payment.amount.replace('.', ''))).not.toBe(before);
    await shop.chain.sendEth({ to: wallet, amount: BigInt(again.payment.amount.replace('.', '')) });
    await shop.settle();
    expect((await shop.payment(id)).status).toBe('paid');
  });
});

describe('prices', () => {
  test('are sampled once a minute while a customer could pay at a moving price', async () => {
    await shop.session({ payout_wallet_id: walletId });
    for (let round = 0; round < 2; round += 1) await ratesJob.run(shop.ctx, new AbortController().signal, () => {});
    const rows = await shop.ctx.db.query<{ pair: string; rate: string }>(
      'test_samples',
      `select pair, rate::text from rate_samples where minute = $1 and pair like '%/USD' order by pair`,
      [minuteOf(await shop.ctx.db.now())],
    );
    expect(rows.map((row) => [row.pair, Number(row.rate)])).toEqual([
      ['ETH/USD', 2500],
      ['SOL/USD', 150],
    ]);
  });

  test('the evidence of a price is in the timeline', async () => {
    const { id } = await asked();
    const payment = await shop.payment(id);
    const { entries } = await shop.merchant.get(`/payments/${payment.id}/timeline`);
    expect(entries.find((entry: { type: string }) => entry.type === 'target').data.rate).toMatchObject({
      sources: [{ source: 'fixed' }],
      at: expect.any(String),
    });
  });
});

describe('a dollar coin in a session of many days', () => {
  test('counts as a dollar for a day, whatever it trades at', async () => {
    const { id, amountUnits } = await askedLong();
    await shop.pass(20 * HOUR);
    await sample('0.90', 'USDC');
    await shop.send(amountUnits);
    await shop.settle();
    expect((await shop.payment(id)).status).toBe('paid');
  });

  test('is worth what it trades at after a day, where that is below 0.98: nine tenths leave a rest to pay', async () => {
    const { id, amountUnits } = await askedLong();
    await shop.pass(25 * HOUR);
    await sample('0.90', 'USDC');
    await shop.send(amountUnits);
    await shop.settle();
    const { status, payment } = await shop.publicSession(id);
    expect(status).toBe('pending');
    const due = BigInt(payment.amount_due.replace('.', ''));
    expect(due).toBeGreaterThan(4_800_000n);
    expect(due).toBeLessThan(5_000_000n);
  });

  test('is worth what it trades at after a day in dirhams too', async () => {
    const { id, amountUnits } = await askedLong({ currency: 'AED', amount: '180.00' });
    await shop.pass(25 * HOUR);
    await sample('0.90', 'USDC');
    await shop.send(amountUnits);
    await shop.settle();
    expect((await shop.publicSession(id)).status).toBe('pending');
  });

  test.each(['0.985', '1.019'])('counts as a dollar after a day where it trades at %s', async (usd) => {
    const { id, amountUnits } = await askedLong();
    await shop.pass(25 * HOUR);
    await sample(usd, 'USDC');
    await shop.send(amountUnits);
    await shop.settle();
    expect((await shop.payment(id)).status).toBe('paid');
  });

  test('counts as a dollar after a day in a minute that no price is known of', async () => {
    const { id, amountUnits } = await askedLong();
    await shop.pass(25 * HOUR);
    await shop.send(amountUnits);
    await shop.settle();
    expect((await shop.payment(id)).status).toBe('paid');
  });

  test('is sampled once a minute from the second day on', async () => {
    const samples = () =>
      shop.ctx.db.query<{ pair: string; rate: string }>(
        'test_pegged_samples',
        `select pair, rate::text from rate_samples where pair in ('USDC/USD', 'USDT/USD') and minute > $1 order by pair`,
        [minuteOf(new Date(Date.now() + 1_000 * HOUR * 1_000))],
      );
    const prices = {
      ...shop.ctx.prices,
      marketRate: async (asset: 'USDC' | 'USDT') => ({
        ...shop.ctx.prices.fixedRate(asset, 'USD'),
        numerator: 97n,
        denominator: 100n,
      }),
    };
    const ctx = {
      ...shop.ctx,
      prices,
      db: { ...shop.ctx.db, now: async () => new Date(Date.now() + 1_001 * HOUR * 1_000) },
    };
    await shop.session();
    for (let round = 0; round < 2; round += 1) await ratesJob.run(ctx, new AbortController().signal, () => {});
    expect((await samples()).map((row) => [row.pair, Number(row.rate)])).toEqual([
      ['USDC/USD', 0.97],
      ['USDT/USD', 0.97],
    ]);
  });
});

async function asked(): Promise<{ id: string; amountUnits: bigint }> {
  const session = await shop.session({ payout_wallet_id: walletId });
  const { payment } = await shop.choose(session.id, { pay_asset: 'ETH' });
  await lockFromNow(session.id);
  return { id: session.id, amountUnits: BigInt(payment.amount.replace('.', '')) };
}

/** A session of ten days whose customer has chosen USDC. */
async function askedLong(fields: Record<string, unknown> = {}): Promise<{ id: string; amountUnits: bigint }> {
  const { id, amountUnits } = await shop.checkout({ ...fields, expires_in: 10 * 24 * HOUR });
  await shop.ctx.db.query(
    'test_session_from_now',
    `update payments set created_at = created_at + $2 * interval '1 ms' where session_id = $1`,
    [id, await aheadMs()],
  );
  await lockFromNow(id);
  return { id, amountUnits };
}

async function aheadMs(): Promise<number> {
  return (await shop.ctx.db.now()).getTime() - (await shop.app.ctx.db.now()).getTime();
}

/** The test's clock is ahead of the API's, so the newest lock starts at the test's time. */
async function lockFromNow(sessionId: string): Promise<void> {
  await shop.ctx.db.query(
    'test_shift_lock',
    `update payment_targets set created_at = created_at + $2 * interval '1 ms', locked_until = locked_until + $2 * interval '1 ms'
    where id = (select t.id from payment_targets t join payments p on p.id = t.payment_id where p.session_id = $1
      order by t.created_at desc limit 1)`,
    [sessionId, await aheadMs()],
  );
}

/** The price for the minutes around the chain's next blocks. */
async function sample(usd: string, asset: 'ETH' | 'USDC' = 'ETH'): Promise<void> {
  const { time } = await shop.chain.head();
  for (const minutes of [0, 1]) {
    const minute = minuteOf(new Date(time.getTime() + minutes * 60_000));
    await saveSample(
      shop.ctx.db,
      {
        asset,
        currency: 'USD',
        numerator: parseUnits(usd, 6),
        denominator: 10n ** 6n,
        at: time,
        sources: [{ source: 'test', price: usd }],
      },
      minute,
    );
  }
}

function ether(units: bigint): string {
  return `${units / ETHER}.${(units % ETHER).toString().padStart(18, '0')}`;
}
