import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { freePort } from '../../../src/platform/db/embedded/postmaster.ts';
import { documentedCode } from '../../support/documented-code.ts';
import { endProcess } from '../../support/service-process.ts';
import { debianMirror, haveSystemPackages, SKIPPED_EXIT_CODE } from '../../support/system-packages.ts';
import { payOnce, until } from './smoke.ts';

/**
 * Installs what `npm run release` makes where nothing else is: the archive on a bare Debian by the commands of
 * docs/installing.md, and the npm package in an empty folder. Starts each, and has a session paid in test mode and its
 * webhook received.
 *
 *     npm run program -- archive                     makes the release first
 *     npm run program -- archive --short             uses the one in .cache/release, and leaves the npm package out
 */
const { values } = parseArgs({ options: { short: { type: 'boolean', default: false } } });
const MAX_MB = 150;
const DOCUMENTS = [
  'README.md',
  'LICENSE',
  'docs/installing.md',
  'docs/operating.md',
  'docs/scaling.md',
  'docs/security.md',
];
/** One of each kind: the runtime, the database, what is bundled into the pages and the command line, what the server loads. */
const COMPONENTS = ['node', 'postgresql', 'react', 'preact', 'eventsource-parser', 'fastify'];
const root = fileURLToPath(new URL('../../../../', import.meta.url));
const release = join(root, '.cache/release');
const say = (line: string) => void process.stderr.write(`${Math.round(performance.now() / 1000)} s  ${line}\n`);

if (process.getuid?.() !== 0) {
  process.stderr.write('\nSKIPPED: only root can make a bare Debian, so nothing was shown.\n\n');
  process.exit(SKIPPED_EXIT_CODE);
}
if (!haveSystemPackages({ '/usr/sbin/debootstrap': 'debootstrap' })) process.exit(SKIPPED_EXIT_CODE);
await using stack = new AsyncDisposableStack();
if (!values.short || !existsSync(release)) {
  say('assembling the release');
  execFileSync(process.execPath, ['--disable-warning=ExperimentalWarning', 'scripts/release.ts'], { cwd: root });
}
const sums = execFileSync('cat', [join(release, 'SHA256SUMS')], { encoding: 'utf8' });
const files = sums
  .trim()
  .split('\n')
  .map((line) => line.split('  ')[1] as string);
const [archive, npmPackage] = files as [string, string];
const packedMb = statSync(join(release, archive)).size / 1024 / 1024;
const bare = temporary('quittance-bare-');
let mountsOf = 0;
await onBareDebian();
if (!values.short) await fromNpm();
console.log(`${archive}: ${packedMb.toFixed(1)} MB packed, at most ${MAX_MB}`);
if (packedMb > MAX_MB) process.exitCode = 1;

async function onBareDebian(): Promise<void> {
  say('making a bare Debian');
  chmodSync(bare, 0o755);
  execFileSync('debootstrap', ['--variant=minbase', 'bookworm', bare, debianMirror()], { stdio: 'ignore' });
  for (const file of [...files, 'SHA256SUMS']) copyFileSync(join(release, file), join(bare, 'root', file));
  await mountSystem();
  const has = (name: string) => existsSync(join(bare, 'usr/bin', name));
  if (has('node') || has('npm') || has('psql')) throw new Error('this Debian is not bare');
  runIn('root', `cd /root\n${documentedCode('installing.md', 'sh', 'Unpack')}`);
  runIn('root', 'useradd --system --create-home --home-dir /var/lib/quittance quittance');
  const unpackedMb = Number.parseInt(
    execFileSync('du', ['-sm', join(bare, 'opt/quittance')], { encoding: 'utf8' }),
    10,
  );
  say(`unpacked: ${unpackedMb} MB`);
  const missing = missingFrom(join(bare, 'opt/quittance'));
  for (const line of missing) console.error(`FAILED: ${line}`);
  if (missing.length > 0) process.exitCode = 1;
  say('it has the documents, the licenses and a bill of materials');

  const port = await freePort();
  const settings = `PORT=${port} DATA_DIR=/var/lib/quittance/data`;
  const service = startIn(`${settings} /opt/quittance/bin/quittance-server start`);
  await payOnce(`http://127.0.0.1:${port}`, join(bare, 'var/lib/quittance/data'));
  say('a session was paid and its webhook received');
  runIn('quittance', `${settings} /opt/quittance/bin/quittance-server backup /var/lib/quittance/backup`);
  await endProcess(service);

  const production =
    `PROFILE=production PUBLIC_URL=https://pay.example.com MASTER_KEY=${randomBytes(32).toString('hex')} ` +
    'DATABASE_URL=embedded';
  const second = `PORT=${port} DATA_DIR=/var/lib/quittance/production ${production}`;
  let log = '';
  const inProduction = startIn(`${second} /opt/quittance/bin/quittance-server start`, (text) => (log += text));
  await until(async () => log.includes('setupUrl') && log.includes('"server started"'));
  await endProcess(inProduction);
  say('the production profile starts and prints a setup link');
}

/** The files that operators are pointed to, and the components that auditors look for. */
function missingFrom(folder: string): string[] {
  const read = (file: string) => (existsSync(join(folder, file)) ? readFileSync(join(folder, file), 'utf8') : '');
  const { components = [] } = JSON.parse(read('sbom.cdx.json') || '{}') as {
    components?: { name: string; version?: string }[];
  };
  const licenses = read('THIRD-PARTY-LICENSES.txt');
  return [
    ...DOCUMENTS.filter((file) => read(file) === '').map((file) => `the archive has no ${file}`),
    ...COMPONENTS.filter((name) => !components.some((one) => one.name === name && one.version)).map(
      (name) => `the bill of materials names no version of ${name}`,
    ),
    ...COMPONENTS.filter((name) => !new RegExp(`^${name} \\S+: \\S`, 'm').test(licenses)).map(
      (name) => `the licenses have none of ${name}`,
    ),
    ...['quittance-sdk-', 'quittance-cli-']
      .filter((name) => !files.some((file) => file.startsWith(name)))
      .map((name) => `SHA256SUMS has no ${name}<version>.tgz`),
  ];
}

async function fromNpm(): Promise<void> {
  const folder = temporary('quittance-npm-');
  say('installing the npm package in an empty folder');
  execFileSync('npm', ['install', '--silent', '--no-audit', '--no-fund', join(release, npmPackage)], { cwd: folder });
  const port = await freePort();
  const service = spawn(process.execPath, [join(folder, 'node_modules/.bin/quittance-server'), 'start'], {
    cwd: folder,
    env: { PATH: process.env.PATH, PORT: String(port), DATA_DIR: join(folder, 'data') },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  stack.defer(async () => void (await endProcess(service)));
  await payOnce(`http://127.0.0.1:${port}`, join(folder, 'data'));
  await endProcess(service);
  const mb = (statSync(join(release, npmPackage)).size / 1024 / 1024).toFixed(1);
  say(`${npmPackage}: ${mb} MB packed; a session was paid and its webhook received`);
}

/** What a container has beside its files: mounts of its own, with /proc, /dev and /dev/shm. They end with the process. */
async function mountSystem(): Promise<void> {
  const mounts = 'mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" && mount -t tmpfs shm "$0/dev/shm"';
  const holder = spawn('unshare', ['--mount', 'sh', '-euc', `${mounts} && echo mounted && exec sleep infinity`, bare], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  stack.defer(async () => void (await endProcess(holder)));
  await once(holder.stdout, 'data');
  mountsOf = holder.pid as number;
}

function inside(user: string, command: string): string[] {
  const clean = ['env', '-i', 'PATH=/usr/sbin:/usr/bin:/sbin:/bin', 'sh', '-euc', command];
  return ['--mount', '--target', String(mountsOf), 'chroot', `--userspec=${user}`, bare, ...clean];
}

function runIn(user: string, command: string): void {
  execFileSync('nsenter', inside(user, command), { stdio: ['ignore', 'ignore', 'inherit'] });
}

function startIn(command: string, onText: (text: string) => void = () => {}): ChildProcess {
  const service = spawn('nsenter', inside('quittance', `cd /var/lib/quittance; exec env ${command}`), {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  service.stdout.setEncoding('utf8').on('data', onText);
  stack.defer(async () => void (await endProcess(service)));
  return service;
}

function temporary(prefix: string): string {
  const folder = mkdtempSync(join(tmpdir(), prefix));
  stack.defer(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
