import { createHash, randomBytes } from 'node:crypto';

export const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Random base62 characters with equal probability (5.95 bits a character). */
export function randomBase62(length: number): string {
  let text = '';
  while (text.length < length) {
    const byte = randomByte();
    // 248 is the largest multiple of 62 in a byte; larger values would favor the first characters.
    if (byte < 248) text += BASE62[byte % 62];
  }
  return text;
}

// Asking the system for each id would cost more than all other work of making one.
let pool = randomBytes(4_096);
let used = 0;

function randomByte(): number {
  if (used === pool.length) {
    pool = randomBytes(4_096);
    used = 0;
  }
  const byte = pool[used] as number;
  // No byte is used twice, and used bytes are erased.
  pool[used] = 0;
  used += 1;
  return byte;
}

export type IdPrefix =
  | 'acc'
  | 'cs'
  | 'pp'
  | 'pl'
  | 'pay'
  | 'we'
  | 'evt'
  | 'qt'
  | 'req'
  | 'key'
  | 'tr'
  | 'tgt'
  | 'dlv'
  | 'att'
  | 'mail'
  | 'code'
  | 'nonce'
  | 'ro'
  | 'inv'
  | 'mc'
  | 'rct'
  | 'cus';

/** A new identifier, `cs_` and 24 base62 characters: 143 bits, so that a session's id can be a capability. */
export function newId(prefix: IdPrefix): string {
  return `${prefix}_${randomBase62(24)}`;
}

/**
 * The identifier derived from a text. A guessable text makes a guessable id, so secret ids are derived from a keyed
 * hash.
 */
export function derivedId(prefix: IdPrefix, from: string | Uint8Array): string {
  let rest = BigInt(`0x${createHash('sha256').update(`${prefix} `).update(from).digest('hex')}`);
  let body = '';
  while (body.length < 24) {
    body += BASE62[Number(rest % 62n)];
    rest /= 62n;
  }
  return `${prefix}_${body}`;
}

const ID_BODY = /^[0-9A-Za-z]{24}$/;

/** Whether the text has the form of such an id; other texts never reach the database. */
export function isId(prefix: IdPrefix, text: string): boolean {
  return text.startsWith(`${prefix}_`) && ID_BODY.test(text.slice(prefix.length + 1));
}
