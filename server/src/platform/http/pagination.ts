import type { ErrorCode } from '@quittance/contract';
import type { Account } from '../caller.ts';
import { canonicalJson } from '../canonical-json.ts';
import { fail, invariant } from '../errors.ts';
import { type IdPrefix, isId } from '../ids.ts';
import { type Secrets, sha256 } from '../secrets.ts';
import { inSteps, meanBytes, type Position, type StepsFrom, type Weighed } from './in-steps.ts';
import type { Pace } from './admission/pace.ts';
import type { Page } from './route.ts';

const MAX_LIMIT = 100;
/** A page has fewer objects than `limit` if it would become longer. A hundred usual payments have 150 kB. */
const MAX_PAGE_BYTES = 256 * 1024;
const CURSOR_PREFIX = 'cur_';

export interface ListCall {
  caller: Account | null;
  query: { limit?: number; cursor?: string; starting_after?: string };
}

export interface ListNeeds {
  secrets: Secrets;
  pace: Pick<Pace, 'rest'>;
  /** The bytes of an object by list, so that a page of large ones is read in the right number. */
  caches: { rowBytes: Map<string, number> };
}

export interface List<Row, Item> {
  /** The name of the list, so that its cursors work for no other one. */
  list: string;
  /** Prefix of its objects' ids, which also work as cursors. */
  prefix: IdPrefix;
  defaultLimit?: number;
  /** The list's filter. A cursor is valid only for the same filter. */
  filter?: Record<string, unknown>;
  /** The position of an object of this account and mode. */
  find: (id: string) => Promise<Position | undefined>;
  /** The rows after the position (null: from the newest on), up to the limit. */
  fetch: (page: { after: Position | null; limit: number }) => Promise<Row[]>;
  position: (row: Row) => Position;
  present: (row: Row) => Item;
  /** The code of the 400, if it is not the code of lists. */
  invalid?: ErrorCode;
}

/**
 * One page of a list. `cursor` and `starting_after` are one parameter with two names. It accepts a cursor or an
 * object's id.
 */
export async function listPage<Row, Item>(
  call: ListCall,
  { secrets, pace, caches: { rowBytes } }: ListNeeds,
  list: List<Row, Item>,
): Promise<Page<Item>> {
  const { caller, query } = call;
  invariant(caller, 'a list belongs to an account');
  const limit = readLimit(query.limit ?? list.defaultLimit ?? 25);
  const kind = `${caller.id}:${caller.livemode}:${list.list}`;
  const place = `cursor:${kind}:${sha256(canonicalJson(list.filter ?? {})).toString('base64')}`;

  const after = await readStart(query, place, secrets, list);
  const rest = () => pace.rest(caller.id);
  const { shown, hasMore } = await readPage(list, { after, most: limit + 1, rowBytes: rowBytes.get(kind), rest });
  if (shown.length > 0) rowBytes.set(kind, Math.max(meanBytes(shown), (rowBytes.get(kind) ?? 0) / 2));
  const last = shown.at(-1);
  return {
    data: shown.map(({ item }) => item),
    pagination: {
      cursor: hasMore && last ? sealCursor(list.position(last.row), place, secrets) : null,
      has_more: hasMore,
    },
  };
}

/** As many objects as fit into a page, at least one, however long it is. The last of `most` only shows that there are more. */
async function readPage<Row, Item>(
  list: List<Row, Item>,
  from: StepsFrom & { most: number },
): Promise<{ shown: Weighed<Row, Item>[]; hasMore: boolean }> {
  const shown: Weighed<Row, Item>[] = [];
  let bytes = 0;
  for await (const step of inSteps({ ...list, bytesOf: jsonBytes }, from)) {
    for (const one of step) {
      bytes += one.bytes;
      if (shown.length === from.most - 1 || (bytes > MAX_PAGE_BYTES && shown.length > 0))
        return { shown, hasMore: true };
      shown.push(one);
    }
  }
  return { shown, hasMore: false };
}

/** As many of the first objects as fit into a page, at least one. */
export function withinPage<Item>(items: readonly Item[]): Item[] {
  let bytes = 0;
  return items.filter((item, index) => {
    bytes += jsonBytes(item);
    return index === 0 || bytes <= MAX_PAGE_BYTES;
  });
}

function readLimit(limit: number): number {
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT) {
    fail('invalid_list_request', {
      param: 'limit',
      message: `\`limit\` must be a whole number from 1 to ${MAX_LIMIT}.`,
    });
  }
  return limit;
}

async function readStart<Row, Item>(
  query: ListCall['query'],
  place: string,
  secrets: Secrets,
  list: List<Row, Item>,
): Promise<Position | null> {
  const { cursor, starting_after: startingAfter } = query;
  if (cursor !== undefined && startingAfter !== undefined && cursor !== startingAfter) {
    fail('invalid_list_request', {
      param: 'starting_after',
      message: '`cursor` and `starting_after` are the same parameter. Send one of them.',
    });
  }
  const text = cursor ?? startingAfter;
  if (text === undefined) return null;

  const position = text.startsWith(CURSOR_PREFIX)
    ? openCursor(text, place, secrets)
    : isId(list.prefix, text)
      ? await list.find(text)
      : undefined;
  const param = cursor === undefined ? 'starting_after' : 'cursor';
  return (
    position ??
    fail(list.invalid ?? 'invalid_list_request', {
      param,
      message:
        `\`${param}\` must be the \`pagination.cursor\` of this list with the same filters, or the ID of ` +
        `one of its objects (\`${list.prefix}_…\`).`,
    })
  );
}

function sealCursor({ createdAt, id }: Position, place: string, secrets: Secrets): string {
  return CURSOR_PREFIX + secrets.seal(`${createdAt.getTime()} ${id}`, place).toString('base64url');
}

/** The seal is bound to account, mode, list and filter, so a foreign or forged cursor does not open. */
function openCursor(text: string, place: string, secrets: Secrets): Position | undefined {
  try {
    const [time = '', id = ''] = secrets
      .open(Buffer.from(text.slice(CURSOR_PREFIX.length), 'base64url'), place)
      .toString()
      .split(' ');
    return { createdAt: new Date(Number(time)), id };
  } catch {
    return undefined;
  }
}

/** The bytes of a plain value as JSON, without making the text. */
export function jsonBytes(value: unknown): number {
  if (typeof value === 'string') return textBytes(value);
  if (Array.isArray(value)) return sumOf(value.map((item) => jsonBytes(item ?? null)));
  if (typeof value !== 'object' || value === null) return String(value).length;
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  return sumOf(fields.map(([name, field]) => textBytes(name) + 1 + jsonBytes(field)));
}

/** With the brackets around the parts and the commas between them. */
function sumOf(parts: readonly number[]): number {
  return parts.reduce((sum, bytes) => sum + bytes, 2 + Math.max(0, parts.length - 1));
}

// Without the flag `u`, which makes it ten times as slow. Pairs of surrogates are looked at again too.
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what JSON escapes.
const HAS_ESCAPES = /["\\\u0000-\u001f\ud800-\udfff]/;

function textBytes(text: string): number {
  return HAS_ESCAPES.test(text) ? Buffer.byteLength(JSON.stringify(text)) : Buffer.byteLength(text) + 2;
}
