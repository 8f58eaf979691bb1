import { Buffer } from 'node:buffer';

/** A server's response body, safe for a log: well-formed, without control characters and direction marks. */
export function cleanText(chunks: readonly Uint8Array[]): string {
  const text =
    chunks.length === 1 && chunks[0] ? Buffer.from(chunks[0]).toString('utf8') : Buffer.concat(chunks).toString('utf8');
  return text.replace(UNPRINTABLE, '');
}

// Line feed and tab stay. A truncated last character has become U+FFFD, like all invalid text.
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const UNPRINTABLE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;
