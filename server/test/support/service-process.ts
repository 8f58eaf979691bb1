import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { freePort } from '../../src/platform/db/embedded/postmaster.ts';

const STARTS_WITHIN_MS = 120_000;

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

/** Starts a process from the bundled service, and waits until it serves requests. */
export async function startServiceProcess(service: string, env: Record<string, string>): Promise<ServiceProcess> {
  const port = await freePort();
  const child = spawn(process.execPath, [service], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PATH: process.env.PATH,
      PORT: String(port),
      ...env,
    },
  });
  const lines: Record<string, unknown>[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (line.startsWith('{')) lines.push(JSON.parse(line));
  });
  const url = `http://127.0.0.1:${port}`;
  await untilServing(child, url);
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  return {
    hasEnded,
    url,
    pid: child.pid ?? 0,
    lines,
    async end(signal) {
      if (hasEnded()) return;
      const gone = once(child, 'exit');
      child.kill(signal);
      await gone;
    },
  };
}

async function untilServing(child: ChildProcess, url: string): Promise<void> {
  const until = performance.now() + STARTS_WITHIN_MS;
  while (performance.now() < until) {
    const serves = await fetch(`${url}/healthz`).then(
      (response) => response.ok,
      () => false,
    );
    if (serves) return;
    if (child.exitCode !== null) throw new Error(`the process ended with ${child.exitCode} instead of starting`);
    await new Promise((resolve) => setTimeout(resolve, 15));
  }
  child.kill('SIGKILL');
  throw new Error(`${url} serves no requests after ${STARTS_WITHIN_MS} ms`);
}
