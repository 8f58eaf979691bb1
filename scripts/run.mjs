// The launcher behind the scripts of package.json: `node scripts/run.mjs <name> [arguments]` installs and builds what is
// missing or stale, then runs the program on the packaged Node. Plain JavaScript for whatever Node starts it.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { build, root, setUp } from './setup.mjs';

const vitest = 'node_modules/vitest/vitest.mjs';

const SCRIPTS = {
  start: ['server/bin/quittance-server.js', 'start', '--demo'],
  server: ['server/bin/quittance-server.js'],
  demo: ['e2e/demo.ts'],
  // The stories in a browser are `npm run e2e`.
  test: [vitest, 'run', '--project', '!e2e'],
  e2e: [vitest, 'run', '--project', 'e2e', '--maxWorkers=3'],
  check: ['scripts/check.ts'],
  docs: ['scripts/docs.ts'],
  bench: ['bench/src/main.ts'],
  change: ['node_modules/@changesets/cli/bin.js'],
  release: ['--disable-warning=ExperimentalWarning', 'scripts/release.ts'],
};

/** Long or special runs that `npm test` does not include: `npm run program -- <name> [options]`. */
const PROGRAMS = {
  abuse: [
    'server/test/programs/floods/run.ts',
    'an hour of 50 strangers against one merchant while customers pay',
    'abuse',
  ],
  archive: ['server/test/programs/archive/run.ts', 'the release on a bare Debian and from npm: a payment in each'],
  axe: ['e2e/axe.ts', 'accessibility of every page and state'],
  'chaos-kill': [
    'server/test/programs/chaos/kill-server.ts',
    'kills the server under load, looks for lost or doubled writes',
  ],
  'chaos-payouts': [
    'server/test/programs/chaos/kill-sendings.ts',
    'kills the service between the signature and the record of payouts',
    'payouts',
  ],
  'chaos-refunds': [
    'server/test/programs/chaos/kill-sendings.ts',
    'kills the service between the signature and the record of refunds',
    'refunds',
  ],
  'chaos-watcher': [
    'server/test/programs/chaos/kill-watcher.ts',
    'kills the worker while payments arrive on local chains',
  ],
  'dashboard-million': [
    'e2e/dashboard-million.ts',
    'each view of a dashboard with a million payments, and an export of all',
  ],
  defenses: ['server/test/programs/defenses/run.ts', 'switches each defense off and sees its test fail'],
  failover: ['server/test/programs/failover/run.ts', 'loses the primary of a Patroni cluster under keyed writes'],
  floods: ['server/test/programs/floods/run.ts', 'dust, claims and busy addresses against one instance'],
  fuzz: ['server/test/programs/fuzz/fuzz.ts', 'made-up requests to every endpoint'],
  'go-live': [
    'server/test/programs/go-live/run.ts',
    'the guide for Debian 12 from a bare machine to a checkout that is paid in live mode behind TLS',
  ],
  lighthouse: ['e2e/lighthouse.ts', 'Lighthouse scores of the first pages, against their floors'],
  limits: ['server/test/programs/limits/redis.ts', 'shared rate limits on a real Redis'],
  'limits-failover': ['server/test/programs/limits/sentinel.ts', 'shared rate limits while Redis changes its primary'],
  'operations-files': [
    'server/test/programs/operations-files/run.ts',
    'what operators copy: alerts, dashboards, nginx, systemd',
  ],
  'outside-clients': [
    'server/test/programs/outside-clients/run.ts',
    'what others publish and npm ci leaves out: the client of x402 version 1, and a shop in a real Next.js',
  ],
  pooled: ['server/test/programs/pooled/run.ts', 'the tests of the API through PgBouncer in transaction mode'],
  'programs-pay': ['e2e/programs/faults.ts', 'programs pay through a facilitator that loses, lies and repeats'],
  providers: [
    'server/test/programs/providers/contract-test.ts',
    'the live route providers against the recorded contract',
  ],
  proxied: ['server/test/programs/proxied/run.ts', 'the service behind a real nginx with the example of deploy/'],
  'restore-drill': [
    'server/test/programs/restore-drill/run.ts',
    'restores an older backup while customers pay: nothing lost, nothing paid twice',
  ],
  screenshots: ['e2e/screenshots.ts', 'pictures of every checkout state'],
  'screenshots-dashboard': ['e2e/dashboard-screenshots.ts', 'pictures of the dashboard'],
  shops: ['server/test/programs/shops/run.ts', 'our payment methods in real shops, which are installed from npm'],
  'side-by-side': [
    'server/test/programs/side-by-side/run.ts',
    'the previous release and this one on one migrated database',
  ],
  sim: ['server/test/programs/simulation/sim.ts', 'random histories of payments against the invariants'],
  'sim-mutations': ['server/test/programs/simulation/mutate.ts', 'seeded bugs that the simulator must find'],
  size: ['e2e/size.ts', 'bytes of the first load of each page'],
  'slow-provider': [
    'server/test/programs/slow-provider/run.ts',
    'one or two providers that answer late, beside one to three workers: the longest time without progress',
  ],
  untranslated: ['scripts/untranslated.ts', 'the sentences of the dashboard that a language lacks'],
  version: ['scripts/version.ts', 'the next version and its changelogs, from the noted changes'],
  'webhooks-fairness': [
    'server/test/programs/webhooks/fairness.ts',
    'how long healthy endpoints wait beside silent ones',
  ],
  'webhooks-kill': [
    'server/test/programs/webhooks/kill.ts',
    'kills deliverers at random moments, looks for lost or doubled webhooks',
  ],
  xss: ['e2e/xss/run.ts', 'hostile texts on every page'],
};

/** These do without the packages of tests and checks. */
const SERVICES = ['start', 'server'];

main(process.argv.slice(2));

function main([name, ...args]) {
  if (name === 'build') return build();
  if (name === 'program') return program(args);
  if (!Object.hasOwn(SCRIPTS, name ?? '')) return stop(`There is no script "${name}". See package.json.`);
  setUp(SERVICES.includes(name) ? 'service' : 'all');
  // Named projects replace the default.
  const script = args.includes('--project') && name === 'test' ? [vitest, 'run'] : SCRIPTS[name];
  run([...script, ...args]);
}

function program([name, ...args]) {
  if (name === undefined || !Object.hasOwn(PROGRAMS, name)) {
    const lines = Object.entries(PROGRAMS).map(([known, [, what]]) => `  ${known.padEnd(22)} ${what}`);
    return stop(`npm run program -- <name> [options]\n\n${lines.join('\n')}`);
  }
  setUp('all');
  const [file, , ...before] = PROGRAMS[name];
  run([file, ...before, ...args]);
}

function run(args) {
  const bin = join(root, 'node_modules', '.bin');
  const packaged = join(bin, process.platform === 'win32' ? 'node.cmd' : 'node');
  const child = spawn(existsSync(packaged) ? packaged : process.execPath, args, {
    cwd: root,
    stdio: 'inherit',
    shell: packaged.endsWith('.cmd'),
    env: { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH ?? ''}` },
  });
  // A terminal signals the whole group, a supervisor only this process; the service takes both for one signal. On
  // Windows every process of a console is signaled, and `kill` would end the program without its shutdown.
  const pass = process.platform === 'win32' ? () => {} : (signal) => child.kill(signal);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, pass);
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code ?? 1);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

function stop(text) {
  process.stderr.write(`${text}\n`);
  process.exit(2);
}
