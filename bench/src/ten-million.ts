import { setTimeout as pause } from 'node:timers/promises';
import type { Bench } from './bench.ts';
import { type BusyAccount, DAYS, fillAccount, idIn, orderIn, transactionIn } from './months.ts';

const SMALL = 10_000;
const TIMES = 40;
const WARM_UP_TIMES = 5;
const EXPORT_MS = 8_000;
/** A response takes less; past days that are not summed yet continue with the next view. */
const MAX_FIRST_VIEWS = 100;

export interface Latency {
  p50Ms: number;
  p99Ms: number;
}

/** Of one size: what a path costs, by its name, and what is measured once. */
interface Size {
  rows: number;
  latencies: Record<string, Latency>;
  once: Record<string, number>;
}

export interface TenMillion {
  small: Size;
  large: Size;
}

type Measured = (account: BusyAccount, random: () => number) => { path: string; method?: 'POST'; body?: object };

const ORDER = { amount: '49.00', currency: 'USD', metadata: { customer: '1042' } };

/** Everything an account's size could slow down. `random` is a row of the account. */
const PATHS: Record<string, Measured> = {
  'create a session': () => ({ path: '/v1/checkout/sessions', method: 'POST', body: ORDER }),
  'read a session': (account, random) => ({ path: `/v1/checkout/sessions/${idIn(account, 'cs', random())}` }),
  'payments, first page': () => ({ path: '/v1/payments' }),
  'payments, from any place': (account, random) => ({
    path: `/v1/payments?starting_after=${idIn(account, 'pay', random())}`,
  }),
  'payments, the last page': (account) => ({ path: `/v1/payments?starting_after=${idIn(account, 'pay', 30)}` }),
  'payments, routed, from any place': (account, random) => ({
    path: `/v1/payments?route=routed&starting_after=${idIn(account, 'pay', random())}`,
  }),
  'payments, of a rare status': () => ({ path: '/v1/payments?status=refund_required' }),
  'payments, of a week': () => ({ path: `/v1/payments?created_after=${daysAgo(30)}&created_before=${daysAgo(23)}` }),
  'a payment': (account, random) => ({ path: `/v1/payments/${idIn(account, 'pay', random())}` }),
  'search, id': (account, random) => ({ path: `/dashboard/api/search?q=${idIn(account, 'pay', random())}` }),
  'search, order': (account, random) => ({ path: `/dashboard/api/search?q=${orderIn(account, random())}` }),
  'search, transaction': (account, random) => ({ path: `/dashboard/api/search?q=${transactionIn(account, random())}` }),
  'search, amount': () => ({ path: '/dashboard/api/search?q=49.00' }),
  'search, nothing there': () => ({ path: '/dashboard/api/search?q=nothing-of-the-kind' }),
  transfers: () => ({ path: '/v1/transfers' }),
  'home, figures of 7 days': () => ({ path: '/dashboard/api/overview?days=7' }),
  [`home, figures of ${DAYS} days`]: () => ({ path: `/dashboard/api/overview?days=${DAYS}` }),
  'home, what needs attention': () => ({ path: '/v1/payments?status=refund_required&limit=5' }),
  'home, first steps': () => ({ path: '/dashboard/api/onboarding' }),
};

/** Each figure at ten thousand payments and at many, with the ratio of the medians. Not part of the bench by default. */
export async function tenMillion(bench: Bench): Promise<{ ten_million: TenMillion }> {
  const small = await measureSize(bench, SMALL, 0);
  const large = await measureSize(bench, bench.rows, SMALL);
  const { say } = bench;
  say(
    `ten_million      p50 / p99 in ms${' '.repeat(22)}${String(SMALL).padStart(16)}${String(large.rows).padStart(18)}   ratio`,
  );
  for (const [name, one] of Object.entries(small.latencies)) {
    const other = large.latencies[name] as Latency;
    const shown = [one, other].map(({ p50Ms, p99Ms }) => `${p50Ms.toFixed(1)} / ${p99Ms.toFixed(0)}`.padStart(17));
    say(`  ${name.padEnd(44)} ${shown.join(' ')}   ${(other.p50Ms / one.p50Ms).toFixed(1)}`);
  }
  for (const [name, one] of Object.entries(small.once)) {
    const other = large.once[name] as number;
    say(`  ${name.padEnd(44)} ${String(one).padStart(17)} ${String(other).padStart(17)}   ${(other / one).toFixed(1)}`);
  }
  return { ten_million: { small, large } };
}

async function measureSize(bench: Bench, rows: number, first: number): Promise<Size> {
  const { database, service, say } = bench;
  say(`ten_million      filling an account with ${rows} payments …`);
  const filledAt = performance.now();
  const account = await fillAccount(database, { rows, first }, say);
  say(`                 filled in ${seconds(filledAt)} s`);
  const vacuumedAt = performance.now();
  await database.query('vacuum payments');
  const vacuumMs = Math.round(performance.now() - vacuumedAt);
  await database.query('vacuum checkout_sessions, transfers');

  const url = `http://127.0.0.1:${service.port}`;
  const firstHome = await viewHomeFirst(url, account);
  const latencies: Record<string, Latency> = {};
  for (const [name, measured] of Object.entries(PATHS)) latencies[name] = await latencyOf(url, account, measured);
  const exported = await exportPayments(url, account);
  return {
    rows,
    latencies,
    once: {
      [`home, ${DAYS} days for the first time, s`]: firstHome.seconds,
      'home, views until they are whole': firstHome.views,
      'export, first byte, ms': exported.firstByteMs,
      'export, MB/s': exported.megabytesPerSecond,
      'vacuum of payments, ms': vacuumMs,
    },
  };
}

/** Past days are summed once. A view that would take too long answers 503 and continues with the next one. */
async function viewHomeFirst(url: string, account: BusyAccount): Promise<{ seconds: number; views: number }> {
  const startedAt = performance.now();
  for (let views = 1; views <= MAX_FIRST_VIEWS; views += 1) {
    const response = await fetch(`${url}/dashboard/api/overview?days=${DAYS}`, {
      headers: headersFor(account, '/dashboard'),
    });
    const text = await response.text();
    if (response.ok) return { seconds: seconds(startedAt), views };
    if (response.status !== 503) throw new Error(`the home page answered ${response.status}: ${text}`);
    await pause(100);
  }
  throw new Error(`the home page was not whole after ${MAX_FIRST_VIEWS} views`);
}

async function latencyOf(url: string, account: BusyAccount, measured: Measured): Promise<Latency> {
  const random = () => 30 + Math.floor(Math.random() * (account.rows - 30));
  const times: number[] = [];
  for (let time = -WARM_UP_TIMES; time < TIMES; time += 1) {
    const { path, method = 'GET', body } = measured(account, random);
    const startedAt = performance.now();
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { ...headersFor(account, path), ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${text}`);
    if (time >= 0) times.push(performance.now() - startedAt);
  }
  times.sort((one, other) => one - other);
  const at = (share: number) => times[Math.floor((times.length - 1) * share)] ?? Number.NaN;
  return { p50Ms: at(0.5), p99Ms: at(0.99) };
}

/** The beginning of an export of everything. */
async function exportPayments(url: string, account: BusyAccount) {
  const startedAt = performance.now();
  const path = '/dashboard/api/payments.csv?mode=test';
  const response = await fetch(`${url}${path}`, { headers: headersFor(account, path) });
  if (!response.ok || !response.body) throw new Error(`the export answered ${response.status}`);
  let firstByteMs: number | undefined;
  let bytes = 0;
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    firstByteMs ??= Math.round(performance.now() - startedAt);
    bytes += chunk.length;
    // Ends the iteration, and with it the response.
    if (performance.now() - startedAt > EXPORT_MS) break;
  }
  const megabytesPerSecond = Math.round((bytes / 1000 / (performance.now() - startedAt)) * 10) / 10;
  return { firstByteMs: firstByteMs ?? Number.NaN, megabytesPerSecond };
}

/** The dashboard's requests are those of a person, the others those of a key. */
function headersFor(account: BusyAccount, path: string): Record<string, string> {
  return path.startsWith('/dashboard')
    ? { authorization: `Bearer ${account.loginToken}`, 'service-mode': 'test' }
    : { authorization: `Bearer ${account.key}` };
}

function daysAgo(days: number): string {
  return new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
}

function seconds(sinceMs: number): number {
  return Math.round((performance.now() - sinceMs) / 100) / 10;
}
