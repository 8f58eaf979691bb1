import type { AssetSymbol, EvmNetwork } from '@quittance/contract';
import type { Logger } from 'pino';
import { oncePer } from '../../../platform/cached.ts';
import type { BlockRef, Watching } from '../chain.ts';
import type { Block } from './shapes.ts';

/** A network that is read by Ethereum's JSON-RPC. Tron's adapter translates what it writes differently. */
export type EvmReadNetwork = EvmNetwork | 'tron';

/** The static configuration of one network. */
export interface Evm {
  network: EvmReadNetwork;
  chainId: number;
  /** Lowercase contract address → asset. */
  tokens: ReadonlyMap<string, AssetSymbol>;
  /** The native coin, if it is a receive asset. */
  native: AssetSymbol | null;
  /** The address that logs native transfers (EIP-7708), lowercase, if the chain has one. */
  nativeEmitter: string | null;
  /** Above this number of wallets all logs of a token are read instead of filtering by wallet. */
  maxFilteredWallets: number;
  log: Logger;
  /** Logs without a receipt and unreadable transactions, with the time of their first occurrence. */
  contradicted: Map<string, number>;
  watchedOf: (addresses: Watching['addresses']) => WatchedWallets;
}

/** Watched wallets: lowercase address → canonical form. */
export type WatchedWallets = ReadonlyMap<string, string>;

/** What one step reads: transfers to watched wallets in the blocks after `after`, at most up to `until`. */
export interface ReadRange {
  after: BlockRef;
  until: bigint;
  /** The hash of that block by the head that is read toward. A provider that has another one may be on another branch. */
  untilHash?: string | undefined;
  /** The last block, if this provider has just named it as its newest one. */
  head?: Block | undefined;
  watched: WatchedWallets;
}

/** Turns a watched set into a map, once for each set: there may be many wallets, and a set never changes. */
export function createWatchedOf(): Evm['watchedOf'] {
  return oncePer((addresses) => new Map([...addresses].map((address) => [address.toLowerCase(), address])));
}
