import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { newId } from '../../../src/platform/ids.ts';
import { openLink } from '../../../src/resources/payment-links/open.ts';
import { scripted } from '../../support/routes/scripted.ts';
import { startApp, type TestApp } from '../../support/index.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

describe('disable and enable', () => {
  test('switch the status, say so, and do it again without harm', async () => {
    const link = await app.merchant.createLink();
    const disabled = { ...link, status: 'disabled' };
    expect(await app.merchant.post(`/payment-links/${link.id}/disable`)).toEqual(disabled);
    expect(await app.merchant.post(`/payment-links/${link.id}/disable`)).toEqual(disabled);
    expect(await app.merchant.get(`/payment-links/${link.id}`)).toEqual(disabled);
    expect(await app.merchant.post(`/payment-links/${link.id}/enable`)).toEqual(link);
    expect(await app.merchant.post(`/payment-links/${link.id}/enable`)).toEqual(link);
  });

  test('answer a repeat with the first answer, even where the link was switched since', async () => {
    const link = await app.merchant.createLink();
    const first = await app.merchant.post(`/payment-links/${link.id}/disable`, undefined, { idempotencyKey: 'off' });
    await app.merchant.post(`/payment-links/${link.id}/enable`);
    expect(await app.merchant.post(`/payment-links/${link.id}/disable`, undefined, { idempotencyKey: 'off' })).toEqual(
      first,
    );
    expect((await app.merchant.get(`/payment-links/${link.id}`)).status).toBe('active');
  });

  test('take an empty body, with a content type or without', async () => {
    const link = await app.merchant.createLink();
    for (const input of [{}, { body: {} }, { body: '' }]) {
      expect((await app.merchant.request('POST', `/payment-links/${link.id}/disable`, input)).status).toBe(200);
    }
  });
});

test.each([
  ['GET', ''],
  ['POST', '/disable'],
  ['POST', '/enable'],
] as const)(
  "%s /v1/payment-links/{id}%s answers 404 for strangers' ids, the other mode's and unknown ones alike",
  async (method, action) => {
    const stranger = await (await app.newMerchant()).createLink();
    const live = await app.merchant.live.createLink();
    const answers = await Promise.all(
      [stranger.id, live.id, newId('pl'), 'pl_short', 'cs_4Xq2LwZ8nT6vRb1KsYc9MdHf', '%00'].map((id) =>
        app.merchant.request(method, `/payment-links/${id}${action}`),
      ),
    );
    for (const answer of answers.slice(0, -1)) {
      expect(answer.status).toBe(404);
      expect(answer.body.error).toEqual(answers[0]?.body.error);
    }
    expect(answers.at(-1)?.status).toBeLessThan(500);
  },
);

describe('GET /v1/payment-links', () => {
  test("lists this account's links of this mode, newest first, page by page", async () => {
    const merchant = await app.newMerchant();
    const links = [];
    for (let at = 0; at < 7; at += 1) links.unshift(await merchant.createLink({ description: `Link ${at}` }));
    await merchant.live.createLink();

    expect(await merchant.get('/payment-links')).toMatchObject({
      data: links,
      pagination: { cursor: null, has_more: false },
    });
    const first = await merchant.get('/payment-links', { limit: 3 });
    expect(first.data).toEqual(links.slice(0, 3));
    expect(first.pagination).toEqual({ cursor: expect.stringMatching(/^cur_/), has_more: true });
    const second = await merchant.get('/payment-links', { limit: 3, cursor: first.pagination.cursor });
    expect(second.data).toEqual(links.slice(3, 6));
    const third = await merchant.get('/payment-links', { limit: 3, starting_after: second.data[2].id });
    expect(third).toMatchObject({ data: links.slice(6), pagination: { cursor: null, has_more: false } });
  });

  test('answers 25 links by default, and no more than 100', async () => {
    const merchant = await app.newMerchant();
    await merchant.createWallet();
    await Promise.all(Array.from({ length: 30 }, () => merchant.createLink()));
    expect((await merchant.get('/payment-links')).data).toHaveLength(25);
    expect((await merchant.get('/payment-links', { limit: 100 })).data).toHaveLength(30);
    for (const limit of ['0', '101', '-1', '1.5', 'ten', '', '1e1']) {
      const answer = await merchant.request('GET', '/payment-links', { query: { limit } });
      expect([answer.status, answer.body.error]).toMatchObject([400, { code: 'invalid_list_request', param: 'limit' }]);
    }
  });

  test('answers 400 for a cursor of another account or another list, and for an unknown one', async () => {
    const stranger = await app.newMerchant();
    await stranger.createLink();
    await stranger.createLink();
    const { pagination } = await stranger.get('/payment-links', { limit: 1 });
    const foreign = await stranger.createLink();
    for (const cursor of [pagination.cursor, foreign.id, newId('pl'), 'cur_', 'cur_x', 'nonsense', newId('cs')]) {
      const answer = await app.merchant.request('GET', '/payment-links', { query: { cursor } });
      expect([answer.status, answer.body.error]).toMatchObject([
        400,
        { code: 'invalid_list_request', param: 'cursor' },
      ]);
    }
  });
});

describe('opening a link', () => {
  test('makes a session of its own with everything the link says, every time', async () => {
    const merchant = await app.newMerchant();
    const link = await merchant.createLink({
      amount: '12.30',
      currency: 'EUR',
      order_id: 'o-7',
      metadata: { a: 'b' },
      description: 'Seat',
      success_url: 'https://shop.example.com/',
    });
    const [first, second] = [await open(link.id), await open(link.id)];
    expect(first.session.id).not.toBe(second.session.id);

    const session = await merchant.get(`/checkout/sessions/${first.session.id}`);
    expect(session).toMatchObject({
      payment_link_id: link.id,
      amount: '12.30',
      currency: 'EUR',
      order_id: 'o-7',
      metadata: { a: 'b' },
      description: 'Seat',
      status: 'created',
      success_url: 'https://shop.example.com/',
      cancel_url: null,
      payout_wallet_id: link.payout_wallet_id,
      line_items: null,
      livemode: false,
    });
    expect(await merchant.get(`/payments/${first.payment.id}`)).toMatchObject({
      payment_link_id: link.id,
      session: session.id,
      status: 'created',
    });
    expect((await merchant.get(`/payment-links/${link.id}`)).payments).toBe(0);
  });

  test('by one key is one session for one visitor, and never the session of another', async () => {
    const link = await app.merchant.createLink();
    const open = async (from: string) => {
      const headers = { 'idempotency-key': 'order-1' };
      return (await app.inject('POST', `/v1/public/payment-links/${link.id}/open`, { headers, from })).body.data.id;
    };
    const ids = [await open('198.51.100.7'), await open('198.51.100.7'), await open('198.51.100.8')];
    const sixth = [await open('2001:db8:1:2::1'), await open('2001:db8:1:2::2'), await open('2001:db8:1:3::1')];
    expect([ids[1], new Set([...ids, ...sixth]).size, sixth[1]]).toEqual([ids[0], 4, sixth[0]]);
  });

  test('is refused once it is disabled, and works again once it is enabled; open sessions stay', async () => {
    const merchant = await app.newMerchant();
    const link = await merchant.createLink();
    const before = await open(link.id);
    await merchant.post(`/payment-links/${link.id}/disable`);
    await expect(open(link.id)).rejects.toMatchObject({ code: 'link_disabled', status: 409 });
    expect((await merchant.get(`/checkout/sessions/${before.session.id}`)).status).toBe('created');
    await merchant.post(`/payment-links/${link.id}/enable`);
    expect((await open(link.id)).session.paymentLinkId).toBe(link.id);
  });

  test('is rejected if its wallet was archived, or if the link does not exist', async () => {
    const merchant = await app.newMerchant();
    const link = await merchant.createLink();
    await merchant.createWallet({ network: 'polygon' });
    await merchant.dashboard.post(`/payout-wallets/${link.payout_wallet_id}/archive`);
    await expect(open(link.id)).rejects.toMatchObject({ code: 'link_disabled' });
    for (const id of [newId('pl'), 'pl_x', 'nothing'])
      await expect(open(id)).rejects.toMatchObject({ code: 'not_found' });
  });

  test('waits for a disabling that is under way, and then is refused', async () => {
    const merchant = await app.newMerchant();
    const link = await merchant.createLink();
    const [updated, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const disabling = app.ctx.db.transaction(async (db) => {
      await db.query('test_disable', `update payment_links set status = 'disabled' where id = $1`, [link.id]);
      updated.resolve();
      await released.promise;
    });
    await updated.promise;
    const opening = open(link.id).catch((error) => error);
    await app.ctx.db.now();
    released.resolve();
    await disabling;
    expect(await opening).toMatchObject({ code: 'link_disabled' });
  });

  test("in test mode happens at the account's own time", async () => {
    const merchant = await app.newMerchant();
    const link = await merchant.createLink();
    await app.ctx.db.query('test_ahead', `update accounts set test_clock_offset_ms = 86400000 where id = $1`, [
      merchant.accountId,
    ]);
    const now = await app.ctx.db.now();
    const { session } = await open(link.id);
    expect(session.createdAt.getTime() - now.getTime()).toBeGreaterThanOrEqual(86_400_000);
    expect((await merchant.live.createLink()).livemode).toBe(true);
  });
});

test('the payments of a link are listed and exported alone, together with the other filters', async () => {
  const merchant = await app.newMerchant();
  const [link, other] = [await merchant.createLink(), await merchant.createLink()];
  const opened = [await open(link.id), await open(link.id), await open(other.id)];
  for (const { session } of opened.slice(1)) await merchant.pay(session.id);
  const [unpaid = '', paid = ''] = opened.map(({ session }) => session.paymentId);
  const filter = { payment_link_id: link.id };
  const ids = async (query: Record<string, string>, by = merchant) =>
    (await by.get('/payments', query)).data.map(({ id }: { id: string }) => id);

  expect(await ids(filter)).toEqual([paid]);
  expect(await ids({ ...filter, status: 'created' })).toEqual([unpaid]);
  expect(await ids({ ...filter, route: 'routed' })).toEqual([]);
  expect(await ids({ ...filter, customer_reference: 'customer-1042' })).toEqual([]);
  expect(await ids(filter, await app.newMerchant())).toEqual([]);
  const { raw } = await app.inject('GET', `/dashboard/api/payments.csv?mode=test&payment_link_id=${link.id}`, {
    headers: { cookie: `session=${merchant.loginToken}` },
  });
  expect(raw.split('\r\n').filter((line) => line.startsWith('pay_'))).toEqual([expect.stringMatching(paid)]);
});

async function open(id: string) {
  const now = await app.ctx.db.now();
  return app.ctx.db.transaction((db) => openLink(db, id, now, null));
}

test('an opening asks route providers before its transaction, so that a silent one holds no connection', async () => {
  const open = { transactions: 0, atCalls: [] as number[] };
  const provider = scripted('silent');
  const router = {
    ...provider.router,
    supports: () => {
      open.atCalls.push(open.transactions);
      return new Promise<boolean>(() => {});
    },
  };
  const db = {
    ...app.ctx.db,
    transaction: (async (work) => {
      open.transactions += 1;
      return app.ctx.db.transaction(work).finally(() => {
        open.transactions -= 1;
      });
    }) as typeof app.ctx.db.transaction,
  };
  await using own = await startApp({ overrides: { db, routers: [router] } });
  const merchant = (await own.newMerchant()).live;
  await merchant.createWallet({
    asset: 'USDC',
    network: 'base',
    address: '0x52908400098527886E0F7030069857D2E4169EE7',
  });
  const link = await merchant.createLink();
  const opened = await own.inject('POST', `/v1/public/payment-links/${link.id}/open`);
  expect(opened.status).toBe(201);
  expect(open.atCalls.length).toBeGreaterThan(0);
  expect(open.atCalls.filter((transactions) => transactions > 0)).toEqual([]);
  const shown = await own.inject('GET', `/v1/public/checkout/sessions/${opened.body.data.id}`);
  expect(opened.body.data.options).toEqual(shown.body.data.options);
});

test('a form whose link was changed while it was sent says which field is refused now', async () => {
  const link = await app.merchant.createLink();
  const { db } = app.ctx;
  const transaction = db.transaction.bind(db);
  const changing = vi.spyOn(db, 'transaction').mockImplementationOnce(async (work) => {
    await app.merchant.patch(`/payment-links/${link.id}`, { ask_for: ['email'] });
    return transaction(work);
  });
  const { status, raw } = await app.inject('POST', `/pay/${link.id}/open`, {
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: '',
  });
  changing.mockRestore();
  expect(status).toBe(400);
  expect(raw.toString()).toMatch(/<input[^>]*name="email"[^>]*aria-invalid="true"/);
});
