import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findContinued } from '../../../src/resources/checkout-sessions/try-store.ts';
import { sandboxAddress } from '../../../src/outside/routers/sandbox/addresses.ts';
import { type Merchant, startApp, type TestApp } from '../../support/index.ts';
import { paymentOfSession } from '../../support/payments.ts';

let app: TestApp;
let merchant: Merchant;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

const DAY_S = 86_400;
const HASH = `0x${'5c'.repeat(32)}`;
const headers = { 'content-type': 'application/x-www-form-urlencoded' };

/** Presses *Try again*; the address that the page leads to. */
async function again(id: string): Promise<string> {
  const answer = await app.inject('POST', `/checkout/${id}/again`, { headers, body: '' });
  expect(answer.status).toBe(303);
  return String(answer.headers.location).replace('/checkout/', '');
}

async function act(id: string, action: string): Promise<void> {
  const { status } = await app.inject('POST', `/v1/public/checkout/sessions/${id}/test`, { body: { action } });
  expect(status).toBe(200);
}

async function ended(action: string, fields: Record<string, unknown> = {}): Promise<Record<string, any>> {
  merchant = await app.newMerchant();
  const session = await merchant.createSession({ expires_in: 1_800, ...fields });
  await act(session.id, action);
  return merchant.get(`/checkout/sessions/${session.id}`);
}

/** Names a transaction that no chain has shown. */
async function name(id: string, txHash = HASH): Promise<void> {
  const notice = { body: { tx_hash: txHash } };
  expect((await app.inject('POST', `/v1/public/checkout/sessions/${id}/transactions`, notice)).status).toBe(202);
}

async function earlier(id: string): Promise<{ id: string; arrived: boolean } | undefined> {
  return (await app.inject('GET', `/v1/public/checkout/sessions/${id}`)).body.data.earlier;
}

/** The words of all messages are beside the page. */
async function says(id: string, text: string): Promise<boolean | undefined> {
  const { raw } = await app.inject('GET', `/checkout/${id}`);
  return raw.toString().split('page-state')[0]?.includes(text);
}

const offers = async (id: string) => (await app.inject('GET', `/checkout/${id}`)).raw.toString().includes('/again"');

describe('trying an ended checkout again', () => {
  test('opens a session of the same request, which names the old one', async () => {
    const old = await ended('expire', {
      amount: '12.30',
      currency: 'EUR',
      order_id: 'order-7',
      metadata: { cart: '7' },
      description: 'Two ferns',
      line_items: [{ name: 'Fern', quantity: 1, amount: '12.30' }],
      accepted_assets: ['USDC_BASE', 'BTC_BITCOIN'],
      success_url: 'https://shop.example.com/thanks?session={CHECKOUT_SESSION_ID}',
      cancel_url: 'https://shop.example.com/cart',
    });
    expect([old.status, old.retry_of, await offers(old.id)]).toEqual(['expired', null, true]);

    const fresh = await merchant.get(`/checkout/sessions/${await again(old.id)}`);
    const same = ['amount', 'currency', 'order_id', 'metadata', 'description', 'line_items', 'accepted_assets'];
    for (const name of [...same, 'success_url', 'cancel_url', 'payout_wallet_id', 'livemode'])
      expect(fresh[name], name).toEqual(old[name]);
    expect(fresh).toMatchObject({ status: 'created', retry_of: old.id, payment_link_id: null, payment: null });
    expect(fresh.reference).not.toBe(old.reference);
    expect(Date.parse(fresh.expires_at) - Date.parse(fresh.created_at)).toBe(1_800_000);

    // The merchant is notified once its customer has chosen.
    const events = async () =>
      (await merchant.get('/events', { limit: 100 })).data.filter((event: any) => event.data.session === fresh.id);
    expect(await events()).toEqual([]);
    await act(fresh.id, 'paid');
    expect(
      (await events())
        .map(({ type }: any) => type)
        .reverse()
        .slice(0, 2),
    ).toEqual(['payment.created', 'payment.pending']);
    expect((await events())[0].data).toMatchObject({ order_id: 'order-7', metadata: { cart: '7' }, status: 'paid' });
  });

  test('is one session for each that ended, however often and by how many it is asked for', async () => {
    const old = await ended('expire');
    const [first, ...others] = await Promise.all(Array.from({ length: 8 }, () => again(old.id)));
    expect(new Set([first, ...others]).size).toBe(1);
    // The one that took its place can be tried again only after it has ended too.
    expect(await again(String(first))).toBe(first);
    await act(String(first), 'expire');
    expect(await again(String(first))).not.toBe(first);
    expect(await again(old.id)).toBe(first);
  });

  test('warns of money that arrived in an earlier checkout, or of a transaction that was named there', async () => {
    const old = await ended('expire');
    const fresh = await again(old.id);
    expect(await earlier(fresh)).toBeUndefined();
    await name(old.id);
    expect(await earlier(fresh)).toEqual({ id: old.id, arrived: false });
    // Also if the order was tried again since.
    await act(fresh, 'expire');
    expect(await earlier(fresh)).toEqual({ id: old.id, arrived: false });
    const newest = await again(fresh);
    expect(await earlier(newest)).toEqual({ id: old.id, arrived: false });
    await act(old.id, 'late');
    expect(await earlier(newest)).toEqual({ id: old.id, arrived: true });
    expect(await says(newest, 'Your money arrived in an earlier checkout')).toBe(true);
    expect(await says(old.id, '/checkout/cs_')).toBe(true);
    expect(await says(old.id, 'Open the new checkout')).toBe(false);
    await act(newest, 'paid');
    expect(await earlier(newest)).toBeUndefined();
    await expect.poll(() => says(old.id, 'This order was paid in the new checkout.')).toBe(true);
    expect(await says(old.id, `href="/checkout/${newest}"`)).toBe(true);
    const { payment } = await merchant.get(`/checkout/sessions/${newest}`);
    expect((await merchant.post(`/payments/${payment}/refund`)).status).toBe('refunded');
    expect(await findContinued(app.ctx.db, old.id)).toEqual({ id: newest, isPaid: true });
  });

  test('is offered after a payment that failed', async () => {
    const old = await ended('failed');
    expect([old.status, await offers(old.id)]).toEqual(['failed', true]);
    expect(await again(old.id)).not.toBe(old.id);
  });

  test.each(['paid', 'refund_required', 'late', 'underpaid', 'add_block'])(
    'is not offered where money came, or may still come (%s)',
    async (action) => {
      const old = await ended(action);
      expect(await offers(old.id)).toBe(false);
      expect(await again(old.id)).toBe(old.id);
    },
  );

  test('is not offered after a day', async () => {
    const old = await ended('expire');
    await merchant.post('/test_helpers/clock/advance', { seconds: DAY_S - 3_600 });
    expect(await offers(old.id)).toBe(true);
    await merchant.post('/test_helpers/clock/advance', { seconds: 2 * 3_600 });
    expect([await offers(old.id), await again(old.id)]).toEqual([false, old.id]);
  });

  test('is not offered a day after the first one ended, however often it was tried again', async () => {
    const old = await ended('expire');
    let newest: string = old.id;
    for (const seconds of [DAY_S / 2, DAY_S / 2 - 3_600]) {
      await merchant.post('/test_helpers/clock/advance', { seconds });
      const next = await again(newest);
      expect(next).not.toBe(newest);
      newest = next;
      await act(newest, 'expire');
    }
    expect(await offers(newest)).toBe(true);
    await merchant.post('/test_helpers/clock/advance', { seconds: 2 * 3_600 });
    expect([await offers(newest), await again(newest)]).toEqual([false, newest]);
  });

  test('is left to the payment link that opened the checkout', async () => {
    merchant = await app.newMerchant();
    const link = await merchant.createLink();
    const { body } = await app.inject('POST', `/v1/public/payment-links/${link.id}/open`);
    await act(body.data.id, 'expire');
    expect([await offers(body.data.id), await again(body.data.id)]).toEqual([false, body.data.id]);
  });

  test('opens nothing once the wallet takes no new payments', async () => {
    const old = await ended('expire');
    await merchant.createWallet({ network: 'polygon' });
    await merchant.dashboard.post(`/payout-wallets/${old.payout_wallet_id}/archive`);
    expect(await again(old.id)).toBe(old.id);
  });
});

describe('the warning of an earlier checkout', () => {
  let changes = 0;

  test('is not given once the named transaction reverted, which no provider alone can say', async () => {
    const old = await ended('expire');
    const fresh = await again(old.id);
    await name(old.id);
    await change(
      `insert into reverted_transactions (payment_id, network, tx_hash, seen_at, confirmed)
       select payment_id, 'base', '${HASH}', now(), false from checkout_sessions where id = $1`,
      old.id,
    );
    expect(await earlier(fresh)).toEqual({ id: old.id, arrived: false });
    await expect.poll(() => says(old.id, 'isn’t recognized')).toBe(true);
    await change(
      'update reverted_transactions set confirmed = true where payment_id = $1',
      await paymentOfSession(app.ctx.db, old.id),
    );
    expect(await earlier(fresh)).toBeUndefined();
    await expect.poll(() => says(old.id, 'isn’t recognized')).toBe(false);
  });

  test('is not given of a payment that failed because its transaction was refused', async () => {
    merchant = await app.newMerchant();
    const { id } = await merchant.createSession();
    await name(id);
    await act(id, 'failed');
    expect(await earlier(await again(id))).toBeUndefined();
  });

  test('is given of a deposit as long as its provider may have it', async () => {
    merchant = await app.newMerchant();
    const { id } = await merchant.createSession();
    const refund_address = sandboxAddress('bitcoin', 'customer');
    const body = { pay_asset: 'BTC', pay_network: 'bitcoin', refund_address };
    expect((await app.inject('POST', `/v1/public/checkout/sessions/${id}/pay`, { body })).status).toBe(200);
    await act(id, 'expire');
    const fresh = await again(id);
    await name(id, '5c'.repeat(32));
    const payment = await paymentOfSession(app.ctx.db, id);
    for (const [state, arrived] of [
      [`'dead', 83412`, true],
      [`'dead', null`, false],
      [`'seen', 83412`, true],
      [`'seen', null`, false],
      [`'short', 0`, true],
      [`'stuck', null`, true],
      [`'returned', 83412`, undefined],
    ] as const) {
      const changed = `update route_orders set (state, deposited_units) = row(${state}), polled_at = now() where payment_id = $1`;
      await change(changed, payment);
      expect((await earlier(fresh))?.arrived, state).toBe(arrived);
    }
    // One of two may be a second deposit, whichever was named first.
    await name(id, '6d'.repeat(32));
    expect(await earlier(fresh)).toEqual({ id, arrived: false });
    await change('update route_orders set polled_at = now() where payment_id = $1', payment);
    expect(await earlier(fresh)).toEqual({ id, arrived: false });
  });

  test('is given of a transaction that was named before another deposit came back', async () => {
    merchant = await app.newMerchant();
    const { id } = await merchant.createSession();
    for (const body of [
      { pay_asset: 'BTC', pay_network: 'bitcoin', refund_address: sandboxAddress('bitcoin', 'customer') },
      { pay_asset: 'USDC', pay_network: 'base' },
    ])
      expect((await app.inject('POST', `/v1/public/checkout/sessions/${id}/pay`, { body })).status).toBe(200);
    await name(id);
    await act(id, 'expire');
    await change(
      `update route_orders set state = 'returned', polled_at = now() where payment_id = $1`,
      await paymentOfSession(app.ctx.db, id),
    );
    expect(await earlier(await again(id))).toEqual({ id, arrived: false });
  });

  test('is given of what comes to a refunded checkout, until it is handled', async () => {
    const old = await ended('expire');
    const fresh = await again(old.id);
    await act(old.id, 'late');
    const payment = await paymentOfSession(app.ctx.db, old.id);
    await merchant.post(`/payments/${payment}/refund`);
    expect(await earlier(fresh)).toBeUndefined();
    await change(
      `insert into transfers (id, livemode, network, tx_hash, index, asset, to_address, amount_units, block_number,
                              block_hash, block_time, status, near_payment_id, reason, first_seen_at)
       select 'tr_' || $1, false, 'base', $1, 0, 'USDC', '0x1', 49000000, 1, 'b', now(), 'final', $1,
              'already_refunded', now()`,
      payment,
    );
    expect(await earlier(fresh)).toEqual({ id: old.id, arrived: true });
    // Anyone can send less than a cent.
    for (const [units, warned] of [
      ['9999', undefined],
      ['10000', { id: old.id, arrived: true }],
    ] as const) {
      await change(`update transfers set amount_units = ${units} where near_payment_id = $1`, payment);
      expect(await earlier(fresh), units).toEqual(warned);
    }
    // One provider alone may have invented it.
    for (const [confirmed, warned] of [
      [false, undefined],
      [true, { id: old.id, arrived: true }],
    ] as const) {
      await change(`update transfers set confirmed = ${confirmed} where near_payment_id = $1`, payment);
      expect(await earlier(fresh), String(confirmed)).toEqual(warned);
    }
    await change('update transfers set handled_at = now() where near_payment_id = $1', payment);
    expect(await earlier(fresh)).toBeUndefined();
  });

  test('looks ten tries back, and a checkout leads ten tries on', async () => {
    const tries: string[] = [(await ended('expire')).id];
    const [first = ''] = tries;
    await name(first);
    for (let at = 1; at <= 10; at += 1) {
      tries.push(await again(tries.at(-1) ?? ''));
      if (at < 10) await act(tries[at] ?? '', 'expire');
    }
    expect(await earlier(tries[10] ?? '')).toEqual({ id: first, arrived: false });
    await act(tries[10] ?? '', 'expire');
    const eleventh = await again(tries[10] ?? '');
    expect(await earlier(eleventh)).toBeUndefined();
    await act(eleventh, 'paid');
    expect(await findContinued(app.ctx.db, first)).toEqual({ id: tries[10], isPaid: false });
    expect(await findContinued(app.ctx.db, tries[1] ?? '')).toEqual({ id: eleventh, isPaid: true });
  });

  async function change(sql: string, id: string): Promise<void> {
    await app.ctx.db.query(`test_change_${(changes += 1)}`, sql, [id]);
  }
});
