import type { LoginNetwork } from '@quittance/contract';
import { randomBase62 } from '../../platform/ids.ts';
import { later, MINUTE_MS } from '../../platform/time.ts';

export const NONCE_LIFE_MS = 5 * MINUTE_MS;

const FAMILIES = {
  ethereum: { account: 'Ethereum', chainId: '1' },
  solana: { account: 'Solana', chainId: 'mainnet' },
} as const;

/**
 * The whole text that a wallet signs: EIP-4361 on Ethereum, and Sign-In-With-Solana, which has the same layout. Wallets
 * show the domain, and warn if it is not the domain of the page.
 */
export function signInMessage({
  network,
  address,
  publicUrl,
  now,
}: {
  network: LoginNetwork;
  address: string;
  publicUrl: string;
  now: Date;
}): string {
  const { account, chainId } = FAMILIES[network];
  return [
    `${new URL(publicUrl).host} wants you to sign in with your ${account} account:`,
    address,
    '',
    'Sign in to Quittance. This proves that the wallet is yours and moves no funds.',
    '',
    `URI: ${publicUrl}`,
    'Version: 1',
    `Chain ID: ${chainId}`,
    `Nonce: ${randomBase62(22)}`,
    `Issued At: ${now.toISOString()}`,
    `Expiration Time: ${later(now, NONCE_LIFE_MS).toISOString()}`,
  ].join('\n');
}
