import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DAY_MS, later } from '../../../src/platform/time.ts';
import { startApp, type TestApp } from '../../support/index.ts';

let app: TestApp;
let production: TestApp;

beforeAll(async () => {
  app = await startApp();
  production = await startApp({ env: { WEBHOOK_ALLOW_PRIVATE: 'false' } });
});
afterAll(async () => {
  await app?.stop();
  await production?.stop();
});

describe('POST /v1/webhook-endpoints', () => {
  test('answers 201 with the endpoint, active, and its secret', async () => {
    const answer = await app.merchant.request('POST', '/webhook-endpoints', {
      body: { url: 'https://shop.example/hooks?x=1', events: ['payment.paid'] },
    });
    expect(answer.status).toBe(201);
    expect(answer.body.data).toMatchObject({
      object: 'webhook_endpoint',
      url: 'https://shop.example/hooks?x=1',
      events: ['payment.paid'],
      status: 'active',
      livemode: false,
      delivery_status: { pending: 0, last_outcome: null, last_response_code: null, last_attempt_at: null },
    });
    expect(answer.body.data.id).toMatch(/^we_[0-9A-Za-z]{24}$/);
    expect(answer.body.data.secret).toMatch(/^whsec_[A-Za-z0-9+/]{32}$/);
    expect(answer.body.request_id).toMatch(/^req_/);
  });

  test('an event named twice is subscribed to once', async () => {
    const endpoint = await app.merchant.createEndpoint({ events: ['payment.paid', 'payment.failed', 'payment.paid'] });
    expect(endpoint.events).toEqual(['payment.paid', 'payment.failed']);
  });

  test('the same Idempotency-Key answers the same secret, which is sealed where it is stored', async () => {
    const body = { url: 'https://shop.example/keyed', events: ['payment.paid'] };
    const first = await app.merchant.request('POST', '/webhook-endpoints', {
      body,
      headers: { 'idempotency-key': 'hook-1' },
    });
    const second = await app.merchant.request('POST', '/webhook-endpoints', {
      body,
      headers: { 'idempotency-key': 'hook-1' },
    });
    expect(second.raw).toBe(first.raw);
    expect(second.headers['idempotent-replayed']).toBe('true');
    const [stored] = await app.ctx.db.query<{ body: Buffer }>(
      'stored_answer',
      `select body from idempotency_keys where key = 'hook-1'`,
    );
    expect(stored?.body.toString('latin1')).not.toContain('whsec_');
  });

  test.each([
    [{ url: undefined }, 'url'],
    [{ url: 7 }, 'url'],
    [{ url: '' }, 'url'],
    [{ url: 'not a url' }, 'url'],
    [{ url: '/hooks' }, 'url'],
    [{ url: 'ftp://shop.example/' }, 'url'],
    [{ url: 'https://user:pass@shop.example/' }, 'url'],
    [{ url: `https://shop.example/${'x'.repeat(2100)}` }, 'url'],
    [{ url: 'https://shop.example/\u0000' }, 'url'],
    [{ url: 'http://169.254.169.254/latest' }, 'url'],
    [{ url: 'https://[fd00:ec2::254]/' }, 'url'],
    [{ events: undefined }, 'events'],
    [{ events: [] }, 'events'],
    [{ events: 'payment.paid' }, 'events'],
    [{ events: null }, 'events'],
    [{ events: ['checkout_session.created'] }, 'events[0]'],
    [{ events: ['payment.paid', 'payment.unknown'] }, 'events[1]'],
    [{ events: [7] }, 'events[0]'],
  ])('%j answers 400 invalid_webhook_endpoint with the field', async (fields, param) => {
    const answer = await app.merchant.request('POST', '/webhook-endpoints', {
      body: { url: 'https://shop.example/', events: ['payment.paid'], ...fields },
    });
    expect(answer).toMatchObject({ status: 400, body: { error: { code: 'invalid_webhook_endpoint', param } } });
  });

  test('our own address answers 400, in development by its port', async () => {
    await expect(app.merchant.createEndpoint({ url: app.config.publicUrl })).rejects.toMatchObject({
      status: 400,
      param: 'url',
    });
  });

  test('plain http and this machine are allowed in the development profile', async () => {
    expect(await app.merchant.createEndpoint({ url: 'http://127.0.0.1:9999/hook' })).toMatchObject({
      status: 'active',
    });
  });

  test.each([
    'http://shop.example/',
    'https://127.0.0.1/',
    'https://localhost/',
    'https://10.0.0.7/',
    'https://printer/',
    'https://db.internal/',
    'https://shop.example:5432/',
  ])('%s answers 400 where private addresses are not allowed', async (url) => {
    await expect(production.merchant.createEndpoint({ url })).rejects.toMatchObject({
      status: 400,
      code: 'invalid_webhook_endpoint',
      param: 'url',
    });
  });

  test.each([
    ['https://münchen.example/hooks', 'https://xn--mnchen-3ya.example/hooks'],
    [
      'https://例え.テスト.example:8443/フック?ü=1',
      'https://xn--r8jz45g.xn--zckzah.example:8443/%E3%83%95%E3%83%83%E3%82%AF?%C3%BC=1',
    ],
    ['https://BÜCHER。example/', 'https://xn--bcher-kva.example/'],
    ['https://xn--mnchen-3ya.example/hooks', 'https://xn--mnchen-3ya.example/hooks'],
    ['https://shop.example', 'https://shop.example'],
  ])('%s is accepted, and shown in the letters of a URI', async (url, shown) => {
    expect(await production.merchant.createEndpoint({ url })).toMatchObject({ url: shown });
  });

  test.each([
    'https://１２７.０.０.１/',
    'https://ｌｏｃａｌｈｏｓｔ/',
    'https://ⓟⓡⓘⓝⓣⓔⓡ/',
    'https://sho p.example/',
    'https:\\\\shop.example/',
    'https:shop.example',
    'https://shop.example/a b',
    'https://shop.example/\u0009x',
    'https://shop.example/"x"',
    'https://shop.example/%zz',
    'https://sh／op.example/',
    'https://93.184.216.34:22/',
    'https://93.184.216.34:5432/',
    'https://[2606:2800:220:1::1]:6379/',
    'https://[2606:2800:220:1::1]:25/',
  ])('%s answers 400 with a reason that names the URL', async (url) => {
    const { status, body } = await production.merchant.request('POST', '/webhook-endpoints', {
      body: { url, events: ['payment.paid'] },
    });
    expect([status, body.error?.code, body.error?.param]).toEqual([400, 'invalid_webhook_endpoint', 'url']);
    expect(body.error.message).toMatch(/URL|port/);
  });

  test.each(['https://93.184.216.34/', 'https://93.184.216.34:8443/', 'https://[2606:2800:220:1::1]:9000/'])(
    '%s is accepted',
    async (url) => {
      expect(await production.merchant.createEndpoint({ url })).toMatchObject({ url });
    },
  );

  test('a name that does not resolve yet is accepted', async () => {
    expect(await production.merchant.createEndpoint({ url: 'https://hooks.not-yet.example/' })).toMatchObject({
      status: 'active',
    });
  });

  test('the endpoint after the twentieth answers 400, also of many created at once', async () => {
    const merchant = await app.newMerchant();
    const answers = await Promise.all(
      Array.from({ length: 25 }, () =>
        merchant.request('POST', '/webhook-endpoints', {
          body: { url: 'https://shop.example/', events: ['payment.paid'] },
        }),
      ),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(20);
    expect(answers.filter(({ status }) => status === 400)).toHaveLength(5);
    expect(await merchant.live.createEndpoint()).toMatchObject({ livemode: true });
  });

  test('429 rate_limited: the two hundred and first endpoint in 24 hours, though the others were deleted and the test clock moved', async () => {
    const merchant = await app.newMerchant();
    const { id } = await merchant.createEndpoint();
    await deleteCopies(id, 198);
    await merchant.delete(`/webhook-endpoints/${(await merchant.createEndpoint()).id}`);
    await merchant.post('/test_helpers/clock/advance', { seconds: 366 * 86_400 });
    const refused = () =>
      expect(merchant.createEndpoint()).rejects.toMatchObject({ status: 429, code: 'rate_limited' });
    await refused();
    await merchant.delete(`/webhook-endpoints/${id}`);
    await refused();
    expect(await merchant.live.createEndpoint()).toMatchObject({ livemode: true });

    const dayBefore = later(await app.ctx.db.now(), -DAY_MS);
    await app.ctx.db.query('test_age', 'update webhook_endpoints set deleted_at = $2 where id = $1', [id, dayBefore]);
    expect(await merchant.createEndpoint()).toMatchObject({ status: 'active' });
  });
});

describe('GET /v1/webhook-endpoints', () => {
  test('lists the endpoints of this account and mode, newest first, without secrets', async () => {
    const merchant = await app.newMerchant();
    const first = await merchant.createEndpoint();
    const second = await merchant.createEndpoint();
    await merchant.live.createEndpoint();
    await app.merchant.createEndpoint();

    const page = await merchant.get('/webhook-endpoints');
    expect(page.data.map((endpoint: { id: string }) => endpoint.id)).toEqual([second.id, first.id]);
    expect(page.pagination).toEqual({ cursor: null, has_more: false });
    expect(page.data[0]).not.toHaveProperty('secret');
    expect(page.data[0].delivery_status).toMatchObject({
      pending: 0,
      last_outcome: null,
      recent_delivered: 0,
      recent_failed: 0,
    });
  });

  test('pages by cursor and by id', async () => {
    const merchant = await app.newMerchant();
    for (let made = 0; made < 5; made += 1) await merchant.createEndpoint();
    const first = await merchant.get('/webhook-endpoints', { limit: 2 });
    const second = await merchant.get('/webhook-endpoints', { limit: 2, cursor: first.pagination.cursor });
    const third = await merchant.get('/webhook-endpoints', { limit: 2, starting_after: second.data[1].id });
    const ids = [...first.data, ...second.data, ...third.data].map((endpoint: { id: string }) => endpoint.id);
    expect(new Set(ids).size).toBe(5);
    expect(third.pagination.has_more).toBe(false);
  });
});

describe('DELETE /v1/webhook-endpoints/{id}', () => {
  test('answers 200 and the endpoint is gone; a second time it is a 404', async () => {
    const merchant = await app.newMerchant();
    const { id } = await merchant.createEndpoint();
    expect(await merchant.delete(`/webhook-endpoints/${id}`)).toEqual({ id, deleted: true });
    expect((await merchant.get('/webhook-endpoints')).data).toEqual([]);
    await expect(merchant.delete(`/webhook-endpoints/${id}`)).rejects.toMatchObject({ status: 404, code: 'not_found' });
  });

  test("another account's and another mode's endpoints answer like missing ones", async () => {
    const { id } = await (await app.newMerchant()).createEndpoint();
    const own = await app.merchant.live.createEndpoint();
    const answers = await Promise.all(
      [id, own.id, `we_${'0'.repeat(24)}`, 'we_nonsense'].map((one) =>
        app.merchant.request('DELETE', `/webhook-endpoints/${one}`),
      ),
    );
    for (const answer of answers)
      expect({ ...answer.body, request_id: '' }).toEqual({ ...answers[0]?.body, request_id: '' });
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
  });
});

describe('POST /v1/webhook-endpoints/{id}/enable', () => {
  test('an active endpoint is answered unchanged', async () => {
    const { secret: _, ...endpoint } = await app.merchant.createEndpoint();
    expect(await app.merchant.post(`/webhook-endpoints/${endpoint.id}/enable`)).toEqual(endpoint);
  });

  test('a missing endpoint answers 404', async () => {
    await expect(app.merchant.post(`/webhook-endpoints/we_${'0'.repeat(24)}/enable`)).rejects.toMatchObject({
      status: 404,
    });
  });
});

describe('POST /v1/webhook-endpoints/{id}/rotate-secret', () => {
  test('answers another secret', async () => {
    const endpoint = await app.merchant.createEndpoint();
    const rotated = await app.merchant.post(`/webhook-endpoints/${endpoint.id}/rotate-secret`);
    expect(rotated.secret).toMatch(/^whsec_[A-Za-z0-9+/]{32}$/);
    expect(rotated.secret).not.toBe(endpoint.secret);
  });

  test.each([-1, 1.5, '60', 604_801, null])('overlap_seconds %j answers 400', async (overlap) => {
    const { id } = await app.merchant
      .createEndpoint()
      .catch(async () => (await app.merchant.get('/webhook-endpoints')).data[0]);
    await expect(
      app.merchant.post(`/webhook-endpoints/${id}/rotate-secret`, { overlap_seconds: overlap }),
    ).rejects.toMatchObject({ status: 400, code: 'invalid_webhook_endpoint', param: 'overlap_seconds' });
  });

  test('a missing endpoint answers 404', async () => {
    await expect(app.merchant.post(`/webhook-endpoints/we_${'0'.repeat(24)}/rotate-secret`)).rejects.toMatchObject({
      status: 404,
    });
  });
});

/** As if as many endpoints like this one had been created and deleted just now. */
async function deleteCopies(id: string, count: number): Promise<void> {
  await app.ctx.db.query(
    'test_delete_copies',
    `
    insert into webhook_endpoints (id, account_id, livemode, url, events, secret, status, created_at, deleted_at)
    select id || n, account_id, livemode, url, events, secret, status, created_at, $3
      from webhook_endpoints, generate_series(1, $2::integer) n where id = $1`,
    [id, count, await app.ctx.db.now()],
  );
}
