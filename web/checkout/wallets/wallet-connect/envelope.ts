import { chacha20poly1305 } from '@noble/ciphers/chacha.js';
import { x25519 } from '@noble/curves/ed25519.js';
import { hkdf } from '@noble/hashes/hkdf.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';
import { base64 } from '@scure/base';

// The encryption of WalletConnect 2: https://specs.walletconnect.com/2.0/specs/clients/core/crypto/crypto-envelopes

const SYMMETRIC = 0;
const NONCE_BYTES = 12;

/** A message that only the holders of the key can read or write. */
export function seal(key: Uint8Array, message: unknown): string {
  const nonce = randomBytes(NONCE_BYTES);
  const sealed = chacha20poly1305(key, nonce).encrypt(new TextEncoder().encode(JSON.stringify(message)));
  return base64.encode(Uint8Array.of(SYMMETRIC, ...nonce, ...sealed));
}

/** Throws if the message was not sealed with this key. */
export function unseal(key: Uint8Array, envelope: string): unknown {
  const bytes = base64.decode(envelope);
  if (bytes[0] !== SYMMETRIC) throw new Error('This kind of envelope is not supported.');
  const nonce = bytes.subarray(1, 1 + NONCE_BYTES);
  const message = chacha20poly1305(key, nonce).decrypt(bytes.subarray(1 + NONCE_BYTES));
  return JSON.parse(new TextDecoder().decode(message));
}

/** The place at the relay where the holders of a key exchange messages. */
export function topicOf(key: Uint8Array): string {
  return bytesToHex(sha256(key));
}

export function newKeyPair(): { secretKey: Uint8Array; publicKey: string } {
  const secretKey = randomBytes(32);
  return { secretKey, publicKey: bytesToHex(x25519.getPublicKey(secretKey)) };
}

/** The key that only the owners of the two key pairs know. */
export function sharedKey(secretKey: Uint8Array, otherPublicKey: string): Uint8Array {
  return hkdf(sha256, x25519.getSharedSecret(secretKey, hexToBytes(otherPublicKey)), undefined, undefined, 32);
}

export function randomBytes(length: number): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(length));
}
