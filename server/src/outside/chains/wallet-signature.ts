import { ed25519 } from '@noble/curves/ed25519.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { base58, base64, base64nopad, hex } from '@scure/base';
import { bytesToBigInt, isAddressEqual, keccak256, recoverAddress, recoverMessageAddress, toHex } from 'viem';
import { fromHexAddress } from './pure/tron-address.ts';
import { signableForms } from './solana-envelope.ts';
import { readSolanaKey } from './solana-key.ts';

/**
 * Whether the key of this address signed the text (`personal_sign`). Contract wallets have no key and need a call to
 * the chain.
 */
export async function isSignedByEthereumKey(signed: {
  message: string;
  address: string;
  signature: string;
}): Promise<boolean> {
  const signer = await recoverEthereumSigner(signed);
  return signer !== undefined && isAddressEqual(signer, signed.address as `0x${string}`);
}

/** The checksummed address whose key signed the text (`personal_sign`), or undefined if the signature is invalid. */
export async function recoverEthereumSigner({
  message,
  signature: text,
}: {
  message: string;
  signature: string;
}): Promise<`0x${string}` | undefined> {
  const signature = readEthereumSignature(text);
  if (!signature) return undefined;
  try {
    return await recoverMessageAddress({ message, signature });
  } catch {
    // The numbers are not a valid point on the curve.
    return undefined;
  }
}

/** The address whose key signed the text as Tron's wallets do (`signMessageV2`), or undefined if the signature is invalid. */
export async function recoverTronSigner(signed: { message: string; signature: string }): Promise<string | undefined> {
  const signature = readEthereumSignature(signed.signature);
  if (!signature) return undefined;
  const message = Buffer.from(signed.message, 'utf8');
  const prefix = Buffer.from(`\x19TRON Signed Message:\n${message.length}`);
  try {
    return fromHexAddress(await recoverAddress({ hash: keccak256(Buffer.concat([prefix, message])), signature }));
  } catch {
    // The numbers are not a valid point on the curve.
    return undefined;
  }
}

/** The number of bytes of a hex text, with or without 0x; undefined if it is not hex. */
export function ethereumSignatureLength(text: string): number | undefined {
  const digits = text.replace(/^0x/, '');
  return /^([0-9a-fA-F]{2})+$/.test(digits) ? digits.length / 2 : undefined;
}

/**
 * 65 bytes (r, s, v of 0, 1, 27 or 28) or the 64 bytes of EIP-2098, in hex. Undefined for all else, including a
 * malleable high s.
 */
function readEthereumSignature(text: string): { r: `0x${string}`; s: `0x${string}`; yParity: 0 | 1 } | undefined {
  const digits = text.replace(/^0x/, '');
  if (!/^[0-9a-fA-F]+$/.test(digits) || (digits.length !== 130 && digits.length !== 128)) return undefined;
  const bytes = hex.decode(digits.toLowerCase());

  const s = bytes.slice(32, 64);
  let yParity: number;
  if (bytes.length === 65) {
    const v = bytes[64] as number;
    yParity = v >= 27 ? v - 27 : v;
  } else {
    yParity = (s[0] as number) >> 7;
    s[0] = (s[0] as number) & 0x7f;
  }
  if (yParity !== 0 && yParity !== 1) return undefined;
  if (bytesToBigInt(s) > secp256k1.Point.CURVE().n / 2n) return undefined;
  return { r: toHex(bytes.slice(0, 32)), s: toHex(s), yParity };
}

/**
 * Whether the key of this address signed the text, bare or in an envelope of off-chain messages. Strict: rejects keys
 * of small order, for which anyone can forge a
 * signature, and ambiguous encodings.
 */
export function isSignedBySolanaKey(signed: { message: string; address: string; signature: string }): boolean {
  const key = readSolanaKey(signed.address);
  if (!key) return false;
  const signatures = readSolanaSignatures(signed.signature);
  return signableForms(signed.message, key).some((bytes) =>
    signatures.some((signature) => ed25519.verify(signature, bytes, key, { zip215: false })),
  );
}

/** Whether a text is 64 bytes in an encoding that Solana wallets use. */
export function isSolanaSignatureText(text: string): boolean {
  return readSolanaSignatures(text).length > 0;
}

/** Every decoding of the text that has 64 bytes: a few texts are both base58 and base64. */
function readSolanaSignatures(text: string): Uint8Array[] {
  if (text.length > 132) return [];
  const readings = [
    () => hex.decode(text.replace(/^0x/, '').toLowerCase()),
    () => base64.decode(text),
    () => base64nopad.decode(text),
    () => base58.decode(text),
  ];
  return readings.flatMap((read) => {
    try {
      const bytes = read();
      return bytes.length === 64 ? [bytes] : [];
    } catch {
      return [];
    }
  });
}
