import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Transfer } from '../../../src/outside/chains/chain.ts';
import { later, MINUTE_MS } from '../../../src/platform/time.ts';
import { saveAttributions } from '../../../src/settlement/records/transfer-store.ts';
import { holding } from '../../support/holding.ts';
import { startApp, type Merchant, type TestApp } from '../../support/index.ts';
import { paymentOfSession } from '../../support/payments.ts';
import { arrive as arrived, transferTo } from '../../support/transfers.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

const UNKNOWN = 'tr_000000000000000000000000';

describe('GET /v1/transfers', () => {
  test("lists what came to the account's wallets, newest first, page by page", async () => {
    const merchant = await shop('0x1000000000000000000000000000000000000001');
    for (let at = 0; at < 5; at += 1)
      await arrive('0x1000000000000000000000000000000000000001', {
        amountUnits: BigInt(1_000_000 + at),
        minutesAgo: 5 - at,
      });

    const first = await merchant.get('/transfers', { limit: 2 });
    const second = await merchant.get('/transfers', { limit: 2, cursor: first.pagination.cursor });
    const third = await merchant.get('/transfers', { limit: 2, starting_after: second.data.at(-1).id });

    expect([first, second, third].flatMap((page) => page.data.map((one: { amount: string }) => one.amount))).toEqual([
      '1.000004',
      '1.000003',
      '1.000002',
      '1.000001',
      '1.000000',
    ]);
    expect([first.pagination.has_more, third.pagination]).toEqual([true, { cursor: null, has_more: false }]);
    expect(first.data[0]).toMatchObject({
      object: 'transfer',
      livemode: true,
      network: 'base',
      asset: 'USDC',
      index: 0,
      reason: 'no_match',
      payment: null,
      held_by_other_account: false,
      handled_at: null,
    });
  });

  test('shows an unattributed transfer neither to a stranger nor in the other mode', async () => {
    await shop('0x2000000000000000000000000000000000000002');
    await arrive('0x2000000000000000000000000000000000000002');
    const stranger = await shop('0x3000000000000000000000000000000000000003');
    expect((await stranger.get('/transfers')).data).toEqual([]);
    expect((await stranger.test.get('/transfers')).data).toEqual([]);
  });

  test('finds money of the Ethereum family that came on the wrong network', async () => {
    const merchant = await shop('0x4000000000000000000000000000000000000004');
    await arrive('0x4000000000000000000000000000000000000004', { network: 'polygon' });
    expect((await merchant.get('/transfers', { unattributed: 'true' })).data).toMatchObject([
      { network: 'polygon', reason: 'wrong_network' },
    ]);
  });

  test('names the payment whose exact amount came on another network, to the merchant and to the customer', async () => {
    const address = '0x4100000000000000000000000000000000000041';
    const merchant = await app.newMerchant();
    await merchant.createWallet({ address });
    // The coin is received there too, so that the network alone says nothing.
    await merchant.createWallet({ address, network: 'polygon' });
    const session = await merchant.createSession();
    const { body } = await app.inject('POST', `/v1/public/checkout/sessions/${session.id}/pay`, {
      body: { pay_asset: 'USDC', pay_network: 'base' },
    });
    const amountUnits = BigInt(body.data.payment.amount.replace('.', ''));
    await arrive(address, { network: 'polygon', amountUnits, livemode: false });
    await arrive(address, { network: 'polygon', amountUnits: amountUnits + 1n, livemode: false });
    const found = { network: 'polygon', reason: 'wrong_network', amount: body.data.payment.amount };
    expect((await merchant.get('/transfers', { unattributed: 'true' })).data).toMatchObject([
      { reason: 'no_match', payment: null },
      { ...found, payment: await paymentOf(session), payment_status: 'pending' },
    ]);
    const shown = await app.inject('GET', `/v1/public/checkout/sessions/${session.id}`);
    expect(shown.body.data.payment.other_transfers).toMatchObject([found]);
    const answer = await merchant.dashboard.request(
      'POST',
      `/transfers/${(await merchant.get('/transfers')).data[1].id}/assign`,
      {
        body: { payment: await paymentOf(session) },
      },
    );
    expect(answer.body.error).toMatchObject({ code: 'invalid_payment_state', param: 'id' });
  });

  test('names it though payments of other networks that have ended were shown the same amount', async () => {
    const address = '0x4200000000000000000000000000000000000042';
    const merchant = await app.newMerchant();
    const shown: string[] = [];
    for (const network of ['base', 'ethereum', 'arbitrum']) {
      const wallet = await merchant.createWallet({ address, network });
      const session = await merchant.createSession({ payout_wallet_id: wallet.id });
      await app.inject('POST', `/v1/public/checkout/sessions/${session.id}/pay`, {
        body: { pay_asset: 'USDC', pay_network: network },
      });
      shown.push(await paymentOf(session));
    }
    for (const open of shown) {
      await app.ctx.db.query(
        'test_end',
        `update payments set status = case id when $2 then 'pending' else 'paid' end where id = any($1)`,
        [shown, open],
      );
      const amountUnits = 98_000_777n + BigInt(shown.indexOf(open));
      await app.ctx.db.query(
        'test_amount',
        `update reserved_amounts set amount_units = $2 where payment_id = any($1)`,
        [shown, amountUnits],
      );
      await arrive(address, { network: 'polygon', amountUnits, livemode: false });
      expect((await merchant.get('/transfers')).data[0]).toMatchObject({ reason: 'wrong_network', payment: open });
    }
  });

  test.each([
    [{ limit: 0 }, 'limit'],
    [{ limit: 101 }, 'limit'],
    [{ cursor: 'cur_x' }, 'cursor'],
    [{ starting_after: UNKNOWN }, 'starting_after'],
    [{ unattributed: 'maybe' }, 'unattributed'],
  ])('%j: 400 invalid_list_request', async (query, param) => {
    await expect(app.merchant.live.get('/transfers', query)).rejects.toMatchObject({
      status: 400,
      code: 'invalid_list_request',
      param,
    });
  });
});

describe('POST /v1/transfers/{id}/assign and /handle', () => {
  test.each(['assign', 'handle', 'reopen', 'release'])(
    '%s: an unknown, malformed or foreign transfer: 404',
    async (verb) => {
      const own = (await shop('0x5000000000000000000000000000000000000005')).dashboard;
      await shop('0x6000000000000000000000000000000000000006');
      const foreign = await arrive('0x6000000000000000000000000000000000000006');
      for (const id of [UNKNOWN, 'tr_x', 'nothing', foreign]) {
        await expect(
          own.post(
            `/transfers/${id}/${verb}`,
            verb === 'assign' ? { payment: 'pay_000000000000000000000000' } : undefined,
          ),
        ).rejects.toMatchObject({ status: 404, code: 'not_found' });
      }
    },
  );

  test('a payment of another account, or of another asset: 400 invalid_request', async () => {
    const address = '0x7000000000000000000000000000000000000007';
    const merchant = await shop(address);
    const other = await shop('0x8000000000000000000000000000000000000008');
    const id = await arrive(address);
    const wallet = await merchant.createWallet({ asset: 'USDT', network: 'ethereum', address });
    const payments = [
      await paymentOf(await other.createSession()),
      await paymentOf(await merchant.createSession({ payout_wallet_id: wallet.id })),
      'pay_000000000000000000000000',
      'x',
    ];
    for (const payment of payments) {
      await expect(merchant.dashboard.post(`/transfers/${id}/assign`, { payment })).rejects.toMatchObject({
        status: 400,
        code: 'invalid_request',
        param: 'payment',
      });
    }
  });

  test('a transfer that belongs to a payment already: 400 invalid_payment_state', async () => {
    const address = '0x9000000000000000000000000000000000000009';
    const merchant = await shop(address);
    const id = await arrive(address);
    const [one, two] = [
      await paymentOf(await merchant.createSession()),
      await paymentOf(await merchant.createSession()),
    ];
    const assigned = await merchant.dashboard.post(`/transfers/${id}/assign`, { payment: one });
    expect(assigned.payment).toBe(one);
    expect(await merchant.dashboard.post(`/transfers/${id}/assign`, { payment: one })).toEqual(assigned);
    await expect(merchant.dashboard.post(`/transfers/${id}/assign`, { payment: two })).rejects.toMatchObject({
      status: 400,
      code: 'invalid_payment_state',
    });
    await expect(merchant.dashboard.post(`/transfers/${id}/handle`)).rejects.toMatchObject({
      status: 400,
      code: 'invalid_payment_state',
    });
  });

  test('a transfer that another payment takes at the same moment: 400 invalid_payment_state', async () => {
    const address = '0x9100000000000000000000000000000000000009';
    const merchant = await shop(address);
    const id = await arrive(address);
    const [one, two] = [
      await paymentOf(await merchant.createSession()),
      await paymentOf(await merchant.createSession()),
    ];
    await holding(
      app.ctx.db,
      { sql: 'select from transfers where id = $1 for update', id },
      () =>
        expect(merchant.dashboard.post(`/transfers/${id}/assign`, { payment: two })).rejects.toMatchObject({
          status: 400,
          code: 'invalid_payment_state',
        }),
      (db) =>
        saveAttributions(db, [
          { transferId: id, attribution: { type: 'taken', paymentId: one, targetId: null, by: 'amount' } },
        ]),
    );
    const { data } = await merchant.get('/transfers');
    expect(data).toMatchObject([{ id, payment: one }]);
  });

  test('if two accounts have saved the address, only the one that has proved it decides: 403', async () => {
    const address = '0xA00000000000000000000000000000000000000A';
    const [one, two] = [await shop(address.toLowerCase()), await shop(address.toLowerCase())];
    const id = await arrive(address);
    const payment = await paymentOf(await one.createSession());
    await expect(one.dashboard.post(`/transfers/${id}/assign`, { payment })).rejects.toMatchObject({
      status: 403,
      code: 'forbidden',
    });

    await app.ctx.db.query(
      'test_prove',
      `
      insert into address_owners (livemode, network, address, account_id, method, proved_at)
      select livemode, network, address, account_id, 'signature', created_at from payout_wallets where account_id = $1`,
      [one.accountId],
    );
    expect((await one.dashboard.post(`/transfers/${id}/assign`, { payment })).payment).toBe(payment);
    expect((await two.get('/transfers')).data).toEqual([]);
  });

  test('a secret key: 403', async () => {
    await expect(
      app.merchant.live.post(`/transfers/${UNKNOWN}/assign`, { payment: 'pay_000000000000000000000000' }),
    ).rejects.toMatchObject({ status: 403, code: 'forbidden' });
    await expect(app.merchant.live.post(`/transfers/${UNKNOWN}/release`)).rejects.toMatchObject({ status: 403 });
    await expect(app.merchant.live.post(`/transfers/${UNKNOWN}/handle`)).rejects.toMatchObject({
      status: 403,
      code: 'forbidden',
    });
  });
});

describe('a transfer that is marked as handled', () => {
  test('keeps a note, is listed among all of them, and is open again after /reopen', async () => {
    const address = '0xB00000000000000000000000000000000000000B';
    const merchant = await shop(address.toLowerCase());
    const id = await arrive(address);
    const open = async () =>
      (await merchant.get('/transfers', { unattributed: 'true' })).data.map((one: any) => one.id);
    const { dashboard } = merchant;
    const handled = await dashboard.post(`/transfers/${id}/handle`);
    expect(handled).toMatchObject({ id, handled_at: expect.stringMatching(/Z$/), handled_note: null });
    expect(await open()).toEqual([]);
    const note = { note: ' Sent back by hand ' };
    expect(await dashboard.post(`/transfers/${id}/handle`, note)).toEqual({
      ...handled,
      handled_note: 'Sent back by hand',
    });
    expect((await merchant.get('/transfers')).data).toMatchObject([{ id, handled_note: 'Sent back by hand' }]);

    const reopened = await dashboard.post(`/transfers/${id}/reopen`);
    expect(reopened).toMatchObject({ id, handled_at: null, handled_note: null });
    expect(await dashboard.post(`/transfers/${id}/reopen`)).toEqual(reopened);
    expect(await open()).toEqual([id]);
    await expect(merchant.post(`/transfers/${id}/reopen`)).rejects.toMatchObject({ status: 403 });
    await expect(dashboard.post(`/transfers/${id}/handle`, { note: 'n'.repeat(281) })).rejects.toMatchObject({
      status: 400,
      code: 'invalid_request',
      param: 'note',
    });
  });

  test('shows the payment that it belongs to, with its own status and order', async () => {
    const address = '0xC00000000000000000000000000000000000000C';
    const merchant = await shop(address.toLowerCase());
    const id = await arrive(address);
    expect((await merchant.get('/transfers')).data).toMatchObject([{ payment_status: null, order_id: null }]);
    const payment = await paymentOf(await merchant.createSession({ order_id: 'order-7' }));
    const { status } = await merchant.dashboard
      .post(`/transfers/${id}/assign`, { payment })
      .then(() => merchant.get(`/payments/${payment}`));
    expect((await merchant.get('/transfers')).data).toMatchObject([
      { id, payment, payment_status: status, order_id: 'order-7' },
    ]);
    expect(status).not.toBe('paid');
  });
});

describe('POST /v1/payments/{id}/accept', () => {
  test('a payment that is not refund_required, or of which nothing arrived: 400 invalid_payment_state', async () => {
    const { merchant } = app;
    const open = await merchant.createSession();
    const stuck = await merchant.createSession();
    await merchant.post(`/test_helpers/checkout/sessions/${stuck.id}/pay`, {
      pay_asset: 'BTC',
      pay_network: 'bitcoin',
      outcome: 'refund_required',
    });
    for (const session of [open, stuck]) {
      await expect(merchant.dashboard.post(`/payments/${await paymentOf(session)}/accept`)).rejects.toMatchObject({
        status: 400,
        code: 'invalid_payment_state',
      });
    }
  });

  test('a short one becomes paid, once; a paid one is answered unchanged', async () => {
    const { merchant } = app;
    const session = await merchant.createSession();
    await merchant.pay(session.id, 'refund_required');
    const id = await paymentOf(session);
    const first = await merchant.dashboard.post(`/payments/${id}/accept`);
    expect(first).toMatchObject({ status: 'paid', failure_reason: null });
    expect(await merchant.dashboard.post(`/payments/${id}/accept`)).toEqual(first);
    await expect(merchant.post(`/payments/${id}/accept`)).rejects.toMatchObject({ status: 403 });
  });
});

describe('GET /v1/payments/{id}/timeline', () => {
  test('lists statuses, quotes, transfers and the refund in order', async () => {
    const { merchant } = app;
    const session = await merchant.createSession();
    await merchant.post(`/test_helpers/checkout/sessions/${session.id}/pay`, {
      pay_asset: 'BTC',
      pay_network: 'bitcoin',
      outcome: 'paid',
    });
    const id = await paymentOf(session);
    await merchant.post(`/payments/${id}/refund`, { reason: 'Out of ferns' });
    const { payment, entries } = await merchant.get(`/payments/${id}/timeline`);
    expect(payment).toBe(id);
    expect(entries.map((entry: { at: string }) => entry.at)).toEqual(
      entries.map((entry: { at: string }) => entry.at).sort(),
    );
    expect(
      entries
        .filter((entry: { type: string }) => entry.type === 'status')
        .map((entry: { data: { status: string } }) => entry.data.status),
    ).toEqual(['created', 'pending', 'routing', 'settling', 'paid', 'refunded']);
    expect(new Set(entries.map((entry: { type: string }) => entry.type))).toEqual(
      new Set(['status', 'quote', 'transfer', 'refund']),
    );
  });

  test('a foreign payment: 404', async () => {
    const other = await app.newMerchant();
    const id = await paymentOf(await app.merchant.createSession());
    await expect(other.get(`/payments/${id}/timeline`)).rejects.toMatchObject({ status: 404, code: 'not_found' });
  });
});

/** A merchant in live mode whose wallet takes USDC on Base. */
async function shop(address: string): Promise<Merchant> {
  const merchant = await app.newMerchant({ mode: 'live' });
  await merchant.createWallet({ address });
  return merchant;
}

/** Unexpected money. */
async function arrive(
  to: string,
  {
    minutesAgo = 1,
    livemode,
    ...fields
  }: Partial<Pick<Transfer, 'amountUnits' | 'network'>> & { minutesAgo?: number; livemode?: boolean } = {},
): Promise<string> {
  const time = later(await app.ctx.db.now(), -minutesAgo * MINUTE_MS);
  return arrived(app.ctx, transferTo(to, { ...fields, block: { number: 1n, hash: '0x1', time } }), livemode);
}

function paymentOf(session: { id: string }): Promise<string> {
  return paymentOfSession(app.ctx.db, session.id);
}
