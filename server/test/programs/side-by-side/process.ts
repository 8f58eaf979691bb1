import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';

const START_TIMEOUT_MS = 120_000;
const ERROR_LEVEL = 50;

/** A running release, in its own process. */
export interface ReleaseProcess<Name extends string = string> {
  name: Name;
  url: string;
  /** Errors in its log and its error output. */
  errors: string[];
  isRunning(): boolean;
  stop(): Promise<void>;
}

/** Starts the service of a checkout and waits until it answers. */
export async function startRelease<Name extends string>(
  name: Name,
  folder: string,
  env: Record<string, string>,
): Promise<ReleaseProcess<Name>> {
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  const errors: string[] = [];
  const child = spawn(process.execPath, [join(folder, 'server/src/main.ts')], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH, ...env, PORT: String(port) },
  });
  for (const output of [child.stdout, child.stderr])
    createInterface({ input: output }).on('line', (line) => {
      if (isError(line, output === child.stderr)) errors.push(line.slice(0, 500));
    });
  await waitUntilReady(name, url, child, errors);
  return {
    name,
    url,
    errors,
    isRunning: () => child.exitCode === null && child.signalCode === null,
    async stop() {
      if (child.exitCode !== null) return;
      const gone = once(child, 'exit');
      child.kill('SIGTERM');
      await gone;
    },
  };
}

/** A line of the log at error level, or any complaint of Node itself. */
function isError(line: string, isErrorOutput: boolean): boolean {
  try {
    const entry = JSON.parse(line) as { level?: unknown };
    return entry.level === 'error' || entry.level === 'fatal' || Number(entry.level) >= ERROR_LEVEL;
  } catch {
    // A sentence on standard error is the reason why a start failed.
    return isErrorOutput && !/Warning|--trace-warnings/.test(line);
  }
}

async function waitUntilReady(name: string, url: string, child: ChildProcess, errors: string[]): Promise<void> {
  const endAt = performance.now() + START_TIMEOUT_MS;
  while (performance.now() < endAt) {
    const isReady = await fetch(`${url}/healthz`).then(
      (response) => response.ok,
      () => false,
    );
    if (isReady) return;
    if (child.exitCode !== null) break;
    await pause(50);
  }
  child.kill('SIGKILL');
  throw new Error(`the ${name} release did not start:\n${errors.join('\n')}`);
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
