const FAMILIES = {
  ethereum: { account: 'Ethereum', chainId: '1' },
  solana: { account: 'Solana', chainId: 'mainnet' },
} as const;

/** What a wallet signs, whatever for. */
export interface WalletMessage {
  network: keyof typeof FAMILIES;
  address: string;
  publicUrl: string;
  nonce: string;
  issuedAt: Date;
  expiresAt: Date;
}

/** The whole text that a wallet signs to sign in. */
export function signInText(message: WalletMessage): string {
  return walletText(message, {
    statement: 'Sign in to Quittance. This proves that the wallet is yours and moves no funds.',
  });
}

/**
 * EIP-4361 on Ethereum, and Sign-In-With-Solana, which has the same layout. The server's host comes first: wallets show
 * it, and warn if it is not the host of the page, so that no other site passes our text off as its own. `about` is the
 * id of what the signature is for.
 */
export function walletText(
  { network, address, publicUrl, nonce, issuedAt, expiresAt }: WalletMessage,
  { statement, chainId = FAMILIES[network].chainId, about }: { statement: string; chainId?: string; about?: string },
): string {
  return [
    `${new URL(publicUrl).host} wants you to sign in with your ${FAMILIES[network].account} account:`,
    address,
    '',
    statement,
    '',
    `URI: ${publicUrl}`,
    'Version: 1',
    `Chain ID: ${chainId}`,
    `Nonce: ${nonce}`,
    `Issued At: ${issuedAt.toISOString()}`,
    `Expiration Time: ${expiresAt.toISOString()}`,
    ...(about === undefined ? [] : [`Request ID: ${about}`]),
  ].join('\n');
}
