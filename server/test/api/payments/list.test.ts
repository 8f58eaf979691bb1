import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../../src/platform/ids.ts';
import { type Merchant, startApp, type TestApp } from '../../support/index.ts';
import { paymentOfSession } from '../../support/payments.ts';

let app: TestApp;
let merchant: Merchant;
let payments: Listed[];

/** Oldest first, a day apart. */
const LIVES = [
  { status: 'created', route: 'direct', started: false },
  { status: 'expired', route: 'direct', started: false },
  { status: 'pending', route: 'direct', started: true },
  { status: 'paid', route: 'direct', started: true },
  { status: 'paid', route: 'routed', started: true },
  { status: 'expired', route: 'routed', started: true },
  { status: 'refund_required', route: 'direct', started: true },
  { status: 'paid', route: 'routed', started: true },
] as const;
type Listed = (typeof LIVES)[number] & { id: string; day: string };

beforeAll(async () => {
  app = await startApp();
  merchant = await app.newMerchant();
  payments = await Promise.all(
    LIVES.map(async (life, at) => {
      const session = await merchant.createSession({ order_id: `o-${at}` });
      const day = `2026-03-0${at + 1}`;
      const [row] = await app.ctx.db.query<{ id: string }>(
        'test_live',
        `
      update payments set status = $2, route = $3, created_at = $4, started_at = $5 where session_id = $1 returning id`,
        [
          session.id,
          life.status,
          life.route,
          new Date(`${day}T12:00:00Z`),
          life.started ? new Date(`${day}T12:01:00Z`) : null,
        ],
      );
      return { ...life, id: row?.id as string, day };
    }),
  );
  await (await app.newMerchant()).createSession();
  await merchant.live.createSession();
});
afterAll(() => app.stop());

const ids = (page: { data: { id: string }[] }) => page.data.map((payment) => payment.id);
const expected = (condition: (payment: Listed) => boolean) =>
  payments
    .filter(condition)
    .map((payment) => payment.id)
    .reverse();

describe('GET /v1/payments', () => {
  test('answers what was started, newest first, each as reading it answers', async () => {
    const page = await merchant.get('/payments');
    expect(ids(page)).toEqual(expected((payment) => payment.started));
    expect(page.pagination).toEqual({ cursor: null, has_more: false });
    for (const payment of page.data) expect(await merchant.get(`/payments/${payment.id}`)).toEqual(payment);
  });

  test.each(['created', 'pending', 'routing', 'settling', 'paid', 'failed', 'expired', 'refund_required', 'refunded'])(
    'with status=%s answers all of that status, started or not',
    async (status) => {
      expect(ids(await merchant.get('/payments', { status }))).toEqual(
        expected((payment) => payment.status === status),
      );
    },
  );

  test.each(['direct', 'routed'])('with route=%s answers that route', async (route) => {
    expect(ids(await merchant.get('/payments', { route }))).toEqual(
      expected((payment) => payment.route === route && payment.started),
    );
    expect(ids(await merchant.get('/payments', { route, status: 'paid' }))).toEqual(
      expected((payment) => payment.route === route && payment.status === 'paid'),
    );
    expect(ids(await merchant.get('/payments', { route, status: 'expired' }))).toEqual(
      expected((payment) => payment.route === route && payment.status === 'expired'),
    );
  });

  test('a + that was not encoded is still a +, in an offset and in an email address', async () => {
    const other = await app.newMerchant();
    const kim = await other.createSession({ customer: { email: 'kim+shop@example.com' } });
    const answer = await other.request('GET', '/payments?status=created&customer_email=kim+shop@example.com');
    expect(answer.body.data.map(({ session }: { session: string }) => session)).toEqual([kim.id]);
    const since = await merchant.request('GET', '/payments?created_after=9999-01-01T00:00:00+02:00');
    expect([since.status, since.body.data]).toEqual([200, []]);
  });

  test('created_after includes its instant, created_before does not', async () => {
    const within = (query: Record<string, string>) => merchant.get('/payments', query).then(ids);
    expect(await within({ created_after: '2026-03-04T12:00:00Z' })).toEqual(
      expected((payment) => payment.started && payment.day >= '2026-03-04'),
    );
    expect(await within({ created_after: '2026-03-04T12:00:00.001Z' })).toEqual(
      expected((payment) => payment.started && payment.day > '2026-03-04'),
    );
    expect(await within({ created_before: '2026-03-04T12:00:00Z' })).toEqual(
      expected((payment) => payment.started && payment.day < '2026-03-04'),
    );
    expect(await within({ created_after: '2026-03-04', created_before: '2026-03-06' })).toEqual(
      expected((payment) => payment.day === '2026-03-04' || payment.day === '2026-03-05'),
    );
    expect(
      await within({ created_after: '2026-03-04T14:00:00+02:00', created_before: '2026-03-04T12:00:00.001' }),
    ).toEqual(expected((payment) => payment.day === '2026-03-04'));
    expect(await within({ created_after: '2026-03-06', created_before: '2026-03-04' })).toEqual([]);
    expect(await within({ created_after: '0001-01-01', created_before: '9999-12-31' })).toEqual(
      expected((payment) => payment.started),
    );
  });

  test.each([
    {},
    { status: 'paid' },
    { route: 'direct' },
    { status: 'paid', route: 'routed' },
    { created_after: '2026-03-03', created_before: '2026-03-08' },
    { status: 'expired' },
  ])('with %j gives page after page without a gap or a repeat, by cursor and by id', async (query) => {
    const whole = ids(await merchant.get('/payments', query));
    for (const by of ['cursor', 'id']) {
      const seen: string[] = [];
      let start: Record<string, string> = {};
      for (let more = true; more; ) {
        const page = await merchant.get('/payments', { ...query, limit: 1, ...start });
        seen.push(...ids(page));
        more = page.pagination.has_more;
        if (more)
          start = by === 'cursor' ? { cursor: page.pagination.cursor } : { starting_after: page.data.at(-1).id };
        else expect(page.pagination.cursor).toBe(null);
      }
      expect(seen).toEqual(whole);
    }
  });

  test('pages go on where they were while new payments arrive', async () => {
    const first = await merchant.get('/payments', { limit: 2 });
    const newer = await merchant.createSession();
    await app.ctx.db.query(
      'test_newer',
      `update payments set status = 'pending', started_at = created_at where session_id = $1`,
      [newer.id],
    );
    const second = await merchant.get('/payments', { limit: 2, cursor: first.pagination.cursor });
    expect([...ids(first), ...ids(second)]).toEqual(expected((payment) => payment.started).slice(0, 4));
    await app.ctx.db.query(
      'test_older',
      `update payments set started_at = null, status = 'created' where session_id = $1`,
      [newer.id],
    );
  });

  test('keeps apart payments of the same instant', async () => {
    const crowd = await app.newMerchant();
    await Promise.all(Array.from({ length: 7 }, () => crowd.createSession()));
    await app.ctx.db.query(
      'test_crowd',
      `update payments set status = 'pending', started_at = '2026-03-01', created_at = '2026-03-01' where account_id = $1`,
      [crowd.accountId],
    );
    const first = await crowd.get('/payments', { limit: 4 });
    const second = await crowd.get('/payments', { limit: 4, cursor: first.pagination.cursor });
    expect(new Set([...ids(first), ...ids(second)]).size).toBe(7);
  });

  test('answers 20 payments by default', async () => {
    const many = await app.newMerchant();
    await many.createWallet();
    await Promise.all(Array.from({ length: 23 }, () => many.createSession()));
    expect((await many.get('/payments', { status: 'created' })).data).toHaveLength(20);
    expect((await many.get('/payments', { status: 'created', limit: 100 })).data).toHaveLength(23);
  });

  test.each([
    ['limit', '0'],
    ['limit', '101'],
    ['limit', '-1'],
    ['limit', 'x'],
    ['limit', ''],
    ['limit', '2.0'],
    ['limit', '1e1'],
    ['status', 'open'],
    ['status', 'PAID'],
    ['status', ''],
    ['route', 'Direct'],
    ['route', 'swap'],
    ['created_after', 'yesterday'],
    ['created_after', '2026-02-30'],
    ['created_after', '1772323200'],
    ['created_before', ''],
    ['created_before', '2026-13-01T00:00:00Z'],
    ['cursor', 'x'],
    ['cursor', 'cur_x'],
    ['cursor', 'pay_x'],
    ['starting_after', 'pay_4Xq2LwZ8nT6vRb1KsYc9MdHf'],
    ['starting_after', 'cs_4Xq2LwZ8nT6vRb1KsYc9MdHf'],
    ['status', 'paid\u0000'],
    ['cursor', '\u0000'],
  ])('answers 400 for %s=%j', async (param, value) => {
    const answer = await merchant.request('GET', '/payments', { query: { [param]: value } });
    expect(answer.status).toBe(400);
    expect(answer.body.error).toMatchObject({ code: 'invalid_list_request', param });
  });

  test('answers 400 for a cursor of another account, mode or filter, and for a parameter given twice', async () => {
    const { pagination } = await merchant.get('/payments', { limit: 1 });
    const query = { limit: 1, cursor: pagination.cursor };
    const refusals = await Promise.all([
      app.merchant.request('GET', '/payments', { query }),
      merchant.live.request('GET', '/payments', { query }),
      merchant.request('GET', '/payments', { query: { ...query, status: 'paid' } }),
      merchant.request('GET', '/payments', { query: { ...query, created_after: '2026-01-01' } }),
      merchant.request('GET', '/payment-links', { query }),
    ]);
    for (const answer of refusals)
      expect([answer.status, answer.body.error]).toMatchObject([
        400,
        { code: 'invalid_list_request', param: 'cursor' },
      ]);
    const foreign = await app.merchant.request('GET', '/payments', { query: { starting_after: payments[3]?.id } });
    expect(foreign.body.error).toMatchObject({ code: 'invalid_list_request', param: 'starting_after' });
    expect((await merchant.request('GET', '/payments?limit=1&limit=2')).body.error).toMatchObject({
      code: 'invalid_list_request',
      param: 'limit',
    });
    expect((await merchant.request('GET', '/payments', { query: { cursor: 'a', starting_after: 'b' } })).status).toBe(
      400,
    );
  });
});

test("GET /v1/payments/{id} answers 404 for strangers' ids, the other mode's and unknown ones alike", async () => {
  const other = await app.newMerchant();
  const foreign = await paymentOf((await other.createSession()).id);
  const live = await paymentOf((await merchant.live.createSession()).id);
  const answers = await Promise.all(
    [foreign, live, newId('pay'), 'pay_x', newId('cs'), 'x'].map((id) => merchant.request('GET', `/payments/${id}`)),
  );
  for (const answer of answers) {
    expect(answer.status).toBe(404);
    expect(answer.body.error).toEqual(answers[0]?.body.error);
  }
  expect((await other.request('GET', `/payments/${foreign}`)).status).toBe(200);
});

function paymentOf(sessionId: string): Promise<string> {
  return paymentOfSession(app.ctx.db, sessionId);
}
