import { printable } from '@quittance/contract/readable-text';

/** Prints a line. Providers, merchants and customers may have written a part of it. */
export function print(text: string): void {
  process.stdout.write(`${printable(text)}\n`);
}

/** Prints what went wrong. */
export function complain(text: string): void {
  process.stderr.write(`${printable(text)}\n`);
}

/** The command line lacks what the command needs. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  /** Node's own parser uses this code too, so both errors end in the same message. */
  readonly code = 'ERR_PARSE_ARGS_USAGE';
}
