import type { BlockRef, Head, Pass, Reading } from '../chain.ts';
import type { Provider } from '../rpc/provider.ts';
import { createWindow, type Window } from '../rpc/window.ts';
import { fingerprints } from './calls.ts';
import { readHead } from './head.ts';
import { HISTORY_LIMITS, type HistoryLimits } from './history.ts';
import { beginListing, include, type Listing, listMore } from './listing.ts';
import { requireCanonical, readAhead, readListed, type ReportedSlots } from './read.ts';
import { readBlocks } from './read-blocks.ts';
import type { Solana, WatchedWallets } from './solana.ts';
import { createAccounts } from './token-accounts.ts';

export interface ReaderOptions {
  /** How many histories are requested from a provider per second. With more wallets a listing takes several steps. */
  historiesPerSecond?: number;
  /** Above this number of wallets whole blocks are read. */
  wholeBlocksAbove?: number;
  /** How many short histories cost as much as a whole block. */
  historiesPerBlock?: number;
  /** An account with a longer history is read by whole blocks. */
  maxHistoryPages?: number;
  maxHistoryEntries?: number;
}

/** Reads by wallet or by whole blocks, whichever costs the provider less. Keeps state between steps. */
export interface Reader {
  read(provider: Provider, after: BlockRef, until: Head, watched: WatchedWallets, pass: Pass): Promise<Reading>;
  /** Stores a head that a provider reported, so that it need not be requested again. */
  reportHead(provider: Provider, head: Head): Head;
}

/** The state of a pass at one provider between steps. It may be lost at any time. */
interface PassState {
  listing?: Listing | undefined;
  /** How many histories may be requested, as of `asOfMs`. */
  allowance: number;
  asOfMs: number;
  /** The account fingerprints of the last check. */
  looks: ReadonlyMap<string, string | null>;
  /** Transactions reported before they were finalized. */
  reported: ReportedSlots;
  reportedFor?: WatchedWallets;
  /** Up to this slot whole blocks are read, because these accounts have too long a history. */
  busy?: { until: bigint; accounts: ReadonlySet<string>; lookedAtMs: number; reported: Set<string> } | undefined;
}

const HISTORIES_PER_SECOND = 4;
const MAX_HISTORIES_AT_ONCE = 20;
// Regardless of the number of wallets, everything is covered within about this time.
const LISTED_WITHIN_SECONDS = 60;
const WHOLE_BLOCKS_ABOVE = 1_000;
const HISTORIES_PER_BLOCK = 40;
const ACCOUNTS_PER_WALLET = 3n;
const LOOKS_AT_ONCE = 100;
const BLOCKS = { first: 4, widest: 16 };
/** While blocks are read for a busy account, all others are checked this often. */
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
  const states = new Map<string, PassState>();
  /** Starting from `after`, everything up to `until` was reported. */
  const done = new Map<Pass, { after: string; until: Head }>();

  async function read(
    provider: Provider,
    after: BlockRef,
    until: Head,
    watched: WatchedWallets,
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

    const state = stateOf(provider, pass);
    if (state.busy && state.busy.until > after.number) return readBusy(provider, after, watched, state, state.busy);
    state.busy = undefined;
    const { reading, isComplete } = await readWallets(provider, after, await ownHead(provider, until), watched, state);
    if (isComplete) done.set(pass, { after: reading.covered.hash, until });
    return reading;
  }

  /** `isComplete`: nothing more can be reported until there is a newer head. */
  async function readWallets(
    provider: Provider,
    after: BlockRef,
    head: Head,
    watched: WatchedWallets,
    state: PassState,
  ): Promise<{ reading: Reading; isComplete: boolean }> {
    const all = await accounts.of(watched);
    await requireCanonical(provider, after);
    if (state.listing?.after.hash !== after.hash) state.listing = undefined;
    const allowance = allowanceOf(state, all.length);
    if (allowance >= 1) {
      state.listing ??= await beginListing(provider, after, head);
      include(state.listing, all);
      const openBefore = state.listing.open.length;
      await listMore(provider, state.listing, allowance, limits);
      state.allowance -= openBefore - state.listing.open.length;
    }
    const { listing } = state;
    if (listing && listing.busy.size > 0) {
      // Whole blocks cover all wallets, so the listing is not needed any more.
      state.listing = undefined;
      if (listing.covers <= after.number)
        return {
          reading: await readChanged(
            provider,
            after,
            all.filter((account) => !listing.busy.has(account)),
            watched,
            state,
          ),
          isComplete: true,
        };
      state.busy = {
        until: listing.covers,
        accounts: listing.busy,
        lookedAtMs: Number.NEGATIVE_INFINITY,
        reported: new Set(),
      };
      state.looks = new Map();
      return { reading: await readBusy(provider, after, watched, state, state.busy), isComplete: false };
    }
    if (!listing || listing.open.length > 0)
      return { reading: await readChanged(provider, after, all, watched, state), isComplete: true };

    // For another set of wallets the same transactions may have more transfers.
    if (state.reportedFor !== watched) state.reported.clear();
    state.reportedFor = watched;
    const reading = await readListed(solana, provider, listing, watched, state.reported);
    if (state.reported.size > MAX_REPORTED) state.reported.clear();
    if (listing.entries.size === 0) state.listing = undefined;
    return { reading, isComplete: listing.entries.size === 0 && listing.heldUpTo === null };
  }

  /**
   * Reads whole blocks, which cover all wallets at once, and also recent activity of all accounts except the busy ones,
   * so that their money is seen before the preceding blocks are read.
   */
  async function readBusy(
    provider: Provider,
    after: BlockRef,
    watched: WatchedWallets,
    state: PassState,
    busy: NonNullable<PassState['busy']>,
  ): Promise<Reading> {
    const reading = await readBlocks(solana, provider, windowOf(provider), after, { number: busy.until }, watched);
    if (performance.now() - busy.lookedAtMs < LOOK_AHEAD_EVERY_MS) return reading;
    const others = (await accounts.of(watched)).filter((account) => !busy.accounts.has(account));
    const ahead = await readChanged(provider, after, others, watched, state, busy.reported);
    busy.lookedAtMs = performance.now();
    if (busy.reported.size > MAX_REPORTED) busy.reported.clear();
    return {
      ...reading,
      transfers: [...reading.transfers, ...ahead.transfers],
      reverted: [...reading.reverted, ...ahead.reverted],
    };
  }

  /**
   * Reports recent activity of accounts that changed since the last check, without waiting for the listing. `reported`
   * has the signatures reported so far. If it is given, accounts that were never checked count as changed, a few at a
   * time.
   */
  async function readChanged(
    provider: Provider,
    after: BlockRef,
    all: readonly string[],
    watched: WatchedWallets,
    state: PassState,
    reported?: Set<string>,
  ): Promise<Reading> {
    const parts = Array.from({ length: Math.ceil(all.length / LOOKS_AT_ONCE) }, (_, at) =>
      all.slice(at * LOOKS_AT_ONCE, (at + 1) * LOOKS_AT_ONCE),
    );
    const found = (await provider.batch(parts.map((part) => fingerprints(part, after.number)))).flat();
    const looks = new Map(all.map((account, at) => [account, found[at] ?? null]));
    const changed = all.filter((account) =>
      state.looks.has(account) ? state.looks.get(account) !== looks.get(account) : reported !== undefined,
    );
    // Accounts beyond the limit count as changed the next time as well.
    const now = reported ? changed.slice(0, MAX_HISTORIES_AT_ONCE) : changed;
    for (const account of changed.slice(now.length)) looks.delete(account);
    const reading = await readAhead(solana, provider, after, now, watched, reported);
    for (const signature of reading.signatures) reported?.add(signature);
    state.looks = looks;
    return reading;
  }

  /** How many histories may be requested by now, because public providers limit them. */
  function allowanceOf(state: PassState, accountCount: number): number {
    if (historiesPerSecond === Number.POSITIVE_INFINITY) return historiesPerSecond;
    const nowMs = performance.now();
    const perSecond = Math.max(historiesPerSecond, accountCount / LISTED_WITHIN_SECONDS);
    const maxAllowance = Math.max(MAX_HISTORIES_AT_ONCE, perSecond);
    state.allowance = Math.min(maxAllowance, state.allowance + (perSecond * (nowMs - state.asOfMs)) / 1000);
    state.asOfMs = nowMs;
    return Math.floor(state.allowance);
  }

  /** How far this provider itself has come, because another one may have reported the head. */
  async function ownHead(provider: Provider, until: Head): Promise<Head> {
    const known = heads.get(provider.name);
    const own = known && known.number >= until.number ? known : await readHead(provider);
    heads.set(provider.name, own);
    const finalized = own.finalized ?? 0n;
    return { ...own, finalized: finalized < until.number ? finalized : until.number };
  }

  function stateOf(provider: Provider, pass: Pass): PassState {
    const key = `${pass} ${provider.name}`;
    const state: PassState = states.get(key) ?? {
      allowance: MAX_HISTORIES_AT_ONCE,
      asOfMs: performance.now(),
      looks: new Map(),
      reported: new Map(),
    };
    states.set(key, state);
    return state;
  }

  function windowOf(provider: Provider): Window {
    const window = windows.get(provider.name) ?? createWindow(BLOCKS.first, BLOCKS.widest);
    windows.set(provider.name, window);
    return window;
  }

  return {
    read,
    reportHead(provider, head) {
      heads.set(provider.name, head);
      return head;
    },
  };
}
