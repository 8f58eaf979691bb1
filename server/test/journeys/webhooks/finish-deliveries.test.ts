import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '../../../src/platform/db/db.ts';
import { finishDeliveries } from '../../../src/resources/webhooks/delivery/lease-store.ts';
import type { Outcome } from '../../../src/resources/webhooks/delivery/delivery.ts';
import { startApp, type TestApp } from '../../support/index.ts';

const DELIVERIES = 50_000;
const FINISHED = 2_000;

let app: TestApp;
let endpointId: string;
let now: Date;
beforeAll(async () => {
  app = await startApp();
  ({ id: endpointId } = await app.merchant.createEndpoint({ url: 'http://127.0.0.1:9/' }));
  now = await app.ctx.db.now();
});
afterAll(() => app.stop());

/** A node of a plan, with what its run cost. */
interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Actual Loops': number;
  'Actual Rows': number;
}

test.each([
  ['as planned while its tables were empty', false],
  ['as planned for 50,000 rows', true],
])(
  '2,000 attempts among 50,000 deliveries are recorded without reading the results again for each, %s',
  async (_, isAnalyzed) => {
    await app.ctx.db.query('test_empty', 'truncate deliveries, delivery_leases, delivery_attempts', []);
    await app.ctx.db.query('test_analyze_empty', 'analyze deliveries, delivery_leases, delivery_attempts', []);
    await queueDeliveries();
    if (isAnalyzed) await app.ctx.db.query('test_analyze', 'analyze deliveries, delivery_leases', []);

    let nodes: PlanNode[] = [];
    const db = {
      ...app.ctx.db,
      query: async (_name: string, sql: string, values: readonly unknown[][]) => {
        nodes = nodesOf(await explainGeneric(sql, values));
        return [];
      },
    } as unknown as Database;
    await finishDeliveries(
      db,
      Array.from({ length: FINISHED }, (_one, at) => outcome(at + 1)),
    );

    expect(await count('delivery_attempts')).toBe(FINISHED);
    expect(await count('delivery_leases')).toBe(DELIVERIES - FINISHED);
    const results = nodes.filter((node) => ['Function Scan', 'CTE Scan'].includes(node['Node Type']));
    expect(results.length).toBeGreaterThan(0);
    expect(results.map((node) => node['Actual Loops'])).toEqual(results.map(() => 1));
    // Nothing reads more rows in all than there are deliveries.
    const read = nodes.map((node) => node['Actual Rows'] * node['Actual Loops']);
    expect(Math.max(...read)).toBeLessThanOrEqual(DELIVERIES);
  },
);

/** Runs a statement by the plan for any parameters, which a connection keeps after five executions. */
async function explainGeneric(sql: string, values: readonly unknown[][]): Promise<unknown> {
  const client = new pg.Client({ connectionString: app.config.databaseUrl as string });
  await client.connect();
  try {
    await client.query('set plan_cache_mode = force_generic_plan');
    await client.query(`prepare finish as ${sql}`);
    const literals = values.map((column) => client.escapeLiteral(arrayOf(column)));
    return (await client.query(`explain (analyze, format json) execute finish (${literals.join(', ')})`)).rows;
  } finally {
    await client.end();
  }
}

function arrayOf(column: readonly unknown[]): string {
  const items = column.map((value) =>
    value === null ? 'null' : `"${value instanceof Date ? value.toISOString() : String(value)}"`,
  );
  return `{${items.join(',')}}`;
}

async function queueDeliveries(): Promise<void> {
  await app.ctx.db.query(
    'test_queue',
    `
    insert into deliveries (id, account_id, livemode, endpoint_id, event_id, event_type, state, due_at, recorded_at, event_recorded_at)
    select 'dlv_' || n, $1, false, $2, 'evt_' || n, 'payment.paid', 'pending', $3::timestamptz, $3, $3
      from generate_series(1, $4::integer) n`,
    [app.merchant.accountId, endpointId, now, DELIVERIES],
  );
  await app.ctx.db.query(
    'test_lease',
    `
    insert into delivery_leases (delivery_id, endpoint_id, holder, until)
    select 'dlv_' || n, $1, 'lease', $2 from generate_series(1, $3::integer) n`,
    [endpointId, now, DELIVERIES],
  );
}

function outcome(at: number): Outcome {
  const delivery = { id: `dlv_${at}`, recordedAt: now, lease: 'lease', resume: null, clockOffsetMs: 0 };
  const answer = { status: 200, body: '', error: null, durationMs: 3 };
  const attempted = { delivery, answer, startedAt: now, endedAt: now };
  return { attempted, state: 'delivered', due: null, attempts: 1, isDeadLetter: false } as unknown as Outcome;
}

async function count(table: 'delivery_attempts' | 'delivery_leases'): Promise<number> {
  const rows = await app.ctx.db.query<{ count: number }>(
    `test_count_${table}`,
    `select count(*)::integer as count from ${table}`,
    [],
  );
  return rows[0]?.count ?? 0;
}

function nodesOf(value: unknown): PlanNode[] {
  if (typeof value !== 'object' || value === null) return [];
  const inner = Object.values(value).flatMap(nodesOf);
  return 'Node Type' in value ? [value as PlanNode, ...inner] : inner;
}
