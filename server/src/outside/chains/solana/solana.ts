import type { AssetSymbol } from '@quittance/contract';
import type { Logger } from 'pino';
import { invariant } from '../../../platform/errors.ts';

/** What is known of the network before anybody is asked. */
export interface Solana {
  /** Mint → asset, of the classic token program. */
  mints: ReadonlyMap<string, AssetSymbol>;
  log: Logger;
  /** Transactions that nobody has told in a form that can be read, and since when. */
  unreadable: Map<string, number>;
}

/** Watched wallets; an address on Solana is written in one way only. */
export type Watched = ReadonlySet<string>;

export const SYSTEM_PROGRAM = '11111111111111111111111111111111';
export const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
const TOKEN_2022_PROGRAM = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb';
export const TOKEN_PROGRAMS: readonly string[] = [TOKEN_PROGRAM, TOKEN_2022_PROGRAM];
export const ASSOCIATED_TOKEN_PROGRAM = 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL';
export const MEMO_PROGRAM = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr';
export const MEMO_PROGRAMS: readonly string[] = [MEMO_PROGRAM, 'Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo'];

/**
 * The first block of the main network, by which a provider shows that it is on it. As `getGenesisHash` answers there and
 * as Coinbase's CDP SDK pins it (GENESIS_HASH_MAINNET); its first 32 characters are the network's CAIP-2 name.
 */
export const MAINNET_GENESIS = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d';

/** The issuers' own mints. */
const MINTS: Partial<Record<AssetSymbol, string>> = {
  USDC: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
  USDT: 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB',
};

/** The mint of a token: the issuer's own, or a test cluster's where the settings name one. */
export function mintOf(asset: AssetSymbol, overrides: Record<string, string> = {}): string {
  const mint = overrides[asset] ?? MINTS[asset];
  invariant(mint, 'only tokens of the Safe List are asked for');
  return mint;
}

/** All mints that are watched; USDT is seen, though no wallet receives it. */
export function watchedMints(overrides: Record<string, string> = {}): Map<string, AssetSymbol> {
  return new Map((Object.keys(MINTS) as AssetSymbol[]).map((asset) => [mintOf(asset, overrides), asset]));
}
