import type { BlockRef, Head, Pass, Reading, ReadStep } from '../chain.ts';
import type { Provider } from '../rpc/provider.ts';
import { createWindow, type Window } from '../rpc/window.ts';
import { readHead } from './head.ts';
import { HISTORY_LIMITS } from './history.ts';
import { readBlocks } from './read-blocks.ts';
import type { Solana } from './solana.ts';
import { createAccounts } from './token-accounts.ts';
import { WalletReader, type WalletReading } from './wallet-reader.ts';

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
  read(provider: Provider, step: ReadStep): Promise<Reading>;
  /** Stores a head that a provider reported, so that it need not be requested again. */
  reportHead(provider: Provider, head: Head): Head;
}

const HISTORIES_PER_SECOND = 4;
const WHOLE_BLOCKS_ABOVE = 1_000;
const HISTORIES_PER_BLOCK = 40;
const ACCOUNTS_PER_WALLET = 3n;
const BLOCKS = { first: 4, widest: 16 };

function isFinalizedAfter({ finalized }: Head, after: BlockRef): boolean {
  return finalized !== null && finalized > after.number;
}

export function createReader(solana: Solana, options: ReaderOptions): Reader {
  const wholeBlocksAbove = options.wholeBlocksAbove ?? WHOLE_BLOCKS_ABOVE;
  const historiesPerBlock = BigInt(options.historiesPerBlock ?? HISTORIES_PER_BLOCK);
  const walletReading: WalletReading = {
    solana,
    accounts: createAccounts(solana),
    historiesPerSecond: options.historiesPerSecond ?? HISTORIES_PER_SECOND,
    limits: {
      ...HISTORY_LIMITS,
      maxPages: options.maxHistoryPages ?? HISTORY_LIMITS.maxPages,
      maxEntries: options.maxHistoryEntries ?? HISTORY_LIMITS.maxEntries,
    },
  };
  const heads = new Map<string, Head>();
  const windows = new Map<string, Window>();
  /** By pass and provider. */
  const walletReaders = new Map<string, WalletReader>();
  /** Starting from `after`, everything up to `until` was reported. */
  const done = new Map<Pass, { after: string; until: Head }>();

  /** How far this provider itself has come, because another one may have reported the head. */
  async function ownHead(provider: Provider, until: Head): Promise<Head> {
    const known = heads.get(provider.name);
    const own = known && known.number >= until.number ? known : await readHead(provider);
    heads.set(provider.name, own);
    const finalized = own.finalized ?? 0n;
    return { ...own, finalized: finalized < until.number ? finalized : until.number };
  }

  function windowOf(provider: Provider): Window {
    const window = windows.get(provider.name) ?? createWindow(BLOCKS.first, BLOCKS.widest);
    windows.set(provider.name, window);
    return window;
  }

  function walletReaderOf(provider: Provider, pass: Pass): WalletReader {
    const key = `${pass} ${provider.name}`;
    const reader = walletReaders.get(key) ?? new WalletReader(walletReading, provider, windowOf(provider));
    walletReaders.set(key, reader);
    return reader;
  }

  return {
    async read(provider, { after, until, watching: { addresses: watched }, pass }) {
      const last = done.get(pass);
      if (last?.until === until && last.after === after.hash)
        return { transfers: [], reverted: [], covered: after, provider: provider.name };
      if (
        watched.size > wholeBlocksAbove &&
        (until.number - after.number) * historiesPerBlock <= BigInt(watched.size) * ACCOUNTS_PER_WALLET
      ) {
        return readBlocks(solana, provider, { after, until: until.number, watched }, windowOf(provider));
      }

      let own: Head | undefined;
      const { reading, isComplete } = await walletReaderOf(provider, pass).read(after, watched, async () => {
        own = await ownHead(provider, until);
        return own;
      });
      const isBehind = own !== undefined && !isFinalizedAfter(own, after) && isFinalizedAfter(until, after);
      if (isBehind && reading.covered.number === after.number) return { ...reading, isStalled: true };
      if (isComplete) done.set(pass, { after: reading.covered.hash, until });
      return reading;
    },

    reportHead(provider, head) {
      heads.set(provider.name, head);
      return head;
    },
  };
}
