import { endpoints } from '@quittance/contract';
import * as dashboard from '@quittance/contract/dashboard';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Endpoint } from '../../../../contract/src/endpoint.ts';
import { Pace } from '../../../src/platform/http/admission/pace.ts';
import { insertRequests } from '../../../src/resources/dashboard/request-log-store.ts';
import { type CopiedRow, copyRow, fillPayments } from '../../support/fill.ts';
import { startApp, type TestApp } from '../../support/index.ts';

const MAX_PAGE_BYTES = 256 * 1024;
const ROWS = 40;
/** Longer than these texts may be, so that no list relies on the limits of what it shows. */
const TEXT = 'v'.repeat(20_000);
const CUSTOMER = '0x8617E340B3D01FA5F11F306F4090FD50E238070D';

const EVENT = `convert_to((convert_from(one.body, 'UTF8')::jsonb || jsonb_build_object('id', 'evt_' || lpad(n::text, 24, '0'),
  'type', case when n % 4 = 0 then '' else '${TEXT}' end))::text, 'UTF8')`;
const TABLES = {
  payments: { prefix: 'pay' },
  refunds: { prefix: 'rf', large: { reason: TEXT } },
  payment_links: { prefix: 'pl', large: { description: TEXT } },
  transfers: { prefix: 'tr', at: 'block_time', large: { handled_note: TEXT }, unique: `'index', n` },
  payout_wallets: { prefix: 'pw', large: { label: TEXT }, unique: `'is_default', false` },
  webhook_endpoints: { prefix: 'we', large: { url: `https://shop.example/${TEXT}` } },
  deliveries: { prefix: 'dlv', at: 'recorded_at', large: { event_type: TEXT } },
  events: { prefix: 'evt', at: 'recorded_at', unique: `'body', ${EVENT}`, where: `type like 'payment.%'` },
  api_keys: { prefix: 'key', large: { label: TEXT }, unique: `'secret_hash', sha256(n::text::bytea)` },
  invitations: { prefix: 'inv', large: { label: TEXT }, unique: `'token_hash', sha256(n::text::bytea)` },
  request_log: { prefix: 'req', at: 'at', large: { path: TEXT } },
  payouts: { prefix: 'po', large: { note: TEXT }, unique: `'line', n + 1` },
  customers: { prefix: 'cus', at: 'last_paid_at', large: { name: TEXT }, unique: `'reference', 'cus_' || n` },
} satisfies Record<string, CopiedRow>;

const LISTS: Record<string, keyof typeof TABLES> = {
  '/v1/payments': 'payments',
  '/v1/payments/{payment}/refunds': 'refunds',
  '/v1/refunds': 'refunds',
  '/v1/payment-links': 'payment_links',
  '/v1/transfers': 'transfers',
  '/v1/payout-wallets': 'payout_wallets',
  '/v1/webhook-endpoints': 'webhook_endpoints',
  '/v1/webhook-endpoints/{endpoint}/deliveries': 'deliveries',
  '/v1/events': 'events',
  '/v1/api-keys': 'api_keys',
  '/v1/invitations': 'invitations',
  '/dashboard/api/requests': 'request_log',
  '/dashboard/api/payouts': 'payouts',
  '/dashboard/api/customers': 'customers',
  '/dashboard/api/customer/payments?reference=kim': 'payments',
};

let app: TestApp;
let ids: Record<string, string>;

beforeAll(async () => {
  // The rate of long answers has its own tests, and would keep these waiting.
  app = await startApp({ overrides: { pace: new Pace({ smallBytes: 1e12, burstBytes: 1e12 }) } });
  const { merchant, ctx } = app;
  await ctx.db.query('test_operator', 'update accounts set is_operator = true', []);
  const { id: endpoint } = await merchant.createEndpoint();
  await merchant.createLink();
  const session = await merchant.createSession({ customer: { reference: 'kim' } });
  const { payment } = await merchant.pay(session.id);
  await merchant.post(`/payments/${payment}/refunds`, { to: CUSTOMER, amount: '1.00' });
  await merchant.dashboard.post('/invitations', {});
  await send('POST', '/dashboard/api/payouts', { csv: `${CUSTOMER},USDC,base,12.5,Rent`, import: 'one' });
  const request = { id: 'req_1', method: 'GET', path: '/', status: 200, code: null, durationMs: 1, keyId: null };
  const of = { accountId: merchant.accountId, livemode: false, idempotencyKey: null, at: new Date() };
  await insertRequests(ctx.db, [{ ...request, ...of }]);
  ids = { payment, endpoint };

  await fillPayments(ctx.db, session.id, {
    numbers: `generate_series(1, ${ROWS}) n`,
    createdAt: `timestamptz '2026-01-01' + (n / 3) * interval '1 second'`,
    metadata: `case when n % 4 = 0 then '{}' else $2::jsonb end`,
    values: [{ text: TEXT }],
  });
  const customer = { reference: 'kim', name: null, email: null };
  await ctx.db.query('test_customer', 'update checkout_sessions set customer = $1', [customer]);
  for (const [table, row] of Object.entries(TABLES)) if (table !== 'payments') await copyRow(ctx.db, table, row, ROWS);
});
afterAll(() => app.stop());

test('every list of the API and of the dashboard is among those that are read with large rows', () => {
  const all = Object.values({ ...endpoints, ...dashboard }) as Partial<Endpoint>[];
  const lists = all.filter((one) => one?.success?.envelope === 'list').map(({ path }) => path);
  const read = Object.keys(LISTS).map((path) => path.replace(/\{\w+\}/, '{id}').replace(/\?.*/, ''));
  expect(read.toSorted()).toEqual(lists.toSorted());
});

test.each(Object.entries(LISTS))(
  'no page of %s is longer than 256 KiB, and the cursors meet every object once',
  async (path, table) => {
    const { at = 'created_at', where = 'true' }: CopiedRow = TABLES[table];
    const shown = table === 'customers' ? 'reference' : 'id';
    const rows = await app.ctx.db.query<{ shown: string }>(
      `test_all_${table}`,
      `select ${shown} as shown from ${table} one where ${where} order by ${at} desc, one.id desc`,
    );
    const seen: string[] = [];
    const counts: number[] = [];
    const url = new URL(
      path.replace(/\{(\w+)\}/, (_all, name: string) => ids[name] ?? ''),
      'http://shop',
    );
    url.searchParams.set('limit', '100');
    for (let hasMore = true; hasMore; ) {
      const { raw, body } = await send('GET', `${url.pathname}${url.search}`);
      expect(raw.length).toBeLessThan(MAX_PAGE_BYTES + 1_024);
      seen.push(...body.data.map((one: Record<string, string>) => one[shown]));
      counts.push(body.data.length);
      hasMore = body.pagination.has_more;
      expect(body.pagination.cursor).toEqual(hasMore ? expect.any(String) : null);
      url.searchParams.set('cursor', body.pagination.cursor);
    }
    expect(seen).toEqual(rows.map((row) => row.shown));
    // Full pages, and more than one of them.
    expect(counts.length).toBeGreaterThan(2);
    expect(Math.min(...counts.slice(0, -1))).toBeGreaterThan(7);
  },
);

async function send(method: 'GET' | 'POST', url: string, payload?: object) {
  const headers = { authorization: `Bearer ${app.merchant.loginToken}`, 'service-mode': 'test' };
  const { statusCode, body: raw } = await app.server.inject({ method, url, headers, ...(payload && { payload }) });
  expect([statusCode < 300, raw.slice(0, 300)]).toEqual([true, expect.any(String)]);
  return { raw, body: JSON.parse(raw) };
}
