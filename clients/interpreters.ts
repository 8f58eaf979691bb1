import { spawnSync } from 'node:child_process';

/** A client in another language, and the interpreter that runs it. */
export interface Client {
  name: 'Python' | 'PHP';
  program: 'python3' | 'php';
  folder: string;
}

export const CLIENTS: readonly Client[] = [
  { name: 'Python', program: 'python3', folder: 'clients/python' },
  { name: 'PHP', program: 'php', folder: 'clients/php' },
];

/** Whether a program is on this machine. */
export function isInstalled(program: string): boolean {
  return spawnSync('sh', ['-c', `command -v ${program}`], { stdio: 'ignore' }).status === 0;
}

/** For the name of a test, so that a skipped one says why. */
export function skippedNote(program: string): string {
  return isInstalled(program) ? '' : ` (SKIPPED: there is no ${program})`;
}
