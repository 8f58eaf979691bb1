import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { startEmbeddedDatabase } from '../../../src/platform/db/embedded/embedded.ts';
import { haveSystemPackages } from '../../support/system-packages.ts';
import { exampleIn } from '../proxied/nginx.ts';
import { startRelease } from '../side-by-side/process.ts';

/**
 * The files of deploy/ that operators copy, each read by the program that it is for: the alarms and their tests by promtool, the
 * proxy's example by nginx, the unit by systemd. Every metric that alarms and dashboards name is one that the service has.
 *
 *     npm run program -- operations-files
 */
const SKIPPED = 75;
/** Tenths of the exposure that systemd prints, of 100. */
const MAX_EXPOSURE = 20;
const METRIC = /\b(?:quittance|process|nodejs)_[a-z0-9_]+\b/g;

const packages = {
  '/usr/bin/promtool': 'prometheus',
  '/usr/sbin/nginx': 'nginx',
  '/usr/bin/systemd-analyze': 'systemd',
  '/usr/bin/openssl': 'openssl',
};
if (!haveSystemPackages(packages)) process.exit(SKIPPED);
const root = fileURLToPath(new URL('../../../../', import.meta.url));
await using stack = new AsyncDisposableStack();
const folder = mkdtempSync(join(tmpdir(), 'quittance-operations-'));
stack.defer(() => rmSync(folder, { recursive: true, force: true }));

check('alarms', '/usr/bin/promtool', ['check', 'rules', 'deploy/monitoring/alerts.yaml']);
check('tests of the alarms', '/usr/bin/promtool', ['test', 'rules', 'deploy/monitoring/alerts.test.yaml']);
const nginxFile = exampleIn(folder, root, { tls: 8443, plain: 8080, service: 3000 });
check('nginx', '/usr/sbin/nginx', ['-t', '-c', nginxFile, '-e', 'stderr']);
const unit = ['security', '--offline=true', `--threshold=${MAX_EXPOSURE}`, 'deploy/systemd/quittance.service'];
check('systemd', '/usr/bin/systemd-analyze', ['--no-pager', ...unit], /Overall exposure.*/);
await checkMetrics();

function check(what: string, program: string, args: string[], shown?: RegExp): void {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: root, encoding: 'utf8' });
  const printed = `${stdout}${stderr}`.trim();
  report(what, status === 0, status === 0 ? (shown?.exec(printed)?.[0] ?? printed.split('\n').at(-1) ?? '') : printed);
}

async function checkMetrics(): Promise<void> {
  const known = await readMetrics();
  for (const file of globSync('deploy/monitoring/*.{yaml,json}', { cwd: root }).sort()) {
    const named = new Set(readFileSync(join(root, file), 'utf8').match(METRIC));
    const unknown = [...named].filter((name) => !known.has(name));
    const list = unknown.length > 0 ? `not in /metrics: ${unknown.join(', ')}` : 'all in /metrics';
    report(file, unknown.length === 0, `${named.size} metrics, ${list}`);
  }
}

/** Every name that a running service exports, with those that Prometheus derives from a histogram. */
async function readMetrics(): Promise<Set<string>> {
  const database = await startEmbeddedDatabase({ dataDir: folder, log: pino({ level: 'silent' }) });
  stack.defer(() => database.stop());
  const service = await startRelease('the service', root, {
    DATA_DIR: folder,
    DATABASE_URL: database.url,
    MASTER_KEY: randomBytes(32).toString('hex'),
    LOG_LEVEL: 'error',
    PRICES: 'fixed',
    ROUTES: 'none',
  });
  stack.defer(() => service.stop());
  const text = await (await fetch(`${service.url}/metrics`)).text();
  return new Set(
    [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].flatMap(([, name = '', type]) =>
      type === 'histogram' ? ['', '_bucket', '_sum', '_count'].map((end) => name + end) : [name],
    ),
  );
}

function report(what: string, isRight: boolean, seen: string): void {
  console.log(`${isRight ? 'ok     ' : 'FAILED '} ${what.padEnd(38)} ${seen}`);
  if (!isRight) process.exitCode = 1;
}
