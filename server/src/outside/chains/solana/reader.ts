import type { BlockRef, Head, Pass, Reading } from '../chain.ts';
import type { Provider } from '../rpc/provider.ts';
import { createWindow, type Window } from '../rpc/window.ts';
import { fingerprints } from './calls.ts';
import { readHead } from './head.ts';
import { beginListing, include, type Listing, listMore } from './listing.ts';
import { isStillThere, readAhead, readListed } from './read.ts';
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

export function createReader(solana: Solana, options: ReaderOptions): Reader {
  const historiesPerSecond = options.historiesPerSecond ?? HISTORIES_PER_SECOND;
  const wholeBlocksAbove = options.wholeBlocksAbove ?? WHOLE_BLOCKS_ABOVE;
  const historiesPerBlock = BigInt(options.historiesPerBlock ?? HISTORIES_PER_BLOCK);
  const accounts = createAccounts(solana);
  const heads = new Map<string, Head>();
  const windows = new Map<string, Window>();
  const memories = new Map<string, Memory>();
  /** After this everything up to that head was told. */
  const done = new Map<Pass, { after: string; until: Head }>();

  async function read(provider: Provider, after: BlockRef, until: Head, watched: Watched, pass: Pass): Promise<Reading> {
    const last = done.get(pass);
    if (last?.until === until && last.after === after.hash) return { transfers: [], reverted: [], covered: after, provider: provider.name };
    if (watched.size > wholeBlocksAbove && (until.number - after.number) * historiesPerBlock <= BigInt(watched.size) * ACCOUNTS_PER_WALLET) {
      return readBlocks(solana, provider, windowOf(provider), after, until, watched);
    }

    const memory = memoryOf(provider, pass);
    const reading = await readWallets(provider, after, await ownHead(provider, until), watched, memory);
    if (!memory.listing || memory.listing.open.length > 0) done.set(pass, { after: reading.covered.hash, until });
    return reading;
  }

  async function readWallets(provider: Provider, after: BlockRef, head: Head, watched: Watched, memory: Memory): Promise<Reading> {
    const all = await accounts.of(watched);
    await isStillThere(provider, after);
    if (memory.listing?.after.hash !== after.hash) memory.listing = undefined;
    const allowance = allowanceOf(memory, all.length);
    if (allowance >= 1) {
      memory.listing ??= await beginListing(provider, after, head);
      include(memory.listing, all);
      const openBefore = memory.listing.open.length;
      await listMore(provider, memory.listing, allowance);
      memory.allowance -= openBefore - memory.listing.open.length;
    }
    if (!memory.listing || memory.listing.open.length > 0) return readChanged(provider, after, all, watched, memory);

    const reading = await readListed(solana, provider, memory.listing, watched);
    if (memory.listing.entries.size === 0) memory.listing = undefined;
    return reading;
  }

  /** The accounts that look otherwise than before: what is new there is told without waiting for the listing. */
  async function readChanged(provider: Provider, after: BlockRef, all: readonly string[], watched: Watched, memory: Memory): Promise<Reading> {
    const parts = Array.from({ length: Math.ceil(all.length / LOOKS_AT_ONCE) }, (_, at) => all.slice(at * LOOKS_AT_ONCE, (at + 1) * LOOKS_AT_ONCE));
    const found = (await provider.batch(parts.map((part) => fingerprints(part, after.number)))).flat();
    const looks = new Map(all.map((account, at) => [account, found[at] ?? null]));
    const changed = all.filter((account) => memory.looks.has(account) && memory.looks.get(account) !== looks.get(account));
    const reading = await readAhead(solana, provider, after, changed, watched);
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
    const memory = memories.get(key) ?? { allowance: HISTORIES_AT_ONCE, asOfMs: performance.now(), looks: new Map() };
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
