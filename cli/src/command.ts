import type { Terminal } from './terminal.ts';

/** One of the things that `quittance` can do. */
export interface Command {
  name: string;
  usage: string;
  summary: string;
  /** Answers the exit code where it is not 0. */
  run(args: string[], terminal: Terminal): Promise<number | undefined>;
}

export const EXIT = { ok: 0, failed: 1, usage: 2, authentication: 3, unreachable: 4 } as const;

/** What went wrong because of how the command was written; said with how it would be right. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
