import { hash, randomInt } from 'node:crypto';

export const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

const EIGHT_CHARACTERS = 62 ** 8;
const EIGHT_CHARACTERS_BIGINT = BigInt(EIGHT_CHARACTERS);

/** Random base62 characters with equal probability (5.95 bits a character). */
export function randomBase62(length: number): string {
  let text = '';
  // One number is eight characters: to ask for each of them costs three times as much.
  while (text.length < length) text += base62(randomInt(EIGHT_CHARACTERS));
  return text.slice(0, length);
}

/** The last eight digits, lowest first. */
function base62(number: number): string {
  let text = '';
  for (let rest = number; text.length < 8; rest = Math.floor(rest / 62)) text += BASE62[rest % 62];
  return text;
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
  | 'cus'
  | 'rf'
  | 'po';

/**
 * Ids of tables that grow with every payment or request begin with the time, so that new rows go to the same few pages
 * of each index. All other ids are random throughout: of API keys, login codes and nonces, and of what is public
 * without its date, such as payment links.
 */
const TIMED: ReadonlySet<IdPrefix> = new Set<IdPrefix>([
  'cs',
  'pay',
  'tr',
  'tgt',
  'ro',
  'mc',
  'rct',
  'att',
  'qt',
  'req',
  'mail',
  'rf',
]);

/** Coarser than the `created_at` that is shown with the id, and short enough that the ids of one tick share a page. */
const TICK_MS = 64;
/** Digits and capital letters, because every collation orders them alike. Seven last until the year 2128. */
const TICK_BASE = 36;
const TICK_LENGTH = 7;
const BODY_LENGTH = 24;

/**
 * A new identifier: `cs_` and 24 base62 characters. If the kind begins with the time, 17 of them are random, which is
 * 101 bits, because a session's id is a capability; otherwise all 24 are, 143 bits.
 *
 * Do not rely on the order. The ids of one tick are unordered, clocks differ and can be set back, and most
 * derived ids contain no time.
 */
export function newId(prefix: IdPrefix): string {
  const time = TIMED.has(prefix) ? tickOf(Date.now()) : '';
  return `${prefix}_${time}${randomBase62(BODY_LENGTH - time.length)}`;
}

/** After 2128 it starts again at zero. That is harmless, because only the speed of indexes depends on it. */
function tickOf(ms: number): string {
  return Math.floor(Math.max(0, ms) / TICK_MS)
    .toString(TICK_BASE)
    .toUpperCase()
    .padStart(TICK_LENGTH, '0')
    .slice(-TICK_LENGTH);
}

/**
 * The identifier derived from a text, and from a time if the text has one. A guessable text makes a guessable id, so
 * secret ids are derived from a keyed hash.
 */
export function derivedId(prefix: IdPrefix, from: string | Uint8Array, timeMs?: number): string {
  const input = typeof from === 'string' ? `${prefix} ${from}` : Buffer.concat([Buffer.from(`${prefix} `), from]);
  let rest = BigInt(`0x${hash('sha256', input)}`);
  let body = timeMs === undefined ? '' : tickOf(timeMs);
  // Eight characters at a time are a plain number: division of a large one is slow.
  for (; body.length < BODY_LENGTH; rest /= EIGHT_CHARACTERS_BIGINT)
    body += base62(Number(rest % EIGHT_CHARACTERS_BIGINT));
  return `${prefix}_${body.slice(0, BODY_LENGTH)}`;
}

const ID_BODY = /^[0-9A-Za-z]{24}$/;

/** Whether the text has the form of such an id; other texts never reach the database. */
export function isId(prefix: IdPrefix, text: string): boolean {
  return text.startsWith(`${prefix}_`) && ID_BODY.test(text.slice(prefix.length + 1));
}
