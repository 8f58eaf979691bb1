import type { Terminal } from './terminal.ts';

/** One command of `quittance`. */
export interface Command {
  name: string;
  usage: string;
  summary: string;
  /** Returns the exit code if it is not 0. */
  run(args: string[], terminal: Terminal): Promise<number | undefined>;
}

export const EXIT = { ok: 0, failed: 1, usage: 2, authentication: 3, unreachable: 4 } as const;

/** An error in the command line, with the expected form. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
