import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openProfile } from './support/browser.ts';
import { startDemo } from './support/demo-service.ts';

/**
 * `npm run program -- lighthouse [--runs 3]`: the pages that people meet first, on desktop and phone, against the floors
 * of FLOORS. Of each page the run with the median performance counts. The first run installs Lighthouse.
 */
const FLOORS = { accessibility: 100, 'best-practices': 100 };
const MAX_LAYOUT_SHIFT = 0.02;
const DEVICES = ['desktop', 'phone'] as const;
const runsFlag = process.argv.indexOf('--runs');
const RUNS = runsFlag === -1 ? 3 : Number(process.argv[runsFlag + 1]);

interface Target {
  name: string;
  url: string;
  /** The least performance on each device. */
  performance: Record<(typeof DEVICES)[number], number>;
}

/** The part of Lighthouse's result that is used here. */
interface Report {
  categories: Record<string, { score: number | null; auditRefs: { id: string; weight: number }[] }>;
  audits: Record<string, { title: string; score: number | null; numericValue?: number; scoreDisplayMode: string }>;
  environment: { benchmarkIndex: number };
  runtimeError?: { message: string };
}

type Lighthouse = (url: string, flags: object, config?: object) => Promise<{ lhr: Report } | undefined>;

const { lighthouse, desktopConfig } = await installed();
const [port, profile] = [await freePort(), await mkdtemp(join(tmpdir(), 'quittance-lighthouse-'))];
await using stack = new AsyncDisposableStack();
stack.defer(() => rm(profile, { recursive: true, force: true }));
const demo = stack.use(await startDemo());
await demo.seeded();
const browser = await openProfile(profile, [`--remote-debugging-port=${port}`]);
stack.defer(() => browser.close());

const FAST = { desktop: 95, phone: 90 };
const PUBLIC: Target[] = [
  { name: 'checkout', url: demo.checkoutUrl, performance: FAST },
  { name: 'docs', url: `${demo.url}/docs`, performance: FAST },
  { name: 'sign-in', url: `${demo.url}/dashboard/sign-in`, performance: FAST },
];
const HOME: Target = { name: 'dashboard', url: `${demo.url}/dashboard`, performance: { desktop: 85, phone: 70 } };

const lines: string[] = [];
const failures: string[] = [];
for (const target of PUBLIC) await measure(target);
// Signed in only now, because the sign-in page sends a signed-in browser on.
const [page = await browser.newPage()] = browser.pages();
await page.goto(demo.dashboardUrl);
await page.getByRole('heading', { name: 'Home' }).waitFor();
await page.goto('about:blank');
await measure(HOME);

console.log('page       device    perf  a11y  best  seo     FCP     LCP     TBT    CLS   CPU  load');
for (const line of lines) console.log(line);
console.log('CPU is the benchmark index of Lighthouse: an undisturbed current laptop has 2,000 and more.');
for (const failure of failures) console.error(failure);
if (failures.length > 0) process.exitCode = 1;

async function measure(target: Target): Promise<void> {
  for (const device of DEVICES) {
    const reports: Report[] = [];
    for (let run = 0; run < RUNS; run++) reports.push(await audit(target.url, device));
    const by = (report: Report) => score(report, 'performance');
    const report = reports.sort((a, b) => by(a) - by(b))[Math.floor(RUNS / 2)] as Report;
    judge(report, `${target.name}, ${device}`, target.performance[device]);
    lines.push(row(report, target.name, device));
  }
}

async function audit(url: string, device: (typeof DEVICES)[number]): Promise<Report> {
  // Cookies and stored settings stay, because the dashboard needs its login.
  const flags = { port, hostname: '127.0.0.1', logLevel: 'error', disableStorageReset: true };
  const result = await lighthouse(url, flags, device === 'desktop' ? desktopConfig : undefined);
  if (!result || result.lhr.runtimeError)
    throw new Error(`${url}: ${result?.lhr.runtimeError?.message ?? 'no result'}`);
  return result.lhr;
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
