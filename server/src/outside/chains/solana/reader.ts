import type { BlockRef, Head, Pass, Reading } from '../chain.ts';
import type { Provider } from '../rpc/provider.ts';
import { createWindow, type Window } from '../rpc/window.ts';
import { fingerprints } from './calls.ts';
import { readHead } from './head.ts';
import { HISTORY_LIMITS, type HistoryLimits } from './history.ts';
import { beginListing, include, type Listing, listMore } from './listing.ts';
import { isStillThere, readAhead, readListed, type Reported } from './read.ts';
import { readBlocks } from './read-blocks.ts';
import type { Solana, Watched } from './solana.ts';
import { createAccounts } from './token-accounts.ts';

export interface ReaderOptions {
  /** How many histories a provider is asked for in a second; with more wallets a listing takes several turns. */
  historiesPerSecond?: number;
  /** With more wallets than this whole blocks are read. */
  wholeBlocksAbove?: number;
  /** How many short histories a whole block weighs as much as. */
  historiesPerBlock?: number;
  /** An account with a longer history is read by whole blocks. */
  maxHistoryPages?: number;
  maxHistoryEntries?: number;
}

/** Chooses how to read: wallet by wallet or by whole blocks, whichever costs the provider less. Remembers what was begun. */
export interface Reader {
  read(provider: Provider, after: BlockRef, until: Head, watched: Watched, pass: Pass): Promise<Reading>;
  /** Takes note of the head that a provider told, so that it need not be asked again. */
  told(provider: Provider, head: Head): Head;
}

/** What a pass remembers of a provider between steps; it may be lost at any moment. */
interface Memory {
  listing?: Listing | undefined;
  /** How many histories may be asked for, as of then. */
  allowance: number;
  asOfMs: number;
  /** How the accounts looked last. */
  looks: ReadonlyMap<string, string | null>;
  /** What was reported before it was finalized. */
  reported: Reported;
  reportedFor?: Watched;
  /** Up to this slot whole blocks are read, because these accounts have too long a history. */
  busy?: { until: bigint; accounts: ReadonlySet<string>; lookedAtMs: number; reported: Set<string> } | undefined;
}

const HISTORIES_PER_SECOND = 4;
const HISTORIES_AT_ONCE = 20;
// However many wallets there are, nothing is left uncovered for longer than about this.
const LISTED_WITHIN_SECONDS = 60;
const WHOLE_BLOCKS_ABOVE = 1_000;
const HISTORIES_PER_BLOCK = 40;
const ACCOUNTS_PER_WALLET = 3n;
const LOOKS_AT_ONCE = 100;
const BLOCKS = { first: 4, widest: 16 };
/** While blocks are read for a busy account, all others are looked at this often. */
const LOOK_AHEAD_EVERY_MS = 1_000;
const MAX_REPORTED = 20_000;

export function createReader(solana: Solana, options: ReaderOptions): Reader {
  const historiesPerSecond = options.historiesPerSecond ?? HISTORIES_PER_SECOND;
  const wholeBlocksAbove = options.wholeBlocksAbove ?? WHOLE_BLOCKS_ABOVE;
  const historiesPerBlock = BigInt(options.historiesPerBlock ?? HISTORIES_PER_BLOCK);
  const limits: HistoryLimits = {
    ...HISTORY_LIMITS,
    maxPages: options.maxHistoryPages ?? HISTORY_LIMITS.maxPages,
    maxEntries: options.maxHistoryEntries ?? HISTORY_LIMITS.maxEntries,
  };
  const accounts = createAccounts(solana);
  const heads = new Map<string, Head>();
  const windows = new Map<string, Window>();
  const memories = new Map<string, Memory>();
  /** After this everything up to that head was told. */
  const done = new Map<Pass, { after: string; until: Head }>();

  async function read(
    provider: Provider,
    after: BlockRef,
    until: Head,
    watched: Watched,
    pass: Pass,
  ): Promise<Reading> {
    const last = done.get(pass);
    if (last?.until === until && last.after === after.hash)
      return { transfers: [], reverted: [], covered: after, provider: provider.name };
    if (
      watched.size > wholeBlocksAbove &&
      (until.number - after.number) * historiesPerBlock <= BigInt(watched.size) * ACCOUNTS_PER_WALLET
    ) {
      return readBlocks(solana, provider, windowOf(provider), after, until, watched);
    }

    const memory = memoryOf(provider, pass);
    if (memory.busy && memory.busy.until > after.number) return readBusy(provider, after, watched, memory, memory.busy);
    memory.busy = undefined;
    const { reading, isComplete } = await readWallets(provider, after, await ownHead(provider, until), watched, memory);
    if (isComplete) done.set(pass, { after: reading.covered.hash, until });
    return reading;
  }

  /** Complete is what has nothing more to tell until there is a newer head. */
  async function readWallets(
    provider: Provider,
    after: BlockRef,
    head: Head,
    watched: Watched,
    memory: Memory,
  ): Promise<{ reading: Reading; isComplete: boolean }> {
    const all = await accounts.of(watched);
    await isStillThere(provider, after);
    if (memory.listing?.after.hash !== after.hash) memory.listing = undefined;
    const allowance = allowanceOf(memory, all.length);
    if (allowance >= 1) {
      memory.listing ??= await beginListing(provider, after, head);
      include(memory.listing, all);
      const openBefore = memory.listing.open.length;
      await listMore(provider, memory.listing, allowance, limits);
      memory.allowance -= openBefore - memory.listing.open.length;
    }
    const { listing } = memory;
    if (listing && listing.busy.size > 0) {
      // Whole blocks hold everything of everybody: what was listed is not needed any more.
      memory.listing = undefined;
      if (listing.covers <= after.number)
        return {
          reading: await readChanged(
            provider,
            after,
            all.filter((account) => !listing.busy.has(account)),
            watched,
            memory,
          ),
          isComplete: true,
        };
      memory.busy = {
        until: listing.covers,
        accounts: listing.busy,
        lookedAtMs: Number.NEGATIVE_INFINITY,
        reported: new Set(),
      };
      memory.looks = new Map();
      return { reading: await readBusy(provider, after, watched, memory, memory.busy), isComplete: false };
    }
    if (!listing || listing.open.length > 0)
      return { reading: await readChanged(provider, after, all, watched, memory), isComplete: true };

    // For another set of wallets the same transactions may hold more.
    if (memory.reportedFor !== watched) memory.reported.clear();
    memory.reportedFor = watched;
    const reading = await readListed(solana, provider, listing, watched, memory.reported);
    if (memory.reported.size > MAX_REPORTED) memory.reported.clear();
    if (listing.entries.size === 0) memory.listing = undefined;
    return { reading, isComplete: listing.entries.size === 0 && listing.heldUpTo === null };
  }

  /**
   * A step of whole blocks, which cover everybody at once, and beside it what is new at all accounts but the busy ones: their money is seen
   * though the blocks before it have not been read yet.
   */
  async function readBusy(
    provider: Provider,
    after: BlockRef,
    watched: Watched,
    memory: Memory,
    busy: NonNullable<Memory['busy']>,
  ): Promise<Reading> {
    const reading = await readBlocks(solana, provider, windowOf(provider), after, { number: busy.until }, watched);
    if (performance.now() - busy.lookedAtMs < LOOK_AHEAD_EVERY_MS) return reading;
    const others = (await accounts.of(watched)).filter((account) => !busy.accounts.has(account));
    const ahead = await readChanged(provider, after, others, watched, memory, busy.reported);
    busy.lookedAtMs = performance.now();
    if (busy.reported.size > MAX_REPORTED) busy.reported.clear();
    return {
      ...reading,
      transfers: [...reading.transfers, ...ahead.transfers],
      reverted: [...reading.reverted, ...ahead.reverted],
    };
  }

  /**
   * The accounts that look otherwise than before: what is new there is reported without waiting for the listing. `reported` holds what was
   * reported so far; with it accounts that were never looked at count as changed, a few at a time.
   */
  async function readChanged(
    provider: Provider,
    after: BlockRef,
    all: readonly string[],
    watched: Watched,
    memory: Memory,
    reported?: Set<string>,
  ): Promise<Reading> {
    const parts = Array.from({ length: Math.ceil(all.length / LOOKS_AT_ONCE) }, (_, at) =>
      all.slice(at * LOOKS_AT_ONCE, (at + 1) * LOOKS_AT_ONCE),
    );
    const found = (await provider.batch(parts.map((part) => fingerprints(part, after.number)))).flat();
    const looks = new Map(all.map((account, at) => [account, found[at] ?? null]));
    const changed = all.filter((account) =>
      memory.looks.has(account) ? memory.looks.get(account) !== looks.get(account) : reported !== undefined,
    );
    // Those beyond the limit look changed the next time as well.
    const now = reported ? changed.slice(0, HISTORIES_AT_ONCE) : changed;
    for (const account of changed.slice(now.length)) looks.delete(account);
    const reading = await readAhead(solana, provider, after, now, watched, reported);
    for (const signature of reading.signatures) reported?.add(signature);
    memory.looks = looks;
    return reading;
  }

  /** As many histories as may be asked for by now: providers that are public count them. */
  function allowanceOf(memory: Memory, accountCount: number): number {
    if (historiesPerSecond === Number.POSITIVE_INFINITY) return historiesPerSecond;
    const nowMs = performance.now();
    const perSecond = Math.max(historiesPerSecond, accountCount / LISTED_WITHIN_SECONDS);
    const most = Math.max(HISTORIES_AT_ONCE, perSecond);
    memory.allowance = Math.min(most, memory.allowance + (perSecond * (nowMs - memory.asOfMs)) / 1000);
    memory.asOfMs = nowMs;
    return Math.floor(memory.allowance);
  }

  /** How far this provider itself has come: the head may have been told by another. */
  async function ownHead(provider: Provider, until: Head): Promise<Head> {
    const told = heads.get(provider.name);
    const own = told && told.number >= until.number ? told : await readHead(provider);
    heads.set(provider.name, own);
    const finalized = own.finalized ?? 0n;
    return { ...own, finalized: finalized < until.number ? finalized : until.number };
  }

  function memoryOf(provider: Provider, pass: Pass): Memory {
    const key = `${pass} ${provider.name}`;
    const memory: Memory = memories.get(key) ?? {
      allowance: HISTORIES_AT_ONCE,
      asOfMs: performance.now(),
      looks: new Map(),
      reported: new Map(),
    };
    memories.set(key, memory);
    return memory;
  }

  function windowOf(provider: Provider): Window {
    const window = windows.get(provider.name) ?? createWindow(BLOCKS.first, BLOCKS.widest);
    windows.set(provider.name, window);
    return window;
  }

  return {
    read,
    told(provider, head) {
      heads.set(provider.name, head);
      return head;
    },
  };
}
