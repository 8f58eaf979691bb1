import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Transfer } from '../../../src/outside/chains/chain.ts';
import { startDashboard, type DashboardTest } from '../../support/dashboard.ts';
import type { Merchant } from '../../support/index.ts';
import { paymentOfSession, referenceOf } from '../../support/payments.ts';
import { arrive as arrived, take, transferTo } from '../../support/transfers.ts';

let t: DashboardTest;
beforeAll(async () => {
  t = await startDashboard();
});
afterAll(() => t.app.stop());

const REFUND = '0x8617E340B3D01FA5F11F306F4090FD50E238070D';

describe('the money of a payment', () => {
  test('is what the customer was asked for to the last digit, and what arrived of it', async () => {
    const merchant = await t.app.newMerchant();
    const session = await merchant.createSession({ amount: '25.00' });
    const { payment } = await pay(session, { pay_asset: 'USDC', pay_network: 'base' });
    const id = await paymentOf(session);
    expect(payment.amount).not.toBe('25.000000');
    expect(await moneyOf(merchant, id)).toEqual({
      asked: { amount: payment.amount, asset: 'USDC', network: 'base' },
      detected: '0.000000',
      holder: 'none',
      order: null,
      not_counted: [],
    });

    await t.pay(session, 'underpaid');
    await t.pay(session, 'expire');
    const { actual_output: received, net_settlement: net } = await merchant.get(`/payments/${id}`);
    expect([Number(received) < 25, net]).toEqual([true, '25.00']);
    expect(await moneyOf(merchant, id)).toMatchObject({ detected: received, holder: 'merchant', order: null });
  });

  test('is with the route provider where the conversion is stuck, with the order to ask about', async () => {
    const merchant = await t.app.newMerchant();
    const session = await merchant.createSession();
    await pay(session, { pay_asset: 'ETH', pay_network: 'arbitrum', refund_address: REFUND });
    await t.pay(session, 'refund_required');
    const id = await paymentOf(session);
    const { body } = await t.app.inject('GET', `/v1/public/checkout/sessions/${session.id}`);
    const { payment } = body.data;
    expect(payment.provider_order).toMatch(/^ro_/);
    expect(await merchant.get(`/payments/${id}`)).toMatchObject({ status: 'refund_required', actual_output: null });
    expect(await moneyOf(merchant, id)).toMatchObject({
      asked: { amount: payment.amount, asset: 'ETH', network: 'arbitrum' },
      detected: '0.000000',
      holder: 'provider',
      order: {
        provider: 'sandbox',
        reference: payment.provider_order,
        deposit_address: payment.address,
        asset: 'ETH',
        network: 'arbitrum',
        refund_address: payment.refund_address,
      },
    });
    expect(Number((await moneyOf(merchant, id)).order.deposited)).toBeGreaterThan(0);
    // A provider may report that it is stuck without an amount.
    await t.app.ctx.db.query('test_unknown', `update route_orders set deposited_units = null where payment_id = $1`, [
      id,
    ]);
    expect(await moneyOf(merchant, id)).toMatchObject({ holder: 'provider', order: { deposited: null } });
    await merchant.post(`/payments/${id}/refund`);
    expect(await moneyOf(merchant, id)).toMatchObject({ holder: 'none', order: null });
  });

  test('says what else arrived for it and is in none of its refunds, until that is handled', async () => {
    const { merchant, address } = await shop('0x7100000000000000000000000000000000000009');
    const session = await merchant.createSession({ amount: '112.50' });
    const id = await paymentOf(session);
    const { payment } = await pay(session, { pay_asset: 'USDC', pay_network: 'base' });
    const units = BigInt(payment.amount.replace('.', ''));
    await take(t.app.ctx, transferTo(address, { amountUnits: units }));
    expect(await ask(merchant, `/dashboard/api/payments/${id}/money`, 'live')).toMatchObject({ not_counted: [] });
    const twice = await arrive(address, units);
    const notCounted = async () => (await ask(merchant, `/dashboard/api/payments/${id}/money`, 'live')).not_counted;
    expect(await notCounted()).toEqual([
      { transfer: twice, amount: payment.amount, asset: 'USDC', network: 'base', reason: 'already_paid' },
    ]);
    await merchant.dashboard.post(`/transfers/${twice}/handle`, {});
    expect(await notCounted()).toEqual([]);
    await merchant.dashboard.post(`/transfers/${twice}/reopen`, {});
    expect(await notCounted()).toMatchObject([{ transfer: twice }]);
  });

  test('shows the largest of what arrived beside it: what strangers send in tiny parts hides no second payment', async () => {
    const { merchant, address } = await shop('0x7100000000000000000000000000000000000010');
    const session = await merchant.createSession({ amount: '112.50' });
    const id = await paymentOf(session);
    await pay(session, { pay_asset: 'USDC', pay_network: 'base' });
    await t.app.ctx.db.query('test_paid', `update payments set status = 'paid', paid_at = now() where id = $1`, [id]);
    const carried = [await referenceOf(t.app.ctx.db, session.id)];
    const send = (fields: Partial<Transfer>) => arrived(t.app.ctx, transferTo(address, { carried, ...fields }));
    const notCounted = async () =>
      (await ask(merchant, `/dashboard/api/payments/${id}/money`, 'live')).not_counted.map(
        ({ amount, asset, reason }: any) => [amount, asset, reason],
      );
    for (let sent = 0; sent < 6; sent += 1) await send({ amountUnits: 1n });
    expect(await notCounted()).toEqual([]);
    for (let sent = 0; sent < 6; sent += 1) await send({ amountUnits: 10_000n });
    await send({ asset: 'ETH', amountUnits: 40_000_000_000_000_000n });
    await send({ amountUnits: 112_500_000n });
    expect((await notCounted()).slice(0, 3)).toEqual([
      ['0.040000000000000000', 'ETH', 'other_asset'],
      ['112.500000', 'USDC', 'already_paid'],
      ['0.010000', 'USDC', 'already_paid'],
    ]);
  });

  test('of another account does not exist', async () => {
    const owner = await t.app.newMerchant();
    const id = await paymentOf(await owner.createSession());
    await expect(t.dashboard(await t.app.newMerchant(), `/dashboard/api/payments/${id}/money`)).rejects.toThrow('404');
  });
});

describe('the payments that a transfer fits', () => {
  test('are ranked by amount and then by time; paid ones are not offered', async () => {
    const { merchant, address } = await shop('0x7100000000000000000000000000000000000001');
    const orders = ['25.00', '112.50', '112.00', '112.50'];
    const ids: string[] = [];
    for (const amount of orders) {
      const session = await merchant.createSession({ amount });
      ids.push(await paymentOf(session));
    }
    const [small, first, near, second] = ids;
    await t.app.ctx.db.query(
      'test_age',
      `update payments set created_at = created_at - interval '10 min' where id = $1`,
      [first],
    );
    const transfer = await arrive(address, 112_500_000n);

    const found = await suggestedFor(merchant, transfer);
    expect(found.map((one) => [one.payment.id, one.difference, one.accepts])).toEqual([
      [second, '0.000000', true],
      [first, '0.000000', true],
      [near, '0.500000', true],
    ]);
    expect(found.map((one) => one.payment.id)).not.toContain(small);

    await t.app.ctx.db.query('test_paid', `update payments set status = 'paid', paid_at = now() where id = $1`, [
      second,
    ]);
    expect((await suggestedFor(merchant, transfer)).map((one) => one.payment.id)).toEqual([first, near]);
  });

  test('include an older one behind 150 newer ones of other amounts, and of another wallet', async () => {
    const { merchant, address } = await shop('0x7100000000000000000000000000000000000006');
    const other = await merchant.createWallet({ address: '0x7100000000000000000000000000000000000007' });
    const wanted = await paymentOf(await merchant.createSession({ amount: '112.50' }));
    const expired = await paymentOf(await merchant.createSession({ amount: '113.00' }));
    await t.app.ctx.db.query('test_expire', `update payments set status = 'expired' where id = $1`, [expired]);
    for (let count = 0; count < 150; count += 1) {
      await merchant.createSession({ amount: `${300 + count}.00` });
      if (count < 10) await merchant.createSession({ amount: '112.50', payout_wallet_id: other.id });
    }
    // All of them ended before the transfer came.
    for (const table of ['checkout_sessions', 'payments'])
      await t.app.ctx.db.query(
        `test_age_${table}`,
        `update ${table} set created_at = created_at - interval '1 day', expires_at = expires_at - interval '1 day' where account_id = $1`,
        [merchant.accountId],
      );
    const transfer = await arrive(address, 112_500_000n);
    expect((await suggestedFor(merchant, transfer)).map((one) => [one.payment.id, one.difference])).toEqual([
      [wanted, '0.000000'],
      [expired, '-0.500000'],
    ]);
  }, 30_000);

  test('include a part that is missing, and a price that was fixed in the coin', async () => {
    const { merchant, address } = await shop('0x7100000000000000000000000000000000000008');
    const short = await paymentOf(await merchant.createSession({ amount: '80.00' }));
    await t.app.ctx.db.query(
      'test_short',
      `update payments set status = 'refund_required', failure_reason = 'underpaid', actual_output_units = 50000000,
              expected_output_units = 80000000 where id = $1`,
      [short],
    );
    const euros = await paymentOf(await merchant.createSession({ amount: '27.00', currency: 'EUR' }));
    await t.app.ctx.db.query('test_rate', `update payments set expected_output_units = 31000000 where id = $1`, [
      euros,
    ]);
    const dirhams = await paymentOf(await merchant.createSession({ amount: '117.52', currency: 'AED' }));
    await merchant.createSession({ amount: '30.00', currency: 'EUR' });
    const transfer = await arrive(address, 30_000_000n);
    expect((await suggestedFor(merchant, transfer)).map((one) => [one.payment.id, one.difference])).toEqual([
      [short, '0.000000'],
      [euros, '-1.000000'],
      [dirhams, '-2.000000'],
    ]);
  });

  test('include the one that the transfer names, and say where it accepts no more', async () => {
    const { merchant, address } = await shop('0x7100000000000000000000000000000000000002');
    const paid = await paymentOf(await merchant.createSession({ amount: '30.00' }));
    const open = await paymentOf(await merchant.createSession({ amount: '30.00' }));
    await t.app.ctx.db.query('test_paid', `update payments set status = 'paid', paid_at = now() where id = $1`, [paid]);
    const transfer = await arrive(address, 30_000_000n);
    await t.app.ctx.db.query(
      'test_near',
      `update transfers set near_payment_id = $2, reason = 'already_paid' where id = $1`,
      [transfer, paid],
    );
    expect((await suggestedFor(merchant, transfer)).map((one) => [one.payment.id, one.accepts, one.is_named])).toEqual([
      [open, true, false],
      [paid, false, true],
    ]);
    await expect(merchant.dashboard.post(`/transfers/${transfer}/assign`, { payment: paid })).rejects.toMatchObject({
      code: 'invalid_payment_state',
    });
  });

  test('can be searched for by order number or payment ID, whatever their amount', async () => {
    const { merchant, address } = await shop('0x7100000000000000000000000000000000000003');
    const wanted = await paymentOf(await merchant.createSession({ amount: '300.00', order_id: 'order-7001' }));
    const transfer = await arrive(address, 30_000_000n);
    for (const text of ['order-70', wanted]) {
      const found = await suggestedFor(merchant, transfer, text);
      expect(found.map((one) => [one.payment.id, one.difference, one.accepts])).toEqual([
        [wanted, '-270.000000', true],
      ]);
    }
    expect(await suggestedFor(merchant, transfer, 'order-99')).toEqual([]);
  });

  test('belong to this account alone', async () => {
    const { merchant, address } = await shop('0x7100000000000000000000000000000000000004');
    const transfer = await arrive(address, 30_000_000n);
    const stranger = await t.app.newMerchant({ mode: 'live' });
    await expect(suggestedFor(stranger, transfer)).rejects.toThrow('404');
    const other = await paymentOf(
      await (await shop('0x7100000000000000000000000000000000000005')).merchant.createSession(),
    );
    expect(await suggestedFor(merchant, transfer, other)).toEqual([]);
  });
});

test('the first steps are judged by the mode that is shown: a test wallet does not tick live mode', async () => {
  const merchant = await t.app.newMerchant();
  await merchant.createWallet();
  await t.pay(await merchant.createSession(), 'paid');
  const steps = (mode: string) => ask(merchant, '/dashboard/api/onboarding', mode);
  expect(await steps('test')).toMatchObject({ wallet: true, test_paid: true, live_paid: false });
  expect(await steps('live')).toMatchObject({ wallet: false, wallet_proved: false, webhook_answered: false });
});

async function pay(session: { id: string }, body: object): Promise<any> {
  const answer = await t.app.inject('POST', `/v1/public/checkout/sessions/${session.id}/pay`, { body });
  return answer.body.data;
}

function moneyOf(merchant: Merchant, id: string): Promise<any> {
  return t.dashboard(merchant, `/dashboard/api/payments/${id}/money`);
}

function suggestedFor(merchant: Merchant, transfer: string, q?: string): Promise<any[]> {
  const query = q === undefined ? '' : `?q=${encodeURIComponent(q)}`;
  return ask(merchant, `/dashboard/api/transfers/${transfer}/suggested-payments${query}`, 'live');
}

async function ask(merchant: Merchant, path: string, mode: string): Promise<any> {
  const answer = await t.app.inject('GET', path, {
    headers: { cookie: `session=${merchant.loginToken}`, 'service-mode': mode },
  });
  if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}`);
  return answer.body.data;
}

async function shop(address: string): Promise<{ merchant: Merchant; address: string }> {
  const merchant = await t.app.newMerchant({ mode: 'live' });
  await merchant.createWallet({ address });
  return { merchant, address };
}

function arrive(to: string, amountUnits: bigint): Promise<string> {
  return arrived(t.app.ctx, transferTo(to, { amountUnits }));
}

function paymentOf(session: { id: string }): Promise<string> {
  return paymentOfSession(t.app.ctx.db, session.id);
}
