import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { RECEIVE_NETWORKS } from '@quittance/contract';
import { endProcess } from '@quittance/server/testing/service-process';

/** The real service in its own process, with its own data directory. */
export interface Service extends AsyncDisposable {
  url: string;
  dataDir: string;
  /** The key and wallet of the demo account, which the first start in development creates. */
  testKey: string;
  /** Calls the API; throws its errors. */
  call<T = unknown>(method: string, path: string, body?: unknown, credential?: string): Promise<T>;
  /** The code in the newest mail to this address. */
  mailedCode(email: string): Promise<string>;
}

/** Starts the service on a free port. In a run of tests it gets a database of that run, otherwise an embedded one. */
export async function startService(env: Record<string, string> = {}): Promise<Service> {
  const { main, database } = await ofThisRun(env);
  const dataDir = await mkdtemp(join(tmpdir(), 'quittance-e2e-'));
  const child = spawn(process.execPath, [main], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PATH: process.env.PATH,
      DATA_DIR: dataDir,
      PORT: '0',
      LOG_LEVEL: 'error',
      PRICES: 'fixed',
      ROUTES: 'none',
      ...UNREACHABLE,
      ...(database && { DATABASE_URL: database.url }),
      ...env,
    },
  });
  const { url, testKey } = await greeted(child);

  return {
    url,
    dataDir,
    testKey,
    async call<T>(method: string, path: string, body?: unknown, credential?: string) {
      const response = await fetch(url + path, {
        method,
        headers: {
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...(credential && { authorization: `Bearer ${credential}` }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const answer = (await response.json()) as { data: T; error?: { code: string; message: string } };
      if (answer.error) throw new Error(`${method} ${path}: ${answer.error.code}: ${answer.error.message}`);
      return answer.data ?? (answer as T);
    },
    mailedCode: (email) => mailedCode(join(dataDir, 'mail'), email),
    async [Symbol.asyncDispose]() {
      await endProcess(child);
      await database?.drop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** In a run of tests, the service as its bundle, which starts faster, and a database of the run's server. */
export async function ofThisRun(
  env: Record<string, string>,
): Promise<{ main: string; database?: { url: string; drop(): Promise<void> } }> {
  if (!process.env.VITEST) return { main: new URL('../../server/src/main.ts', import.meta.url).pathname };
  const { bundledService } = await import('@quittance/server/testing/service-bundle');
  const { createTestDatabase } = await import('@quittance/server/testing/database');
  return {
    main: (await bundledService()).main,
    ...(!env.DATABASE_URL && { database: await createTestDatabase() }),
  };
}

// Stories use local chains only: every other address is unreachable and fails at once.
export const UNREACHABLE = Object.fromEntries(
  RECEIVE_NETWORKS.map((network) => [`RPC_${network.toUpperCase()}_URLS`, 'http://127.0.0.1:9']),
);

/** What the service prints once it is ready. */
async function greeted(child: ChildProcess): Promise<{ url: string; testKey: string }> {
  let url: string | undefined;
  for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
    url ??= /API\s+(http:\/\/\S+?)\/v1/.exec(line)?.[1];
    const testKey = /Test key\s+(\S+)/.exec(line)?.[1];
    if (url && testKey) {
      child.stdout?.resume();
      return { url, testKey };
    }
  }
  throw new Error('the service did not start');
}

async function mailedCode(folder: string, email: string): Promise<string> {
  for (let attempt = 0; attempt < 400; attempt++) {
    // A file that is still being written has another ending.
    const names = (await readdir(folder).catch(() => [] as string[])).filter((name) => name.endsWith('.eml'));
    const mails = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
    const subject = mails
      .filter((mail) => mail.includes(email))
      .map((mail) => /^Subject: (.*)$/m.exec(mail)?.[1])
      .at(-1);
    if (subject) return subject.trim().split(' ').at(-1) as string;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error(`no mail with a code arrived for ${email}`);
}
