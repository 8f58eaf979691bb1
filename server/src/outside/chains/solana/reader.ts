import type { BlockRef, Head, Pass, Reading } from '../chain.ts';
import type { Provider } from '../evm/provider.ts';
import { createWindow, type Window } from '../evm/window.ts';
import { fingerprints } from './calls.ts';
import { readHead } from './head.ts';
import { type Backlog, isStillThere, readChanged, readHistory } from './read.ts';
import { readBlocks } from './read-blocks.ts';
import type { Solana, Watched } from './solana.ts';
import { createAccounts } from './token-accounts.ts';

export interface ReaderOptions {
  /** How many histories a provider is asked for in a second, at most; fewer wallets are looked at at every turn. */
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

/** What a pass remembers between steps; it may be lost at any moment. */
interface Memory {
  backlog?: Backlog | undefined;
  /** After this everything up to that head was told. */
  done?: { after: string; until: Head };
  listedAtMs: number;
  seen: Map<string, string | null>;
}

const HISTORIES_PER_SECOND = 4;
const WHOLE_BLOCKS_ABOVE = 1_000;
const LISTED_EVERY_MS_MOST = 60_000;
const HISTORIES_PER_BLOCK = 40;
const FINGERPRINTS_AT_ONCE = 100;
const BLOCKS = { first: 4, widest: 16 };

export function createReader(solana: Solana, options: ReaderOptions): Reader {
  const historiesPerSecond = options.historiesPerSecond ?? HISTORIES_PER_SECOND;
  const wholeBlocksAbove = options.wholeBlocksAbove ?? WHOLE_BLOCKS_ABOVE;
  const historiesPerBlock = BigInt(options.historiesPerBlock ?? HISTORIES_PER_BLOCK);
  const accounts = createAccounts(solana);
  const heads = new Map<string, Head>();
  const windows = new Map<string, Window>();
  const memories: Record<Pass, Memory> = {
    first: { listedAtMs: Number.NEGATIVE_INFINITY, seen: new Map() },
    second: { listedAtMs: Number.NEGATIVE_INFINITY, seen: new Map() },
  };

  async function read(provider: Provider, after: BlockRef, until: Head, watched: Watched, pass: Pass): Promise<Reading> {
    const memory = memories[pass];
    if (memory.done?.until === until && memory.done.after === after.hash) return { transfers: [], reverted: [], covered: after, provider: provider.name };
    if (watched.size > wholeBlocksAbove && (until.number - after.number) * historiesPerBlock <= BigInt(watched.size) * 3n) {
      return readBlocks(solana, provider, windowOf(provider), after, until, watched);
    }

    const reading = await readWallets(provider, after, await ownHead(provider, until), watched, memory);
    if (!memory.backlog) memory.done = { after: reading.covered.hash, until };
    return reading;
  }

  async function readWallets(provider: Provider, after: BlockRef, head: Head, watched: Watched, memory: Memory): Promise<Reading> {
    const all = await accounts.of(watched);
    const backlog = memory.backlog && canGoOn(memory.backlog, provider, after, watched) ? memory.backlog : undefined;
    const listEveryMs = Math.min((all.length / historiesPerSecond) * 1000, LISTED_EVERY_MS_MOST);
    if (!backlog && performance.now() - memory.listedAtMs < listEveryMs) {
      await isStillThere(provider, after);
      const { differing, now } = await changed(provider, all, after, memory);
      const reading = await readChanged(solana, provider, after, head, differing, watched);
      memory.seen = now;
      return reading;
    }
    const step = await readHistory(solana, provider, { after, head, accounts: all, watched }, backlog);
    memory.backlog = step.backlog;
    if (!step.backlog) memory.listedAtMs = performance.now();
    return step.reading;
  }

  /** The accounts that look otherwise than when they were last looked at, and how all of them look now. */
  async function changed(provider: Provider, all: readonly string[], after: BlockRef, memory: Memory): Promise<{ differing: string[]; now: Map<string, string | null> }> {
    const parts = Array.from({ length: Math.ceil(all.length / FINGERPRINTS_AT_ONCE) }, (_, at) => all.slice(at * FINGERPRINTS_AT_ONCE, (at + 1) * FINGERPRINTS_AT_ONCE));
    const looks = (await provider.batch(parts.map((part) => fingerprints(part, after.number)))).flat();
    const now = new Map(all.map((account, at) => [account, looks[at] ?? null]));
    return { differing: all.filter((account) => memory.seen.has(account) && memory.seen.get(account) !== now.get(account)), now };
  }

  /** How far this provider itself has come: the head may have been told by another. */
  async function ownHead(provider: Provider, until: Head): Promise<Head> {
    const told = heads.get(provider.name);
    const own = told && told.number >= until.number ? told : await readHead(provider);
    heads.set(provider.name, own);
    const finalized = own.finalized ?? 0n;
    return { ...own, finalized: finalized < until.number ? finalized : until.number };
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

/** Whether a listing that was begun is about the same: by the same provider, from here, and of no fewer wallets. */
function canGoOn(backlog: Backlog, provider: Provider, after: BlockRef, watched: Watched): boolean {
  return backlog.provider === provider.name && backlog.after.hash === after.hash
    && (backlog.watched === watched || [...watched].every((wallet) => backlog.watched.has(wallet)));
}
