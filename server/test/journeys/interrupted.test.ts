import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { fillDataDirectory } from '../support/data-directory.ts';
import { bundledService, compiledDirectory } from '../support/service-bundle.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const WAIT = { timeout: 30_000, interval: 50 };
// Whole processes are started and interrupted here.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 60_000 });

let dataDir: string;
let group: ChildProcess | undefined;

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'quittance-interrupted-'));
});
afterEach(async () => {
  if (group) signalGroup(group, 'SIGKILL');
  for (const pid of ours()) process.kill(pid, 'SIGKILL');
  await rm(dataDir, { recursive: true, force: true });
});

test.each<[string, (service: Started) => void]>([
  ['Ctrl-C in a terminal, which signals everything and is passed on', ({ process }) => ctrlC(process)],
  ['SIGTERM to the group', ({ process }) => signalGroup(process, 'SIGTERM')],
  ['SIGTERM to the launcher alone', ({ process }) => process.kill('SIGTERM')],
  ['a terminal that is closed', ({ process }) => signalGroup(process, 'SIGHUP')],
])('%s is one orderly stop: what was taken is answered, and nothing runs on', async (_name, stop) => {
  const service = await start();
  const request = await service.takeRequest();
  const ended = once(service.process, 'exit');
  stop(service);
  await expect.poll(() => service.isTaking(), WAIT).toBe(false);
  expect(await request.finish()).toMatch(/^HTTP\/1\.1 400 /);
  expect(await ended).toEqual([0, null]);
  expect(ours()).toEqual([]);
  await expectCleanDatabase();
});

test('a supervisor that signals every process, PostgreSQL among them, leaves none behind', async () => {
  const service = await start();
  const ended = once(service.process, 'exit');
  for (const pid of ours()) process.kill(pid, 'SIGTERM');
  service.process.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
  await expect.poll(ours, WAIT).toEqual([]);
  await expectCleanDatabase();
});

test('a second Ctrl-C ends the service at once, and PostgreSQL with it', async () => {
  const service = await start();
  const request = await service.takeRequest();
  const ended = once(service.process, 'exit');
  ctrlC(service.process);
  await expect.poll(() => service.isTaking(), WAIT).toBe(false);
  // The request keeps the orderly stop waiting, so a person loses patience.
  await expect.poll(() => ctrlC(service.process) ?? service.hasEnded(), { timeout: 15_000, interval: 250 }).toBe(true);
  expect(await ended).toEqual([130, null]);
  request.socket.destroy();
  await expect.poll(ours, WAIT).toEqual([]);
  await expectCleanDatabase();
});

test('Ctrl-C during the first start leaves neither a process nor a half-made database', async () => {
  const { command } = await bundledService();
  group = spawn(process.execPath, [command, 'start'], { detached: true, stdio: 'ignore', env: env() });
  const ended = once(group, 'exit');
  await expect.poll(() => commands().some((line) => line.includes('initdb')), { ...WAIT, interval: 5 }).toBe(true);
  ctrlC(group);
  expect(await ended).toEqual([130, null]);
  await expect.poll(ours, WAIT).toEqual([]);
  await expect.poll(() => readdir(dataDir), WAIT).toEqual([]);
});

test('Ctrl-C in a command that started the database stops the database too', async () => {
  await fillDataDirectory(dataDir);
  const { command } = await bundledService();
  group = spawn(process.execPath, [command, 'migrate'], { detached: true, stdio: 'ignore', env: env() });
  const ended = once(group, 'exit');
  await expect.poll(() => isDatabaseReady(), { ...WAIT, interval: 5 }).toBe(true);
  ctrlC(group);
  expect(await ended).toEqual([130, null]);
  await expect.poll(ours, WAIT).toEqual([]);
  await expectCleanDatabase();
});

test('Ctrl-C during a backup or a restore leaves nothing behind, and the next one to the same name succeeds', async () => {
  const file = join(dataDir, 'backup');
  await fillDataDirectory(dataDir);
  const { command } = await bundledService();
  for (const args of [
    ['backup', file],
    ['restore', file, '--force'],
  ]) {
    const before = await readdir(dataDir);
    group = spawn(process.execPath, [command, ...args], { detached: true, stdio: 'ignore', env: env() });
    const ended = once(group, 'exit');
    await expect
      .poll(async () => (await readdir(dataDir)).some((name) => name.includes('.new-')), { ...WAIT, interval: 2 })
      .toBe(true);
    ctrlC(group);
    expect(await ended).toEqual([130, null]);
    await expect.poll(ours, WAIT).toEqual([]);
    expect(await readdir(dataDir)).toEqual(before);
    execFileSync(process.execPath, [command, ...args], { env: env() });
  }
});

const DEMOS: [string, string, (demo: ChildProcess) => void][] = [
  ['Ctrl-C', 'Starting the service', ctrlC],
  ['SIGTERM to the launcher alone', 'Waiting for the signed webhook', (demo) => void demo.kill('SIGTERM')],
];
// Each demo takes a dozen seconds: INTERRUPTIONS=all interrupts it by each signal early and late.
if (process.env.INTERRUPTIONS === 'all')
  DEMOS.push(
    ['Ctrl-C', 'Waiting for the signed webhook', ctrlC],
    ['SIGTERM to the launcher alone', 'Signing in', (demo) => void demo.kill('SIGTERM')],
  );

test.each(DEMOS)('%s at "%s" of `npm run demo` leaves no process and no file behind', async (_name, step, stop) => {
  group = spawn(process.execPath, ['scripts/run.mjs', 'demo'], {
    cwd: ROOT,
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...node(), TMPDIR: dataDir },
  });
  const ended = once(group, 'exit');
  for await (const line of createInterface({ input: group.stdout as NodeJS.ReadableStream }))
    if (line.includes(step)) break;
  group.stdout?.resume();
  stop(group);
  expect(await ended).not.toEqual([1, null]);
  await expect.poll(ours, WAIT).toEqual([]);
  await expect.poll(() => readdir(dataDir), WAIT).toEqual([]);
});

interface Started {
  process: ChildProcess;
  hasEnded(): boolean;
  isTaking(): Promise<boolean>;
  /** Sends half of a request, which the service waits for before it ends. */
  takeRequest(): Promise<{ socket: Socket; finish(): Promise<string> }>;
}

/** `npm start` without npm: the launcher in a process group of its own, as a shell starts a job. */
async function start(): Promise<Started> {
  await fillDataDirectory(dataDir, { schema: true });
  const launcher = spawn(process.execPath, ['scripts/run.mjs', 'start'], {
    cwd: ROOT,
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: env(),
  });
  group = launcher;
  const url = await printedUrl(launcher);
  return {
    process: launcher,
    hasEnded: () => launcher.exitCode !== null || launcher.signalCode !== null,
    isTaking: () =>
      fetch(`${url}/healthz`).then(
        ({ ok }) => ok,
        () => false,
      ),
    async takeRequest() {
      const socket = connect({ host: 'localhost', port: Number(new URL(url).port) });
      let answer = '';
      socket.setEncoding('utf8').on('data', (chunk) => (answer += chunk));
      socket.on('error', () => {});
      const closed = once(socket, 'close');
      // A request with a key would be answered before its body.
      socket.write('POST /v1/public/checkout/sessions/cs_unknown/pay HTTP/1.1\r\nHost: localhost\r\n');
      socket.write('Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{');
      // The server has read its head once it answers a later request.
      await fetch(`${url}/healthz`);
      return {
        socket,
        async finish() {
          socket.write('}');
          await closed;
          return answer;
        },
      };
    },
  };
}

async function printedUrl(launcher: ChildProcess): Promise<string> {
  let printed = '';
  for await (const line of createInterface({ input: launcher.stdout as NodeJS.ReadableStream })) {
    printed += `${line}\n`;
    if (!line.includes('Signed in as')) continue;
    launcher.stdout?.resume();
    return /API\s+(http:\S+)\/v1/.exec(printed)?.[1] ?? '';
  }
  throw new Error(`the service printed: ${printed}`);
}

/** A terminal signals the whole group, and both npm and the launcher pass on what they received. */
function ctrlC(leader: ChildProcess): void {
  signalGroup(leader, 'SIGINT');
  leader.kill('SIGINT');
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    process.kill(-(pid as number), signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** The commands of all processes of the group, and of PostgreSQL, which is in a group of its own. */
function commands(): string[] {
  return execFileSync('ps', ['-ww', '-eo', 'pid=,pgid=,stat=,args='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => !/^\d+\s+\d+\s+Z/.test(line))
    .filter((line) => Number(line.split(/\s+/)[1]) === group?.pid || line.includes(dataDir));
}

const ours = () => commands().map((line) => Number.parseInt(line, 10));

async function isDatabaseReady(): Promise<boolean> {
  const text = await readFile(join(dataDir, 'postgres/cluster/postmaster.pid'), 'utf8').catch(() => '');
  return /^ready/m.test(text);
}

/** The next start finds a database that needs no recovery. */
async function expectCleanDatabase(): Promise<void> {
  expect((await readFile(join(dataDir, 'postgres/log'), 'utf8')).trim().split('\n').at(-1)).toContain(
    'database system is shut down',
  );
}

/** The sources are compiled once for all tests. */
function node(): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, NODE_COMPILE_CACHE: compiledDirectory() };
}

function env(): NodeJS.ProcessEnv {
  const nowhere = ['ETHEREUM', 'BASE', 'POLYGON', 'ARBITRUM', 'SOLANA'].map((name) => [`RPC_${name}_URLS`, ',']);
  return {
    ...node(),
    DATA_DIR: dataDir,
    PORT: '0',
    LOG_LEVEL: 'silent',
    PRICES: 'fixed',
    ROUTES: 'none',
    ...Object.fromEntries(nowhere),
  };
}
