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
  terminal.stderr.write(`${visible(text)}\n`);
}

/** Prints a line of data. */
export function print(terminal: Terminal, text: string): void {
  terminal.stdout.write(`${visible(text)}\n`);
}

/**
 * Merchants, customers and services write what is printed, and a terminal obeys control characters. They are written as
 * JSON escapes, so that JSON stays the same. Line breaks, tabs, joiners and our own colors are left.
 */
function visible(text: string): string {
  return text.replace(UNSEEN, (found) => (found.startsWith('\u001b[') ? found : escaped(found)));
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: colors are control characters
const UNSEEN = /\u001b\[(?:0|2|31|32)m|(?![\t\n\u200c\u200d])[\p{Cc}\p{Cf}\u2028\u2029]/gu;

function escaped(character: string): string {
  return character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
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
