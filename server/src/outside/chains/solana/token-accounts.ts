import { type Address, getAddressEncoder, getProgramDerivedAddress } from '@solana/kit';
import { ASSOCIATED_TOKEN_PROGRAM, TOKEN_PROGRAM } from './programs.ts';
import type { Solana, WatchedWallets } from './solana.ts';

/** The account in which a wallet holds a token by default. */
export async function associatedTokenAccount(owner: string, mint: string): Promise<string> {
  const encoder = getAddressEncoder();
  const seeds = [owner, TOKEN_PROGRAM, mint].map((seed) => encoder.encode(seed as Address));
  const [account] = await getProgramDerivedAddress({ programAddress: ASSOCIATED_TOKEN_PROGRAM as Address, seeds });
  return account;
}

/**
 * The accounts that can receive money for a wallet: the wallet itself, and its token account for each supported mint.
 */
export interface Accounts {
  of(watched: WatchedWallets): Promise<string[]>;
}

/** Deriving an account takes several tries on the curve, so the results are memoized. */
export function createAccounts({ mints }: Solana): Accounts {
  const byWallet = new Map<string, readonly string[]>();
  return {
    async of(watched) {
      const all: string[] = [];
      for (const wallet of watched) {
        let known = byWallet.get(wallet);
        if (!known) {
          known = [
            wallet,
            ...(await Promise.all([...mints.keys()].map((mint) => associatedTokenAccount(wallet, mint)))),
          ];
          byWallet.set(wallet, known);
        }
        all.push(...known);
      }
      return all;
    },
  };
}
