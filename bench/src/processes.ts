import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { Load, LoadResult } from './load.ts';

/** After that a process that ignores SIGTERM is killed. */
const STOP_TIMEOUT_MS = 20_000;

const running = new Set<ChildProcess>();
let isEnding = false;

/** Counts a process among those that an interrupted bench stops. */
export function stoppedWithBench<Child extends ChildProcess>(child: Child): Child {
  running.add(child);
  child.once('exit', () => running.delete(child));
  if (isEnding) child.kill('SIGKILL');
  return child;
}

/** Stops every process of the bench. One that is started later ends at once. */
export async function stopAll(): Promise<void> {
  isEnding = true;
  await Promise.all([...running].map(stop));
}

/** Starts a file of this project as a separate process. */
export function forked(file: string, env: Record<string, string> = {}): ChildProcess {
  return stoppedWithBench(
    fork(new URL(file, import.meta.url), {
      env: { ...process.env, ...env },
      execArgv: profileFlags(file),
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    }),
  );
}

/** Starts a file of this project as a separate process and waits for its first message. */
export async function start<First>(
  file: string,
  env: Record<string, string> = {},
): Promise<{ child: ChildProcess; first: First }> {
  const child = forked(file, env);
  const first = await Promise.race([
    once(child, 'message').then(([message]) => message as First),
    once(child, 'exit').then(([code]) => {
      throw new Error(`${file} ended with ${code} before it was ready`);
    }),
  ]);
  return { child, first };
}

/** The answer of a process to a message. */
export async function ask<Answer>(child: ChildProcess, message: string): Promise<Answer> {
  child.send(message);
  const [answer] = (await once(child, 'message')) as [Answer];
  return answer;
}

/** `BENCH_PROFILE=directory` writes CPU profiles of the service and of the worker there. */
function profileFlags(file: string): string[] {
  const directory = process.env.BENCH_PROFILE;
  return directory && ['./service.ts', './worker.ts'].includes(file)
    ? ['--cpu-prof', `--cpu-prof-dir=${directory}`]
    : [];
}

/** Runs a load in a separate process. */
export async function putUnderLoad(load: Load): Promise<LoadResult> {
  const child = forked('./load.ts');
  try {
    child.send(load);
    const [result] = (await once(child, 'message')) as [LoadResult | { error: string }];
    if ('error' in result) throw new Error(`the load could not be run: ${result.error}`);
    if (result.failures > 0) throw new Error(`${result.failures} requests were not answered with ${load.expectStatus}`);
    return result;
  } finally {
    await stop(child);
  }
}

export async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  const kill = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
  await gone;
  clearTimeout(kill);
}
