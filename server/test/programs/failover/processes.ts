import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { asPostgres } from '../../support/as-postgres.ts';
import { endProcess } from '../../support/service-process.ts';

/** Starts a program that logs to a file. */
export function startProgram(file: string, args: string[], log: string, cwd: string): ChildProcess {
  const output = openSync(log, 'a');
  const env = { PATH: `${process.env.PATH}:/usr/sbin`, LANG: 'C.UTF-8', HOME: cwd };
  const child = spawn(file, args, { stdio: ['ignore', output, output], cwd, env, ...asPostgres() });
  closeSync(output);
  return child;
}

export async function killProgram(child: ChildProcess | undefined): Promise<void> {
  if (child) await endProcess(child, 'SIGKILL');
}

/** The postmaster of a data directory and the processes that it has started. */
export function postgresProcesses(dataDir: string): number[] {
  try {
    const postmaster = Number(readFileSync(join(dataDir, 'postmaster.pid'), 'utf8').split('\n', 1)[0]);
    const children = readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && parentOf(pid) === postmaster);
    return [postmaster, ...children.map(Number)];
  } catch {
    return [];
  }
}

function parentOf(pid: string): number | undefined {
  try {
    // The name of the program is in parentheses, and may contain spaces.
    const status = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(status.slice(status.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return undefined;
  }
}

/** Signals all of them; a process that has ended meanwhile is skipped. */
export function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids)
    try {
      process.kill(pid, signal);
    } catch {
      // It has ended.
    }
}
