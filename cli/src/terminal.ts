import { printable } from '@quittance/contract/readable-text';

/** A command's input and output: the real terminal, or a test's. */
export interface Terminal {
  stdout: { write(text: string): unknown; isTTY?: boolean };
  stderr: { write(text: string): unknown };
  stdin: NodeJS.ReadableStream;
  env: Record<string, string | undefined>;
  /** Ends a long-running command, like Ctrl-C. */
  signal?: AbortSignal;
}

/** Prints a line for people. */
export function say(terminal: Terminal, text: string): void {
  terminal.stderr.write(`${printable(text)}\n`);
}

/** Prints a line of data. */
export function print(terminal: Terminal, text: string): void {
  terminal.stdout.write(`${printable(text)}\n`);
}

/** A text in a color, unless the output is not a terminal or colors are disabled (https://no-color.org). */
export function colored(terminal: Terminal, color: 'green' | 'red' | 'dim', text: string): string {
  if (!terminal.stdout.isTTY || terminal.env.NO_COLOR) return text;
  return `\u001b[${{ green: 32, red: 31, dim: 2 }[color]}m${text}\u001b[0m`;
}

/** Enough of a secret to recognize it, never enough to use it. */
export function hint(secret: string): string {
  const prefix = /^[a-z]+_(?:(?:live|test)_)?/.exec(secret)?.[0] ?? '';
  return `${prefix}…${secret.slice(-4)}`;
}
