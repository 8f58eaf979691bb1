import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Db } from '../../../src/platform/db/db.ts';
import { listKeys } from '../../../src/resources/accounts/key-store.ts';
import { describeCustomer, fetchCustomers, searchCustomers } from '../../../src/resources/customers/store.ts';
import {
  findByCustomer,
  findByOrder,
  findBySender,
  findUnattributed,
} from '../../../src/resources/dashboard/search-store.ts';
import { type CustomerFilter, fetchPayments } from '../../../src/resources/payments/list-store.ts';
import { findDoubtfulPayouts } from '../../../src/resources/payouts/store.ts';
import { findAnsweredRefunds, findSentUncounted } from '../../../src/resources/refunds/store.ts';
import { readTimeline } from '../../../src/resources/payments/timeline.ts';
import { listTransfers } from '../../../src/resources/transfers/list.ts';
import { listDeliveries } from '../../../src/resources/webhooks/delivery/delivery-store.ts';
import { listEndpoints } from '../../../src/resources/webhooks/endpoints/endpoint-store.ts';
import { listEvents } from '../../../src/resources/webhooks/events/event-store.ts';
import { startApp, type TestApp } from '../../support/index.ts';

// Queries that are fast in a new shop and slow in an old one show in the number of blocks that PostgreSQL reads, under
// the generic plan of a prepared statement.

const ROWS = 20_000;
const MAX_BLOCKS = 250;
const SENDER = `0x${'1'.repeat(40)}`;
const LINK = 'pl_000000000000000000000001';
let app: TestApp;
let client: pg.Client;
let account: { id: string; livemode: boolean };
let endpointId: string;
let paymentId: string;

beforeAll(async () => {
  app = await startApp();
  account = { id: app.merchant.accountId, livemode: false };
  endpointId = (await app.merchant.createEndpoint()).id;
  const paid = async () => {
    const session = await app.merchant.createSession({ order_id: 'order-0' });
    await app.inject('POST', `/v1/public/checkout/sessions/${session.id}/test`, { body: { action: 'paid' } });
    return (await app.merchant.get(`/checkout/sessions/${session.id}`)).payment;
  };
  paymentId = await paid();
  const other = await paid();
  client = new pg.Client({ connectionString: app.config.databaseUrl ?? '' });
  await client.connect();
  await client.query('set session_replication_role = replica');
  const numbers = `generate_series(1, ${ROWS}) n`;
  const at = `timestamptz '2026-06-01' + n * interval '1 second'`;
  await client.query(
    `insert into events (id, account_id, livemode, object_id, sequence, type, body, created_at, recorded_at)
    select 'evt_' || lpad(n::text, 24, '0'), $1, false, 'pay_' || lpad(n::text, 24, '0'), 1, 'payment.paid', '{}',
      ${at}, ${at} from ${numbers}`,
    [account.id],
  );
  await client.query(
    `insert into deliveries (id, account_id, livemode, endpoint_id, event_id, event_type, state, attempts,
      recorded_at, event_recorded_at, finished_at)
    select 'dlv_' || lpad(n::text, 24, '0'), $1, false, $2, 'evt_' || lpad(n::text, 24, '0'), 'payment.paid', case
      when n = 7 then 'failed' else 'delivered' end, 1, ${at}, ${at}, ${at} from ${numbers}`,
    [account.id, endpointId],
  );
  await client.query(
    `insert into delivery_attempts (id, delivery_id, endpoint_id, number, kind, outcome, duration_ms, attempted_at, recorded_at)
    select 'att_' || n, 'dlv_' || lpad(n::text, 24, '0'), $1, 1, 'scheduled', 'delivered', 1, ${at}, ${at} from ${numbers}`,
    [endpointId],
  );
  await client.query(
    `insert into transfers (id, livemode, network, tx_hash, index, asset, from_address, to_address, amount_units,
      block_number, block_hash, block_time, status, payment_id, first_seen_at)
    select 'tr_' || lpad(n::text, 24, '0'), false, 'base', '0x' || n, 0, 'USDC', '${SENDER}',
      '0x52908400098527886E0F7030069857D2E4169EE7', 1, n, '0x', ${at}, 'final', $1, ${at} from ${numbers}`,
    [other],
  );
  await client.query(
    `insert into api_keys (id, account_id, livemode, secret_hash, last4, created_at)
      select 'key_' || lpad(n::text, 24, '0'), $1, false, sha256(n::text::bytea), '0000', ${at} from ${numbers}`,
    [account.id],
  );
  await client.query(
    `insert into customers (id, account_id, livemode, email, name, folded_name, reference, payments, totals, last_paid_at)
    select 'cus_' || lpad(n::text, 24, '0'), $1, false, 'c' || n || '@example.com', 'C ' || n, 'c ' || n, 'c-' || n,
      1, '{}', ${at} from ${numbers}`,
    [account.id],
  );
  await client.query(
    `insert into refunds (id, account_id, livemode, payment_id, status, sequence, amount_minor, currency, amount_units,
      asset, network, created_at, link, link_hash)
    select 'rf_' || lpad(n::text, 24, '0'), $1, false, 'pay_' || lpad(n::text, 24, '0'), 'final', 2, 100, 'USD', 1,
      'USDC', 'base', ${at}, null::jsonb, null::bytea from ${numbers}
    union all
    select 'rf_' || n, $1, false, 'pay_' || lpad(n::text, 24, '0'), 'requested', 1, 100, 'USD', 1, 'USDC', 'base', ${at},
      '{}', sha256(n::text::bytea) from ${numbers}`,
    [account.id],
  );
  await client.query(
    `insert into payouts (id, account_id, livemode, status, amount_units, asset, network, to_address, import_name, line,
      created_at)
    select 'po_' || lpad(n::text, 24, '0'), $1, false, 'final', 1, 'USDC', 'base', '${SENDER}', 'all', n, ${at} from ${numbers}`,
    [account.id],
  );
  // Two of the customers have half of the sessions each.
  await client.query(
    `insert into checkout_sessions (id, account_id, livemode, payment_id, payout_wallet_id, amount_minor, currency,
      metadata, accepted_assets, reference,
      receive_asset, receive_network, receive_address, created_at, expires_at, payment_link_id, customer)
    select 'cs_' || lpad(n::text, 24, '0'), s.account_id, false, 'pay_' || lpad(n::text, 24, '0'), s.payout_wallet_id,
      100, 'USD', '{}', '{}', sha256(n::text::bytea),
           'USDC', 'base', s.receive_address, ${at}, '2027-01-01',
           case when n % 2 = 1 then '${LINK}' end, case when n % 2 = 0
             then '{"reference": "kim"}'::jsonb else '{"email": "kim@example.com"}' end
      from (select * from checkout_sessions limit 1) s, ${numbers}`,
  );
  await client.query(
    `insert into payments (id, account_id, livemode, session_id, status, sequence, route, pay_asset, pay_network,
      started_at, created_at, expires_at, is_announced)
    select payment_id, account_id, livemode, id, 'paid', 3, 'direct', 'USDC', 'base', created_at, created_at, expires_at, true
      from checkout_sessions where customer is not null`,
  );
  await client.query('set session_replication_role = default');
  await client.query('analyze');
  await client.query('set plan_cache_mode = force_generic_plan');
});
afterAll(async () => {
  await client?.end();
  await app.stop();
});

const ofCustomer = (customer: CustomerFilter, link: string | null = null) => ({
  status: null,
  route: null,
  balance: null,
  createdAfter: null,
  createdBefore: null,
  link,
  customer,
});
const page = { after: { createdAt: new Date('2026-06-01T00:05:00Z'), id: 'x' }, limit: 26 };

test.each<[what: string, run: (db: Db) => Promise<unknown>]>([
  ['deliveries', (db) => listDeliveries(db, account, { endpointId, state: null }, page)],
  ['deliveries that failed', (db) => listDeliveries(db, account, { endpointId, state: 'failed' }, page)],
  ['deliveries that wait', (db) => listDeliveries(db, account, { endpointId, state: 'pending' }, page)],
  ['events', (db) => listEvents(db, account, { type: null, payment: null }, page)],
  ['events of a payment', (db) => listEvents(db, account, { type: null, payment: paymentId }, page)],
  ['webhook endpoints', (db) => listEndpoints(db, account, page)],
  ['keys of one mode', (db) => listKeys(db, account.id, { livemode: false, ...page })],
  ['keys of both', (db) => listKeys(db, account.id, { livemode: null, ...page })],
  ['transfers', (db) => listTransfers({ ...app.ctx, db: db as never }, { caller: account as never, query: {} })],
  [
    'unattributed transfers',
    (db) => listTransfers({ ...app.ctx, db: db as never }, { caller: account as never, query: { unattributed: true } }),
  ],
  ['payments of a sender', (db) => findBySender(db, account, SENDER, 50)],
  [
    'unattributed transfers of a sender or a transaction',
    (db) => findUnattributed(db, account, { txHash: '0x77', networks: ['base'], senders: [SENDER] }, 10),
  ],
  ['payments by the beginning of an order number', (db) => findByOrder(db, account, 'o', 50)],
  ["a customer's payments", (db) => fetchPayments(db, account, ofCustomer({ reference: 'kim', email: null }), page)],
  [
    "the payments of a customer's address",
    (db) =>
      fetchPayments(
        db,
        account,
        ofCustomer({ reference: null, email: 'kim@example.com', withoutReference: true }),
        page,
      ),
  ],
  [
    'the payments of a link',
    (db) => fetchPayments(db, account, ofCustomer({ reference: null, email: null }, LINK), page),
  ],
  ['payments found by their customer', (db) => findByCustomer(db, account, { reference: 'kim', email: 'kim' }, 50)],
  ['customers', (db) => fetchCustomers(db, account, page)],
  ['customers by how they begin', (db) => searchCustomers(db, account, 'c')],
  ['who a customer is', (db) => describeCustomer(db, account, { email: 'kim@example.com' })],
  ['refunds that an address was named for', (db) => findAnsweredRefunds(db, account, 20)],
  ['refunds that may have been sent twice', (db) => findSentUncounted(db, account, new Date('2026-06-01'), 20)],
  [
    'payouts that differ or may have been sent twice',
    (db) => findDoubtfulPayouts(db, account, new Date('2026-06-01'), 20),
  ],
  ['a timeline', (db) => readTimeline({ db: reading(db, 'find_payment') }, account, paymentId)],
])('%s: found without reading all there are', async (_what, run) => {
  const { db, blocks } = explaining();
  await run(db);
  for (const [statement, read] of blocks) expect([statement, read, read < MAX_BLOCKS]).toEqual([statement, read, true]);
  expect(blocks.size).toBeGreaterThan(0);
});

/** A database that explains each statement instead of running it. */
function explaining(): { db: Db; blocks: Map<string, number> } {
  const blocks = new Map<string, number>();
  const query = async (name: string, sql: string, values: readonly unknown[] = []) => {
    const prepared = `explained_${name}`;
    await client.query(`prepare ${prepared} as ${sql}`);
    const { rows } = await client.query(
      `explain (analyze, buffers, format json) execute ${prepared}(${values.map(literal).join(', ')})`,
    );
    await client.query(`deallocate ${prepared}`);
    const { Plan: plan } = rows[0]['QUERY PLAN'][0];
    blocks.set(name, plan['Shared Hit Blocks'] + plan['Shared Read Blocks']);
    return [];
  };
  return { db: { query } as Db, blocks };
}

/** The same, except that this statement runs, because the next ones depend on it. */
function reading(db: Db, answered: string): never {
  return {
    query: (name: string, sql: string, values: unknown[]) =>
      name === answered ? app.ctx.db.query(name, sql, values) : db.query(name, sql, values),
  } as never;
}

function literal(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (value instanceof Date) return `'${value.toISOString()}'`;
  if (Array.isArray(value)) return `'{${value.join(',')}}'`;
  return typeof value === 'string' ? `'${value}'` : String(value);
}
