import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { ofThisRun, UNREACHABLE } from './service.ts';

/** The service as `npm start` starts it: with its demo merchant and everything that is printed. */
export interface DemoService extends AsyncDisposable {
  url: string;
  pid: number;
  dataDir: string;
  dashboardUrl: string;
  checkoutUrl: string;
  testKey: string;
  /** Resolves once all of the demo's payments exist. */
  seeded(): Promise<void>;
}

export async function startDemo(env: Record<string, string> = {}): Promise<DemoService> {
  const dataDir = await mkdtemp(join(tmpdir(), 'quittance-demo-'));
  const { main, database } = await ofThisRun(env);
  const child = spawn(process.execPath, [main, '--demo'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: process.env.PATH, ...demoEnv(dataDir), ...(database && { DATABASE_URL: database.url }), ...env },
  });
  const demo = await started(child, dataDir, () => child.kill('SIGTERM'));
  const end = demo[Symbol.asyncDispose];
  return Object.assign(demo, {
    [Symbol.asyncDispose]: async () => {
      await end();
      await database?.drop();
    },
  });
}

/** `npm start` in a folder with a new clone of this repository, with the machine's Node and npm. */
export async function startClone(folder: string): Promise<DemoService> {
  const dataDir = await mkdtemp(join(tmpdir(), 'quittance-demo-'));
  const path = process.env.PATH?.split(':')
    .filter((entry) => !entry.includes('node_modules'))
    .join(':');
  // In a separate process group, because npm does not forward every signal.
  const child = spawn('npm', ['start'], {
    cwd: folder,
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, PATH: path, ...demoEnv(dataDir) },
  });
  return started(child, dataDir, () => process.kill(-(child.pid ?? 0), 'SIGTERM'));
}

function demoEnv(dataDir: string): Record<string, string> {
  return { DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'error', PRICES: 'fixed', ROUTES: 'none', ...UNREACHABLE };
}

async function started(child: ChildProcess, dataDir: string, stop: () => void): Promise<DemoService> {
  const printed = await readGreeting(child);
  const of = (name: RegExp) => name.exec(printed)?.[1] ?? '';
  return {
    dataDir,
    pid: child.pid ?? 0,
    url: of(/API\s+(http:\/\/\S+?)\/v1/),
    dashboardUrl: of(/Dashboard\s+(\S+)/),
    checkoutUrl: of(/Checkout\s+(\S+)/),
    testKey: of(/Test key\s+(\S+)/),
    async seeded() {
      for (let look = 0; look < 600; look += 1) {
        if (JSON.parse(await readFile(join(dataDir, 'demo.json'), 'utf8')).isSeeded) return;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      throw new Error('the demo was not completed within a minute');
    },
    async [Symbol.asyncDispose]() {
      // A signal to the whole group ends it earlier, and then no exit is announced any more.
      if (child.exitCode === null && child.signalCode === null)
        await new Promise<void>((resolve) => {
          child.once('exit', () => resolve());
          stop();
        });
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

async function readGreeting(child: ChildProcess): Promise<string> {
  let printed = '';
  for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
    printed += `${line}\n`;
    if (line.includes('Signed in as ')) {
      child.stdout?.resume();
      return printed;
    }
  }
  throw new Error('the service did not start');
}
