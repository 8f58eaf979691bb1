import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../../src/platform/db/embedded/postmaster.ts';

const STARTS_WITHIN_MS = 120_000;
const LOOK_MS = 15;

/** A real process of the service. */
export interface ServiceProcess {
  url: string;
  pid: number;
  /** Its log so far, one entry a line. */
  lines: Record<string, unknown>[];
  hasEnded(): boolean;
  /** Ends it, and waits until it is gone. */
  end(signal: NodeJS.Signals): Promise<void>;
}

/** Starts the service from a file, on the port of the settings or a free one, and waits until it serves requests. */
export async function startServiceProcess(file: string, env: Record<string, string>): Promise<ServiceProcess> {
  const { PORT: port = String(await freePort()) } = env;
  const child = spawn(process.execPath, [file], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: process.env.PATH, ...env, PORT: port },
  });
  // Ends the service when what started it ends early.
  const endAlong = () => void child.kill('SIGKILL');
  process.once('exit', endAlong);
  child.once('exit', () => process.off('exit', endAlong));
  const lines: Record<string, unknown>[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (line.startsWith('{')) lines.push(JSON.parse(line));
  });
  const url = `http://127.0.0.1:${port}`;
  await untilServing(child, url);
  return {
    url,
    pid: child.pid ?? 0,
    lines,
    hasEnded: () => hasEnded(child),
    end: async (signal) => void (await endProcess(child, signal)),
  };
}

/** Waits until a started service answers. */
export async function untilServing(child: ChildProcess, url: string): Promise<void> {
  const until = performance.now() + STARTS_WITHIN_MS;
  while (performance.now() < until) {
    const serves = await fetch(`${url}/healthz`).then(
      (response) => response.ok,
      () => false,
    );
    if (serves) return;
    if (hasEnded(child)) throw new Error(`the process ended with ${child.exitCode} instead of starting`);
    await pause(LOOK_MS);
  }
  child.kill('SIGKILL');
  throw new Error(`${url} serves no requests after ${STARTS_WITHIN_MS} ms`);
}

/** Ends a process, and waits until it is gone. Returns its exit code. */
export async function endProcess(child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
  if (hasEnded(child)) return child.exitCode;
  const gone = once(child, 'exit');
  child.kill(signal);
  return (await gone)[0] as number | null;
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

/** Runs a file to its end, with what it prints. */
export async function runToEnd(
  [file, ...args]: readonly [string, ...string[]],
  env: NodeJS.ProcessEnv,
): Promise<{ code: number | null; output: string; errors: string }> {
  const child = spawn(process.execPath, [file, ...args], { stdio: ['ignore', 'pipe', 'pipe'], env });
  const ended = once(child, 'exit');
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: (await ended)[0] as number | null, output, errors };
}
