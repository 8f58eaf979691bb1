import { NETWORKS, type ReceiveNetwork } from '@quittance/contract';
import type { Context } from '../../context.ts';
import type { SignatureAsker } from '../../outside/chains/contract-wallet.ts';
import { fail, TemporaryError } from '../../platform/errors.ts';
import { isSignedByEthereumKey, isSignedBySolanaKey } from '../../outside/chains/wallet-signature.ts';

/** A text and the presumed signature of a wallet. */
export interface SignedText {
  network: ReceiveNetwork;
  address: string;
  message: string;
  signature: string;
}

/** The family of the wallets whose signature of a text is read on a network; null on Tron. */
export function signingFamilyOf(network: ReceiveNetwork): 'evm' | 'solana' | null {
  const { family } = NETWORKS[network];
  return family === 'tron' ? null : family;
}

export function isSignedByKey(signed: SignedText): Promise<boolean> | boolean {
  const family = signingFamilyOf(signed.network);
  if (family === null) return false;
  return family === 'solana' ? isSignedBySolanaKey(signed) : isSignedByEthereumKey(signed);
}

/** Whether two providers confirm that the address is a contract which accepts the signature. */
export async function isSignedByContract(
  ctx: Context,
  { network, address, message, signature }: SignedText,
  asker: SignatureAsker,
): Promise<boolean> {
  if (network === 'solana' || network === 'tron') return false;
  try {
    return await ctx.contractWallets.isSigned({ network, address, message, signature }, asker);
  } catch (error) {
    if (error instanceof TemporaryError) fail('service_unavailable', { retryAfterSeconds: 2, cause: error });
    throw error;
  }
}
