import { concat, getAddress, type Hex, isHex, keccak256, recoverTypedDataAddress, stringToHex } from 'viem';
import { ethereumSignatureLength } from '../wallet-signature.ts';

/** A transfer that the payer signs and another account may send (EIP-3009). Addresses are checksummed. */
export interface Authorization {
  from: string;
  to: string;
  value: bigint;
  validAfter: bigint;
  validBefore: bigint;
  nonce: Hex;
}

export interface SignedAuthorization extends Authorization {
  /** 65 bytes, from a key. */
  signature: Hex;
}

/** The token's EIP-712 name and version. */
export interface TokenDomain {
  name: string;
  version: string;
}

export interface Token {
  chainId: number;
  address: string;
  domain: TokenDomain;
}

export const AUTHORIZATION_TYPES = {
  TransferWithAuthorization: [
    { name: 'from', type: 'address' },
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'validAfter', type: 'uint256' },
    { name: 'validBefore', type: 'uint256' },
    { name: 'nonce', type: 'bytes32' },
  ],
} as const;

const SIGNATURE_BYTES = 65;

/** Whether the payer's own key signed the authorization for this token on this chain. */
export async function isSignedByPayer(token: Token, { signature, ...message }: SignedAuthorization): Promise<boolean> {
  if (!isHex(signature) || ethereumSignatureLength(signature) !== SIGNATURE_BYTES) return false;
  try {
    const signer = await recoverTypedDataAddress({
      domain: { ...token.domain, chainId: token.chainId, verifyingContract: getAddress(token.address) },
      types: AUTHORIZATION_TYPES,
      primaryType: 'TransferWithAuthorization',
      message: { ...message, from: getAddress(message.from), to: getAddress(message.to) },
      signature,
    });
    return signer === getAddress(message.from);
  } catch {
    // The numbers are not a valid point on the curve.
    return false;
  }
}

/** The nonce that binds an authorization to a challenge of the "Payment" HTTP scheme. */
export function challengeNonce(challenge: { id: string; realm: string }): Hex {
  return keccak256(concat([stringToHex(challenge.id), stringToHex(challenge.realm)]));
}
