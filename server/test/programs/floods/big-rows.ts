import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { loadavg } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { invariant } from '../../../src/platform/errors.ts';
import type { TestApp } from '../../support/app.ts';
import { type ServiceProcess, startServiceProcess } from '../../support/service-process.ts';
import type { ClientWork } from './big-rows-client.ts';
import type { FloodOptions, FloodResult } from './flood.ts';

const DEFAULT_SIZE = 2_100;
const EXPORTS = 12;
const LISTS = 100;
const EXPORTS_MS = 10_000;
const LISTS_MS = 20_000;
const ROUNDS = 4;
const WARM_UP_MS = 6_000;
const PROBE_EVERY_MS = 40;
const MIN_PROBES = 500;
const MAX_HEALTH_MS = 100;
const MAX_GROWTH_MIB = 100;
const MAX_RATIO = 1.5;
/** A ratio of very short times says nothing. */
const MIN_NOTABLE_MS = 20;
const KIB = 1024;
/** The largest that a merchant can store: 27 kB. */
const METADATA = Object.fromEntries(
  Array.from({ length: 50 }, (_, at) => [`${'k'.repeat(38)}${String(at).padStart(2, '0')}`, 'v'.repeat(500)]),
);

/**
 * In each round, one account with large metadata requests twelve exports that it does not read, then a hundred pages at
 * once, again and again. Meanwhile another account creates and reads sessions, and `/healthz` is asked. The service is a
 * process of its own. `size` is the number of payments.
 */
export async function floodWithBigRows(
  app: TestApp,
  { size = DEFAULT_SIZE, say = () => {} }: FloodOptions = {},
): Promise<FloodResult> {
  const greedy = app.merchant;
  const other = await app.newMerchant();
  const { id } = await other.createSession();
  await fill(app, size);
  const service = await startServiceProcess(fileURLToPath(new URL('../../../src/main.ts', import.meta.url)), {
    PROFILE: 'development',
    LOG_LEVEL: 'warn',
    DATABASE_URL: app.config.databaseUrl ?? '',
    DATA_DIR: app.config.dataDir,
    PRICES: 'fixed',
    ROUTES: 'none',
    ...Object.fromEntries(
      ['ETHEREUM', 'BASE', 'POLYGON', 'ARBITRUM', 'SOLANA'].map((network) => [`RPC_${network}_URLS`, ',']),
    ),
  });
  const list = ({ token, ...work }: Pick<ClientWork, 'path' | 'forMs'> & { token: string }) =>
    flood({ ...work, count: LISTS, url: service.url, head: `authorization: Bearer ${token}` });
  const probes = probe(service, { token: other.testKey, id });
  try {
    // Opens as many connections to the database as the service keeps; each costs PostgreSQL a process.
    await probes.run(list({ path: '/v1/payments?limit=1', token: other.testKey }));
    await probes.run(pause(WARM_UP_MS, undefined));
    const rounds: Record<string, Phase>[] = [];
    for (let round = 1; round <= ROUNDS; round += 1) {
      const alone = await probes.run(untilProbed());
      say(`${round}/${ROUNDS}: ${EXPORTS} exports of ${size} payments that are not read`);
      const exported = await probes.run(
        flood({
          url: service.url,
          count: EXPORTS,
          path: '/dashboard/api/payments.csv?mode=test',
          head: `cookie: session=${greedy.loginToken}`,
          unreadMs: EXPORTS_MS,
        }),
      );
      say(`${round}/${ROUNDS}: ${LISTS} pages at once, again and again`);
      const listed = await probes.run(list({ path: '/v1/payments?limit=100', token: greedy.testKey, forMs: LISTS_MS }));
      rounds.push({ alone, exported, listed });
    }
    return report(rounds);
  } finally {
    probes.stop();
    await service.end('SIGTERM');
  }
}

/**
 * The rounds together, because ten long requests in a thousand decide the p99 of one round. Memory is compared with what
 * the service had before the first flood.
 */
function report(rounds: readonly Record<string, Phase>[]): FloodResult {
  const phases = ['alone', 'exported', 'listed'].map((name) => {
    const all = rounds.flatMap((round) => round[name] ?? []);
    return {
      name,
      health: all.flatMap(({ health }) => health),
      others: all.flatMap(({ others }) => others),
      failed: all.reduce((sum, { failed }) => sum + failed, 0),
      peakMiB: name === 'alone' ? (all[0]?.peakMiB ?? 0) : Math.max(...all.map(({ peakMiB }) => peakMiB)),
      load: Math.max(...all.map(({ load }) => load)),
      answeredMiB: Math.round(all.reduce((sum, { value }) => sum + (value?.bytes ?? 0), 0) / KIB / KIB),
    };
  });
  const [alone] = phases;
  invariant(alone, 'the first phase is the one without a flood');
  return {
    figures: Object.fromEntries(
      phases.flatMap(({ name, health, others, failed, peakMiB, load, answeredMiB }) => [
        [`${name}HealthP50Ms`, quantile(health, 0.5)],
        [`${name}HealthP99Ms`, quantile(health, 0.99)],
        [`${name}HealthMaxMs`, quantile(health, 1)],
        [`${name}OthersP50Ms`, quantile(others, 0.5)],
        [`${name}OthersP99Ms`, quantile(others, 0.99)],
        [`${name}Ratio`, Math.round((quantile(others, 0.99) / quantile(alone.others, 0.99)) * 100) / 100],
        [`${name}Failed`, failed],
        [`${name}PeakMiB`, peakMiB],
        [`${name}AnsweredMiB`, answeredMiB],
        [`${name}Load`, load],
      ]),
    ),
    failures: phases.flatMap((phase) => judge(phase, alone)),
  };
}

interface Phase {
  value: { ms: number; bytes: number } | undefined;
  health: number[];
  others: number[];
  failed: number;
  peakMiB: number;
  /** What else the machine was doing: processes that wanted one of its processors. */
  load: number;
}

type Pooled = Omit<Phase, 'value'> & { name: string };

function judge({ name, ...phase }: Pooled, alone: Pooled): string[] {
  const health = quantile(phase.health, 0.99);
  const others = quantile(phase.others, 0.99);
  const most = Math.max(MIN_NOTABLE_MS, MAX_RATIO * quantile(alone.others, 0.99));
  const grewMiB = phase.peakMiB - alone.peakMiB;
  return [
    ...(health < MAX_HEALTH_MS ? [] : [`${name}: /healthz took ${health} ms at p99`]),
    ...(others <= most ? [] : [`${name}: requests of others took ${others} ms at p99, more than ${most}`]),
    ...(grewMiB < MAX_GROWTH_MIB ? [] : [`${name}: memory grew by ${grewMiB} MiB`]),
    ...(phase.failed === 0 ? [] : [`${name}: ${phase.failed} requests of others failed`]),
  ];
}

function untilProbed() {
  return pause(MIN_PROBES * PROBE_EVERY_MS, undefined);
}

/** Asks for its health and acts as another account, at an even pace, and watches the memory of the service. */
function probe({ url, pid }: ServiceProcess, { token, id }: { token: string; id: string }) {
  const agent = new Agent({ keepAlive: true });
  let phase: Phase = emptyPhase();
  const ask = (method: string, path: string, body?: string) =>
    new Promise<number>((resolve, reject) => {
      const startedAt = performance.now();
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const sent = request(`${url}${path}`, { method, agent, headers }, (response) => {
        response.resume().once('end', () => {
          if ((response.statusCode ?? 500) < 400) resolve(performance.now() - startedAt);
          else reject(new Error(`answered ${response.statusCode}`));
        });
      });
      sent.once('error', reject).end(body);
    });
  const asks = [
    () => ask('GET', '/healthz').then((ms) => [phase.health, ms] as const),
    () => ask('GET', `/v1/checkout/sessions/${id}`).then((ms) => [phase.others, ms] as const),
    () => ask('POST', '/v1/checkout/sessions', '{"amount":"49.00"}').then((ms) => [phase.others, ms] as const),
  ];
  const timer = setInterval(() => {
    const rss = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    phase.peakMiB = Math.max(phase.peakMiB, Math.round(Number(rss) / KIB));
    // A late answer counts for the phase in which it was asked for.
    const own = phase;
    for (const one of asks)
      one().then(
        ([list, ms]) => void list.push(ms),
        () => void (own.failed += 1),
      );
  }, PROBE_EVERY_MS);
  return {
    async run(work: Promise<Phase['value']>): Promise<Phase> {
      phase = emptyPhase();
      const own = phase;
      own.value = await work;
      own.load = Math.round((loadavg()[0] ?? 0) * 10) / 10;
      return own;
    },
    stop() {
      clearInterval(timer);
      agent.destroy();
    },
  };
}

function emptyPhase(): Phase {
  return { value: undefined, health: [], others: [], failed: 0, peakMiB: 0, load: 0 };
}

const CLIENT = fileURLToPath(new URL('./big-rows-client.ts', import.meta.url));

async function flood(work: ClientWork): Promise<{ ms: number; bytes: number }> {
  const { stdout } = await promisify(execFile)(process.execPath, [CLIENT, JSON.stringify(work)]);
  return JSON.parse(stdout);
}

async function fill({ ctx, merchant }: TestApp, size: number): Promise<void> {
  const session = await merchant.createSession();
  await ctx.db.query(
    'flood_fill_sessions',
    `
    insert into checkout_sessions (id, account_id, livemode, payment_id, payout_wallet_id, amount_minor, currency,
      metadata, accepted_assets, reference,
      receive_asset, receive_network, receive_address, created_at, expires_at)
    select 'cs_' || lpad(n::text, 24, '0'), account_id, livemode, 'pay_' || lpad(n::text, 24, '0'), payout_wallet_id,
      amount_minor, currency, $3, accepted_assets,
           sha256(n::text::bytea), receive_asset, receive_network, receive_address,
             timestamptz '2026-01-01' + n * interval '1 second', '2027-01-01'
      from checkout_sessions, generate_series(1, $2::integer) n where id = $1`,
    [session.id, size, METADATA],
  );
  await ctx.db.query(
    'flood_fill_payments',
    `
    insert into payments (id, account_id, livemode, session_id, status, sequence, route, pay_asset, pay_network,
      started_at, created_at, expires_at, is_announced)
    select payment_id, account_id, livemode, id, 'paid', 3, 'direct', receive_asset, receive_network, created_at,
      created_at, expires_at, true
      from checkout_sessions where account_id = $1 and id <> $2`,
    [merchant.accountId, session.id],
  );
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return Math.round((sorted[Math.floor((sorted.length - 1) * share)] ?? 0) * 10) / 10;
}
