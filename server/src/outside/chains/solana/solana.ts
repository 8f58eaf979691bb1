import { type AssetSymbol, findAsset, PAY_ASSETS } from '@quittance/contract';
import type { Logger } from 'pino';
import { invariant } from '../../../platform/errors.ts';
import type { BlockRef } from '../chain.ts';
import type { Block } from './shapes.ts';

/** The static configuration of the network. */
export interface Solana {
  /** Mint → asset, of the classic token program. */
  mints: ReadonlyMap<string, AssetSymbol>;
  log: Logger;
  /** Transactions that no provider has returned in a readable form, with the time of their first occurrence. */
  unreadable: Map<string, number>;
  /** Finalized blocks, by provider and slot. */
  shown: Map<string, Block>;
}

/** Watched wallets. A Solana address has only one written form. */
export type WatchedWallets = ReadonlySet<string>;

/** What one step reads: transfers to watched wallets in the slots after `after`, at most up to `until`. */
export interface ReadRange {
  after: BlockRef;
  until: bigint;
  watched: WatchedWallets;
}

/** The mint of a token: the issuer's own, or a test cluster's if the settings have one. */
export function mintOf(asset: AssetSymbol, overrides: Record<string, string> = {}): string {
  const mint = overrides[asset] ?? findAsset(asset, 'solana')?.address;
  invariant(mint, 'only tokens of the Safe List have a mint');
  return mint;
}

/** All watched mints. USDT is read, even where no wallet may receive it. */
export function watchedMints(overrides: Record<string, string> = {}): Map<string, AssetSymbol> {
  return new Map(
    PAY_ASSETS.filter(({ network, address }) => network === 'solana' && address !== null).map(({ asset }) => [
      mintOf(asset, overrides),
      asset,
    ]),
  );
}
