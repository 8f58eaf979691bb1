import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type BrowserContext, chromium } from 'playwright-core';
import { AttemptsError, attempt } from './support/attempts.ts';
import { openBrowserWithPort } from './support/browser.ts';
import { startDemo } from './support/demo-service.ts';

/**
 * `npm run program -- lighthouse [--runs 3] [page…]`: the pages that people meet first, on desktop and phone, against
 * the floors of FLOORS. Of each page the run with the median performance counts. The first run installs Lighthouse. An audit that
 * hangs is tried again, then reported as a failure.
 */
const FLOORS = { accessibility: 100, 'best-practices': 100 };
const MAX_LAYOUT_SHIFT = 0.02;
const DEVICES = ['desktop', 'phone'] as const;
type Device = (typeof DEVICES)[number];
type Cookies = Awaited<ReturnType<BrowserContext['cookies']>>;
// An audit takes 10 to 30 seconds, and Lighthouse itself waits 45 for a page that never comes to rest.
const LIMITS = { times: 2, timeoutMs: 120_000 };
const { values: options, positionals: wanted } = parseArgs({
  options: { runs: { type: 'string', default: '3' } },
  allowPositionals: true,
});
const RUNS = Number(options.runs);

interface Target {
  name: string;
  url: string;
  /** The least performance on each device. */
  performance: Record<Device, number>;
  /** Of a login, where the page needs one. */
  cookies?: Cookies;
}

/** The part of Lighthouse's result that is used here. */
interface Report {
  categories: Record<string, { score: number | null; auditRefs: { id: string; weight: number }[] }>;
  audits: Record<string, { title: string; score: number | null; numericValue?: number; scoreDisplayMode: string }>;
  environment: { benchmarkIndex: number };
  /** Why the scores may be wrong, such as a page that still loads when the time is over. */
  runWarnings: string[];
  runtimeError?: { message: string };
}

type Lighthouse = (url: string, flags: object, config?: object) => Promise<{ lhr: Report } | undefined>;

const stop = new AbortController();
// Without this, an audit whose browser ended with the signal would be awaited forever.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
  process.once(signal, () => stop.abort(new Error(`${signal} arrived`)));

const { lighthouse, desktopConfig } = await installed();
await using stack = new AsyncDisposableStack();
const demo = stack.use(await startDemo());
await demo.seeded();

const FAST = { desktop: 95, phone: 90 };
const TARGETS: Target[] = [
  { name: 'checkout', url: demo.checkoutUrl, performance: FAST },
  { name: 'docs', url: `${demo.url}/docs`, performance: FAST },
  { name: 'sign-in', url: `${demo.url}/dashboard/sign-in`, performance: FAST },
  { name: 'dashboard', url: `${demo.url}/dashboard`, performance: { desktop: 85, phone: 70 }, cookies: await signIn() },
];

const failures: string[] = [];
// Each row as soon as it is known: an interrupted run keeps what it measured.
console.log('page       device    perf  a11y  best  seo     FCP     LCP     TBT    CLS   CPU  load');
try {
  for (const target of TARGETS)
    if (wanted.length === 0 || wanted.includes(target.name))
      for (const device of DEVICES) await measure(target, device);
} catch (error) {
  if (!stop.signal.aborted) throw error;
  failures.push(`Stopped before the end: ${(stop.signal.reason as Error).message}.`);
}
console.log('CPU is the benchmark index of Lighthouse: an undisturbed current laptop has 2,000 and more.');
for (const failure of failures) console.error(failure);
if (failures.length > 0) process.exitCode = 1;

async function measure(target: Target, device: Device): Promise<void> {
  const reports: Report[] = [];
  try {
    for (let run = 1; run <= RUNS; run += 1) {
      const name = `${target.name}, ${device}, run ${run} of ${RUNS}`;
      const began = performance.now();
      reports.push(await attempt({ name, ...LIMITS, stopped: stop.signal }, (signal) => audit(target, device, signal)));
      console.error(`${name}: ${Math.round((performance.now() - began) / 1000)} s`);
    }
  } catch (error) {
    if (!(error instanceof AttemptsError)) throw error;
    failures.push(error.message);
    return;
  }
  const by = (report: Report) => score(report, 'performance');
  const report = reports.sort((a, b) => by(a) - by(b))[Math.floor(RUNS / 2)] as Report;
  judge(report, `${target.name}, ${device}`, target.performance[device]);
  console.log(row(report, target.name, device));
}

/**
 * In a browser of its own: the scores are those of a first visit, with nothing cached, and a browser that hangs does so
 * alone.
 */
async function audit({ url, cookies = [] }: Target, device: Device, signal: AbortSignal): Promise<Report> {
  await using own = await openOwn();
  signal.addEventListener('abort', () => void own.browser.kill(), { once: true });
  if (cookies.length > 0) await own.context.addCookies(cookies);
  const flags = { port: own.port, hostname: '127.0.0.1', logLevel: 'error' };
  const result = await lighthouse(url, flags, device === 'desktop' ? desktopConfig : undefined);
  if (!result || result.lhr.runtimeError) throw new Error(result?.lhr.runtimeError?.message ?? 'no result');
  return result.lhr;
}

async function signIn(): Promise<Cookies> {
  await using own = await openOwn();
  const page = await own.context.newPage();
  await page.goto(demo.dashboardUrl);
  await page.getByRole('heading', { name: 'Home' }).waitFor();
  return await own.context.cookies();
}

async function openOwn() {
  const port = await freePort();
  const browser = await openBrowserWithPort(port);
  const connection = await chromium.connectOverCDP(`http://127.0.0.1:${port}`);
  return {
    port,
    browser,
    context: connection.contexts()[0] as BrowserContext,
    [Symbol.asyncDispose]: () => browser.kill(),
  };
}

function judge(report: Report, where: string, performance: number): void {
  for (const [category, floor] of Object.entries({ performance, ...FLOORS })) {
    const reached = score(report, category);
    if (reached >= floor) continue;
    const lost = (report.categories[category]?.auditRefs ?? [])
      .filter(({ id, weight }) => weight > 0 && (report.audits[id]?.score ?? 1) < 0.9)
      .map(({ id }) => `${id} ${Math.round(report.audits[id]?.numericValue ?? 0)}`);
    failures.push(`${where}: ${category} ${reached}, at least ${floor} expected: ${lost.join(', ')}`);
  }
  const restless = report.runWarnings.filter((warning) => /too slowly/.test(warning));
  for (const warning of restless) failures.push(`${where}: ${warning}`);
  const shift = number(report, 'cumulative-layout-shift');
  if (shift >= MAX_LAYOUT_SHIFT) failures.push(`${where}: layout shift ${shift.toFixed(3)}`);
}

function row(report: Report, name: string, device: string): string {
  const scores = ['performance', 'accessibility', 'best-practices', 'seo'].map((category) =>
    String(score(report, category)).padStart(6),
  );
  const times = ['first-contentful-paint', 'largest-contentful-paint', 'total-blocking-time'].map((id) =>
    `${Math.round(number(report, id))} ms`.padStart(8),
  );
  const shift = number(report, 'cumulative-layout-shift').toFixed(3).padStart(7);
  const cpu = String(Math.round(report.environment.benchmarkIndex)).padStart(6);
  const load = loadavg()[0]?.toFixed(1).padStart(6);
  return name.padEnd(11) + device.padEnd(8) + scores.join('') + times.join('') + shift + cpu + load;
}

function score(report: Report, category: string): number {
  return Math.round((report.categories[category]?.score ?? 0) * 100);
}

function number(report: Report, audit: string): number {
  return report.audits[audit]?.numericValue ?? 0;
}

/** Lighthouse from a folder of its own, which is not part of every installation. */
async function installed(): Promise<{ lighthouse: Lighthouse; desktopConfig: object }> {
  const folder = new URL('./lighthouse/', import.meta.url);
  const version = (text: string) => (JSON.parse(text) as { version: string }).version;
  const wanted = JSON.parse(readFileSync(new URL('package.json', folder), 'utf8')).dependencies.lighthouse;
  const there = new URL('node_modules/lighthouse/package.json', folder);
  if (!existsSync(there) || version(readFileSync(there, 'utf8')) !== wanted) {
    console.error(`installing lighthouse ${wanted}`);
    const { status } = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
      cwd: fileURLToPath(folder),
      stdio: ['ignore', 'inherit', 'inherit'],
      shell: process.platform === 'win32',
    });
    if (status !== 0) throw new Error('lighthouse could not be installed');
  }
  const module = await import(new URL('node_modules/lighthouse/core/index.js', folder).href);
  return { lighthouse: module.default as Lighthouse, desktopConfig: module.desktopConfig as object };
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
