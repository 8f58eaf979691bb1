import { printable } from '@quittance/contract/readable-text';

/** Prints a line. Providers, merchants and customers may have written a part of it. */
export function print(text: string): void {
  process.stdout.write(`${printable(text)}\n`);
}

/** Prints what went wrong. */
export function complain(text: string): void {
  process.stderr.write(`${printable(text)}\n`);
}
