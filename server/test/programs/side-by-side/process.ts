import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { freePort } from '../../../src/platform/db/embedded/postmaster.ts';
import { endProcess, untilServing } from '../../support/service-process.ts';

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
  const port = await freePort();
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
  await untilServing(child, url).catch((error: Error) => {
    throw new Error(`the ${name} release did not start: ${error.message}\n${errors.join('\n')}`);
  });
  return {
    name,
    url,
    errors,
    isRunning: () => child.exitCode === null && child.signalCode === null,
    stop: async () => void (await endProcess(child)),
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
