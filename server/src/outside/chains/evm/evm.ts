import type { AssetSymbol } from '@quittance/contract';
import type { Logger } from 'pino';
import type { Watching } from '../chain.ts';
import type { EvmNetwork } from './tokens.ts';

/** What is known of one network before anybody is asked. */
export interface Evm {
  network: EvmNetwork;
  chainId: number;
  /** Lower-case contract → asset. */
  tokens: ReadonlyMap<string, AssetSymbol>;
  /** The native coin, where it is received. */
  native: AssetSymbol | null;
  /** The address that logs native transfers (EIP-7708), lower case, where the chain has one. */
  nativeEmitter: string | null;
  /** Above so many wallets all logs of a token are read instead of asking for each wallet's. */
  maxFilteredWallets: number;
  log: Logger;
  /** Logs that no receipt holds and transactions that cannot be read, and since when. */
  contradicted: Map<string, number>;
}

/** Watched wallets by lower-case address, as they are written canonically. */
export type Watched = ReadonlyMap<string, string>;

const prepared = new WeakMap<ReadonlySet<string>, { size: number; watched: Watched }>();

/** The watched set as the hot path needs it; made once per set. */
export function watchedOf(watching: Watching): Watched {
  const known = prepared.get(watching.addresses);
  if (known && known.size === watching.addresses.size) return known.watched;
  const watched = new Map([...watching.addresses].map((address) => [address.toLowerCase(), address]));
  prepared.set(watching.addresses, { size: watching.addresses.size, watched });
  return watched;
}
