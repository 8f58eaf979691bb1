import { ProviderBehindError, ProviderError } from '../rpc/errors.ts';
import type { Call, Provider } from '../rpc/provider.ts';
import { historyOf } from './calls.ts';
import type { Entry } from './shapes.ts';

/** The listed activity of accounts since a slot. */
export interface History {
  /** By signature. */
  readonly entries: Map<string, Entry>;
  /** Entries of accounts with few of them. Reported first, so that a busy account does not delay the others. */
  readonly quiet: Map<string, Entry>;
  /** Busy accounts: reading whole blocks costs less than listing their entries. */
  readonly busy: Set<string>;
  /** All entries up to this slot are included; null if none was dropped. */
  heldUpTo: bigint | null;
  readonly limits: HistoryLimits;
}

export interface HistoryLimits {
  /** An account with more pages is read by whole blocks, unless it appears in few slots. */
  maxPages: number;
  /** The limit for accounts that appear in few slots. */
  maxSparsePages: number;
  /** Of more entries only the oldest are stored. */
  maxEntries: number;
}

// Most accounts have nothing new. For those with much, a page is as long as nodes allow.
const FIRST_PAGE = 20;
const PAGE = 1_000;
const MAX_QUIET_ENTRIES = 200;
export const HISTORY_LIMITS: HistoryLimits = { maxPages: 20, maxSparsePages: 1_000, maxEntries: 20_000 };

export function emptyHistory(limits: HistoryLimits): History {
  return { entries: new Map(), quiet: new Map(), busy: new Set(), heldUpTo: null, limits };
}

/** The slots whose activity is listed. */
export interface ListedSlots {
  after: bigint;
  /** The provider must have reached this slot. */
  atLeast: bigint;
}

/** An account whose history is being listed. */
interface OpenAccount {
  address: string;
  listed: number;
  newest: bigint | null;
  /** The next page is of what is before this entry. It has at least `last`, unless one entry is all that is known. */
  before?: Entry;
  last?: Entry;
  /** Its entries, as long as they are few. */
  own: Entry[];
}

/**
 * Adds all activity of these accounts, each transaction once. An account with too long a history becomes busy, and its
 * entries are incomplete.
 */
export async function collectHistory(
  provider: Provider,
  history: History,
  addresses: readonly string[],
  { after, atLeast }: ListedSlots,
): Promise<void> {
  let open: OpenAccount[] = addresses.map((address) => ({ address, listed: 0, newest: null, own: [] }));
  for (let round = 0; open.length > 0; round += 1) {
    const limit = round === 0 ? FIRST_PAGE : PAGE;
    const pages = await provider.batch<Call<Entry[]>[]>(
      open.map((one) =>
        historyOf(one.address, {
          limit,
          atLeast: one.before && one.before.slot > atLeast ? one.before.slot : atLeast,
          ...(one.before && { before: one.before.signature }),
        }),
      ),
    );
    open = open.flatMap((one, at) => {
      const page = continued(provider, one, pages[at] as Entry[]);
      const fresh = page.filter((entry) => entry.slot > after);
      addEntries(history, fresh);
      const next = {
        ...one,
        listed: one.listed + fresh.length,
        newest: one.newest ?? fresh[0]?.slot ?? null,
        own: [...one.own, ...fresh].slice(0, MAX_QUIET_ENTRIES + 1),
      };
      const last = fresh.at(-1);
      // A page may be shorter than requested although there is more. Only an empty page, or one that reaches back to
      // `after`, is the end.
      if (last === undefined || fresh.length < page.length) {
        addQuiet(history, next);
        return [];
      }
      if (isBusy(next, last, round, history.limits)) {
        history.busy.add(one.address);
        return [];
      }
      const before = fresh.at(-2) ?? one.last;
      return [before ? { ...next, before, last } : { ...next, before: last }];
    });
    trim(history);
  }
}

/**
 * A page without what the one before it ended with. A node that does not know where that was answers with an empty page
 * instead of an error, and the nodes behind a load balancer differ by some slots.
 */
function continued(provider: Provider, { before, last }: OpenAccount, page: readonly Entry[]): readonly Entry[] {
  const [newest] = page;
  if (before && newest && (newest.slot > before.slot || page.some((entry) => entry.signature === before.signature)))
    throw new ProviderError(`${provider.name} returned a history that does not go back`);
  if (!last) return page;
  if (!newest)
    throw new ProviderBehindError(`${provider.name} does not know ${last.signature} yet, which it has listed`);
  return page.filter((entry) => entry.signature !== last.signature);
}

/** In a sparse history most blocks do not concern the account, and one page saves reading many of them. */
function isBusy(
  { listed, newest }: OpenAccount,
  last: Entry,
  round: number,
  { maxPages, maxSparsePages }: HistoryLimits,
): boolean {
  if (round < maxPages) return false;
  return round >= maxSparsePages || BigInt(listed) > (newest ?? last.slot) - last.slot;
}

function addEntries({ entries, heldUpTo }: History, fresh: readonly Entry[]): void {
  for (const entry of fresh) if (heldUpTo === null || entry.slot <= heldUpTo) entries.set(entry.signature, entry);
}

function addQuiet({ quiet, limits }: History, { own, listed }: OpenAccount): void {
  if (listed > MAX_QUIET_ENTRIES || quiet.size > limits.maxEntries) return;
  for (const entry of own) quiet.set(entry.signature, entry);
}

/**
 * Drops the newest entries if there are too many. They are listed again once the oldest have been read. A slot is
 * stored completely or not at all.
 */
function trim(history: History): void {
  const { maxEntries } = history.limits;
  if (history.entries.size <= maxEntries) return;
  const sorted = oldestFirst(history.entries.values());
  const from = (sorted[Math.floor(maxEntries / 2)] as Entry).slot;
  const kept = sorted.findLast((entry) => entry.slot < from) ?? (sorted[0] as Entry);
  for (const entry of sorted) if (entry.slot > kept.slot) history.entries.delete(entry.signature);
  history.heldUpTo = kept.slot;
}

export function oldestFirst(entries: Iterable<Entry>): Entry[] {
  return [...entries].sort((a, b) => (a.slot < b.slot ? -1 : a.slot > b.slot ? 1 : 0));
}
