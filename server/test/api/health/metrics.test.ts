import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readConfig } from '../../../src/config.ts';
import type { Job } from '../../../src/job.ts';
import { countDueDeliveries, countReservedAmounts, countUnattributed } from '../../../src/health-store.ts';
import type { Chain } from '../../../src/outside/chains/chain.ts';
import { createChains } from '../../../src/outside/chains/registry.ts';
import { freePort } from '../../../src/platform/db/embedded/postmaster.ts';
import { createLogger } from '../../../src/platform/log.ts';
import { later, SECOND_MS } from '../../../src/platform/time.ts';
import { startWatching } from '../../../src/watch.ts';
import { startWork } from '../../../src/work.ts';
import { startAnvil } from '../../support/anvil.ts';
import { type Merchant, startApp, type TestApp } from '../../support/index.ts';

const BASE_WALLET = { asset: 'USDC', network: 'base', address: '0x52908400098527886E0F7030069857D2E4169EE7' };

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

test('/metrics names the version, and counts waiting connections and reserved amounts', async () => {
  const { raw } = await app.inject('GET', '/metrics');
  for (const line of [
    /^quittance_build_info\{version="[\d.]+",node="v\d+\.\d+\.\d+"\} 1$/m,
    /^quittance_database_connections\{state="waiting"\} \d+$/m,
    /^quittance_reserved_amounts\{livemode="true"\} \d+$/m,
    /^quittance_ready 1$/m,
  ])
    expect(raw).toMatch(line);
});

test('quittance_reserved_amounts counts what is reserved now, by mode, and not what is free again', async () => {
  const { merchant } = app;
  await reserve(merchant.live);
  await reserve(merchant.test);
  await reserve(merchant.test);
  expect(await metric('quittance_reserved_amounts{livemode="true"}')).toBe(1);
  expect(await metric('quittance_reserved_amounts{livemode="false"}')).toBe(2);

  // The live one is in quarantine, then free again.
  const now = await app.ctx.db.now();
  const endAt = (at: Date) =>
    app.ctx.db.query('test_end', 'update reserved_amounts set reserved_until = $1 where livemode', [at]);
  await endAt(later(now, 60 * SECOND_MS));
  expect(await metric('quittance_reserved_amounts{livemode="true"}')).toBe(1);
  await endAt(later(now, -1));
  expect(await metric('quittance_reserved_amounts{livemode="true"}')).toBe(0);
  expect(await metric('quittance_reserved_amounts{livemode="false"}')).toBe(2);
});

test('quittance_unattributed_transfers counts live transfers that wait for a person, by network and reason', async () => {
  await arrive('base', 'no_match', 3);
  await arrive('ethereum', 'too_small', 1);
  expect(await metric('quittance_unattributed_transfers{network="base",reason="no_match"}')).toBe(3);
  expect(await metric('quittance_unattributed_transfers{network="ethereum",reason="too_small"}')).toBe(1);

  // Handled, dropped by a reorg, not attributed yet, or in test mode.
  const change = (set: string) =>
    app.ctx.db.query(
      `test_${set.slice(0, 6)}`,
      `update transfers set ${set}
        where id = (select min(id) from transfers where reason = 'no_match' and livemode and handled_at is null
          and status <> 'dropped' and not queued)`,
      [],
    );
  await change('handled_at = first_seen_at');
  expect(await metric('quittance_unattributed_transfers{network="base",reason="no_match"}')).toBe(2);
  await change(`status = 'dropped'`);
  await change('queued = true');
  expect(await metric('quittance_unattributed_transfers{network="base",reason="no_match"}')).toBeUndefined();
  await arrive('base', 'no_match', 1, false);
  expect(await metric('quittance_unattributed_transfers{network="base",reason="no_match"}')).toBeUndefined();
});

test('the gauges of a large database are read by an index, up to a bound', async () => {
  await arrive('base', 'no_match', 12_000);
  const counts = await countUnattributed(app.ctx.db);
  expect(counts.reduce((sum, { count }) => sum + count, 0)).toBe(10_000);

  await app.ctx.db.query(
    'test_free_again',
    `
    insert into reserved_amounts (livemode, network, address, asset, amount_units, payment_id, purpose, taken_at, reserved_until)
    select true, 'base', 'elsewhere', 'USDC', n, r.payment_id, 'target', r.taken_at, r.taken_at
      from (select * from reserved_amounts where not livemode limit 1) r, generate_series(1, 20000) n`,
    [],
  );
  await app.ctx.db.query('test_analyze', 'analyze transfers, reserved_amounts', []);
  const now = await app.ctx.db.now();
  const plans = [await planOf((db) => countReservedAmounts(db, now)), await planOf(countUnattributed)];
  expect(plans.flat().map((node) => node['Index Name'])).toEqual(
    expect.arrayContaining(['reserved_amounts_by_end', 'transfers_without_payment']),
  );
  expect(plans.flat().filter((node) => node['Node Type'] === 'Seq Scan')).toEqual([]);
});

test('due deliveries are counted up to a bound, and the oldest is found among all of them', async () => {
  const merchant = await app.newMerchant();
  for (let count = 0; count < 2; count += 1) await merchant.live.createEndpoint({ url: 'https://127.0.0.1:9/' });
  await merchant.live.createWallet(BASE_WALLET);
  for (let count = 0; count < 2; count += 1) await merchant.live.createSession();
  const now = later(await app.ctx.db.now(), 60 * SECOND_MS);
  const oldest = later(now, -3_600 * SECOND_MS);
  await app.ctx.db.query(
    'test_age',
    `update deliveries set due_at = $1 where id = (select max(id) from deliveries where account_id = $2)`,
    [oldest, merchant.accountId],
  );
  expect(await countDueDeliveries(app.ctx.db, now)).toEqual({ due: 4n, oldest });
  expect(await countDueDeliveries(app.ctx.db, now, 3)).toEqual({ due: 3n, oldest });
});

describe('the oldest due delivery', () => {
  const oldestDue = async (merchant: Merchant) => {
    const [endpoint] = (await merchant.get('/webhook-endpoints')).data;
    const now = later(await app.ctx.db.now(), 60 * SECOND_MS);
    const set = (column: 'lane' | 'status', value: string) =>
      app.ctx.db.query(`test_${column}`, `update webhook_endpoints set ${column} = $2 where id = $1`, [
        endpoint.id,
        value,
      ]);
    const due = later(now, -3_600 * SECOND_MS);
    await app.ctx.db.query('test_due', `update deliveries set due_at = $1 where endpoint_id = $2`, [due, endpoint.id]);
    return {
      set,
      now,
      due,
      endpointId: endpoint.id as string,
      find: () => countDueDeliveries(app.ctx.db, now).then(({ oldest }) => oldest),
    };
  };
  const withEndpoint = async (merchant: Merchant) => {
    await app.ctx.db.query('test_drop_due', `delete from deliveries`, []);
    await merchant.createWallet(BASE_WALLET);
    await merchant.createEndpoint({ url: 'https://127.0.0.1:9/' });
    await merchant.createSession();
    return oldestDue(merchant);
  };

  test('of test mode does not count, because a test clock can make it a month old', async () => {
    const merchant = await app.newMerchant();
    const { find } = await withEndpoint(merchant.test);
    expect(await find()).toBe(null);
  });

  test('counts while no worker sends, whether its endpoint is healthy or slow', async () => {
    const { set, due, find } = await withEndpoint((await app.newMerchant()).live);
    for (const lane of ['probation', 'healthy', 'slow']) {
      await set('lane', lane);
      expect(await find(), lane).toEqual(due);
    }
  });

  test('does not count at a slow endpoint that is being served, but at a healthy one', async () => {
    const { set, now, due, endpointId, find } = await withEndpoint((await app.newMerchant()).live);
    await leaseAt(endpointId, now);
    await set('lane', 'slow');
    expect(await find()).toBe(null);
    await set('lane', 'healthy');
    expect(await find()).toEqual(due);
  });

  test('does not count at a slow endpoint while another slow one of its account is served', async () => {
    const merchant = (await app.newMerchant()).live;
    const { set, now, find } = await withEndpoint(merchant);
    await set('lane', 'slow');
    const { id } = await merchant.createEndpoint({ url: 'https://127.0.0.1:9/other' });
    await app.ctx.db.query('test_slow', `update webhook_endpoints set lane = 'slow' where id = $1`, [id]);
    await leaseAt(id, now);
    expect(await find()).toBe(null);
  });
});

async function leaseAt(endpointId: string, now: Date): Promise<void> {
  await app.ctx.db.query(
    'test_lease',
    `insert into delivery_leases (delivery_id, endpoint_id, holder, until) values ($1, $1, 'worker', $2)`,
    [endpointId, later(now, SECOND_MS)],
  );
}

test('quittance_alarms_total counts each log line with an alarm, by its name', async () => {
  const log = createLogger('error', { out: { write: () => {} } });
  const before = (await metric('quittance_alarms_total{alarm="providers_disagree"}')) ?? 0;
  log.error({ alarm: 'providers_disagree' }, 'logged by the test');
  log.error('an error without an alarm');
  expect(await metric('quittance_alarms_total{alarm="providers_disagree"}')).toBe(before + 1);
});

test('requests to each provider are counted by answers and failures, and its calls by what it bills', async () => {
  await using node = await startAnvil({ chainId: 4_711 });
  const port = await freePort();
  const { networks } = readConfig({ RPC_BASE_URLS: `http://127.0.0.1:${port},${node.url}`, CHAIN_ID_BASE: '4711' });
  const chain = createChains({ networks }, pino({ level: 'silent' })).get('base') as Chain;
  await expect.poll(() => chain.head('first').then(({ number }) => number, String)).toBe(0n);
  await chain.close();
  const count = (provider: string, outcome: string) =>
    metric(`quittance_rpc_request_duration_seconds_count{provider="${provider}",outcome="${outcome}"}`);
  expect(await count(new URL(node.url).host, 'answered')).toBeGreaterThan(0);
  expect(await count(new URL(node.url).host, 'failed')).toBeUndefined();
  expect(await count(`127.0.0.1:${port}`, 'failed')).toBeGreaterThan(0);

  // A head is three calls and the proof of the chain, in one request.
  const calls = (method: string) =>
    metric(`quittance_rpc_calls_total{network="base",provider="${new URL(node.url).host}",method="${method}"}`);
  expect(await calls('eth_getBlockByNumber')).toBe(3);
  expect(await calls('eth_chainId')).toBeGreaterThan(0);
});

test('quittance_work_failures_total counts the failed turns of each job, and of the readers of networks', async () => {
  const failing: Job = {
    name: 'a failing job',
    everyMs: 60_000,
    run: async () => {
      throw new Error('failed by the test');
    },
  };
  const work = startWork(app.ctx, [failing, { name: 'a fine job', everyMs: 60_000, run: async () => 'idle' }]);
  const dead = { network: 'base', health: () => ({ providers: [] }), head: failing.run } as unknown as Chain;
  const session = await app.merchant.live.createSession({
    payout_wallet_id: (await app.merchant.live.createWallet(BASE_WALLET)).id,
  });
  expect(session.livemode).toBe(true);
  const watching = startWatching({ ...app.ctx, chains: new Map([['base', dead]]) });
  for (const job of ['a failing job', 'read base'])
    await expect.poll(() => metric(`quittance_work_failures_total{job="${job}"}`)).toBeGreaterThan(0);
  expect(await metric('quittance_work_failures_total{job="a fine job"}')).toBe(0);
  await Promise.all([work.stop(), watching.stop()]);
});

test('quittance_payment_transitions_total counts payments that reach a status, once they are committed', async () => {
  const session = await app.merchant.test.createSession();
  const counted = () => metric('quittance_payment_transitions_total{status="paid",livemode="false"}');
  const before = (await counted()) ?? 0;
  await app.merchant.test.pay(session.id);
  await expect.poll(counted).toBe(before + 1);
});

/** A customer chooses an asset, so an exact amount is reserved. */
async function reserve(merchant: TestApp['merchant']): Promise<void> {
  await merchant.createWallet({
    asset: 'USDC',
    network: 'base',
    address: '0x52908400098527886E0F7030069857D2E4169EE7',
  });
  const session = await merchant.createSession();
  const answer = await app.inject('POST', `/v1/public/checkout/sessions/${session.id}/pay`, {
    body: { pay_asset: 'USDC', pay_network: 'base' },
  });
  expect(answer.status).toBe(200);
}

let arrived = 0;
async function arrive(network: string, reason: string, count: number, livemode = true): Promise<void> {
  await app.ctx.db.query(
    'test_arrive',
    `
    insert into transfers (id, livemode, network, tx_hash, index, asset, to_address, amount_units, block_number,
      block_hash, block_time, status, reason, first_seen_at)
    select 'trf_metrics_' || n, $1, $2, '0x' || n, 0, 'USDC', '0xshop', 1, n, '0x', $3, 'final', $4, $3
      from generate_series($5::integer, $6::integer) n`,
    [livemode, network, await app.ctx.db.now(), reason, arrived + 1, arrived + count],
  );
  arrived += count;
}

/** The value of one line of /metrics. */
async function metric(line: string): Promise<number | undefined> {
  const { raw } = await app.inject('GET', '/metrics');
  const found = raw.split('\n').find((one) => one.startsWith(`${line} `));
  return found === undefined ? undefined : Number(found.slice(line.length + 1));
}

type Db = TestApp['ctx']['db'];

/** The nodes of the plan of the statement that a function runs. */
async function planOf(run: (db: Db) => Promise<unknown>): Promise<Record<string, unknown>[]> {
  let plan: unknown;
  const db = {
    ...app.ctx.db,
    query: async (name: string, sql: string, values: unknown[]) => {
      plan = await app.ctx.db.query(`explain_${name}`, `explain (format json) ${sql}`, values);
      return [];
    },
  } as unknown as Db;
  await run(db);
  return nodesOf(plan);
}

function nodesOf(value: unknown): Record<string, unknown>[] {
  if (typeof value !== 'object' || value === null) return [];
  return [value as Record<string, unknown>, ...Object.values(value).flatMap(nodesOf)];
}
