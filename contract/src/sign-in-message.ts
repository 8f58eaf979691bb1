const FAMILIES = {
  ethereum: { account: 'Ethereum', chainId: '1' },
  solana: { account: 'Solana', chainId: 'mainnet' },
} as const;

export interface SignInMessage {
  network: keyof typeof FAMILIES;
  address: string;
  publicUrl: string;
  nonce: string;
  issuedAt: Date;
  expiresAt: Date;
}

/**
 * The whole text that a wallet signs: EIP-4361 on Ethereum, and Sign-In-With-Solana, which has the same layout. Wallets
 * show the domain, and warn if it is not the domain of the page.
 */
export function signInText({ network, address, publicUrl, nonce, issuedAt, expiresAt }: SignInMessage): string {
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
    `Nonce: ${nonce}`,
    `Issued At: ${issuedAt.toISOString()}`,
    `Expiration Time: ${expiresAt.toISOString()}`,
  ].join('\n');
}
