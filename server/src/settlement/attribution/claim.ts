import { NETWORKS, type Network, type ReceiveNetwork } from '@quittance/contract';
import {
  ethereumSignatureLength,
  isSignedByEthereumKey,
  isSignedBySolanaKey,
  isSolanaSignatureText,
  recoverEthereumSigner,
  recoverTronSigner,
} from '../../outside/chains/wallet-signature.ts';

/**
 * A key's signature has at most 65 bytes. A contract wallet's may bundle several, plus the calldata that deploys the
 * wallet.
 */
const MAX_SIGNATURE_BYTES = 2_048;

/** The claim as the customer sent it. `sender` is a canonical address, or undefined if they named none. */
export interface SubmittedClaim {
  network: ReceiveNetwork;
  message: string;
  signature: string;
  sender: string | undefined;
}

export type ClaimVerdict =
  | { type: 'verified'; signer: string }
  /**
   * Only the chain can verify it: a contract wallet's signature, or a Solana signature without a sender (`signer` is
   * null).
   */
  | { type: 'unverified'; signer: string | null; signature: string }
  /** The named sender did not sign it. */
  | { type: 'not_signed' }
  | { type: 'malformed'; field: 'signature' | 'sender'; why: string };

/** Verifies the signer of a claim as far as possible without RPC calls. */
export function verifyClaim(claim: SubmittedClaim): Promise<ClaimVerdict> | ClaimVerdict {
  if (claim.network === 'tron') return verifyTronClaim(claim);
  return claim.network === 'solana' ? verifySolanaClaim(claim) : verifyEthereumClaim(claim);
}

async function verifyTronClaim({ message, signature, sender }: SubmittedClaim): Promise<ClaimVerdict> {
  const signer = await recoverTronSigner({ message, signature });
  if (signer === undefined)
    return malformed('Invalid signature. Send the 65 bytes that the wallet returned for `signMessageV2`.');
  return sender === undefined || sender === signer ? { type: 'verified', signer } : { type: 'not_signed' };
}

async function verifyEthereumClaim({ message, signature, sender }: SubmittedClaim): Promise<ClaimVerdict> {
  const bytes = ethereumSignatureLength(signature);
  if (bytes === undefined || bytes > MAX_SIGNATURE_BYTES)
    return malformed(
      'Invalid signature. Send 0x and hex digits: 64 or 65 bytes from a key, or up to 2,048 bytes from a contract wallet.',
    );

  const signer = await recoverEthereumSigner({ message, signature });
  if (signer !== undefined && (sender === undefined || sender === signer)) return { type: 'verified', signer };
  if (sender !== undefined)
    return { type: 'unverified', signer: sender, signature: `0x${signature.replace(/^0x/, '').toLowerCase()}` };
  if (bytes > 65)
    return malformed(
      "Signatures of more than 65 bytes come from contract wallets. Send the wallet's address as `sender`.",
      'sender',
    );
  return malformed('Invalid signature. Send the 64 or 65 bytes that the wallet returned for `personal_sign`.');
}

function verifySolanaClaim({ message, signature, sender }: SubmittedClaim): ClaimVerdict {
  if (!isSolanaSignatureText(signature))
    return malformed('Invalid signature. Solana signatures are 64 bytes in base58, base64 or hex.');
  if (sender === undefined) return { type: 'unverified', signer: null, signature };
  return isSignedBySolanaKey({ message, address: sender, signature })
    ? { type: 'verified', signer: sender }
    : { type: 'not_signed' };
}

function malformed(why: string, field: 'signature' | 'sender' = 'signature'): ClaimVerdict {
  return { type: 'malformed', field, why };
}

/** The text that a customer signs to claim their transaction for a session. */
export function claimText({
  sessionId,
  network,
  txHash,
}: {
  sessionId: string;
  network: string;
  txHash: string;
}): string {
  return ['Quittance payment claim', `Session: ${sessionId}`, `Network: ${network}`, `Transaction: ${txHash}`].join(
    '\n',
  );
}

/** The text that a connected wallet signs before it pays, so that its transfer can be attributed by its sender. */
export function senderText({
  sessionId,
  network,
  address,
}: {
  sessionId: string;
  network: string;
  address: string;
}): string {
  return ['Quittance payment sender', `Session: ${sessionId}`, `Network: ${network}`, `Address: ${address}`].join('\n');
}

export async function isSignedBy(
  network: Network,
  signed: { message: string; address: string; signature: string },
): Promise<boolean> {
  switch (NETWORKS[network].family) {
    case 'evm':
      return isSignedByEthereumKey(signed);
    case 'solana':
      return isSignedBySolanaKey(signed);
    default:
      return false;
  }
}
