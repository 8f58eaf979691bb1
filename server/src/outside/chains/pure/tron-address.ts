import { sha256 } from '@noble/hashes/sha2.js';
import { base58, createBase58check } from '@scure/base';

/** What each address of the main network begins with, before the 20 bytes that contracts and logs have. */
const PREFIX = 0x41;
const BYTES = 20;
const base58check = createBase58check(sha256);

export type TronAddress = { address: string } | { why: 'checksum' | 'form' };

/** The base58check form (`T…`) of an address that is written in it, or as 41 and 40 hex digits. */
export function readTronAddress(text: string): TronAddress {
  const hex = /^(?:0x)?(41[0-9a-fA-F]{40})$/.exec(text)?.[1];
  if (hex !== undefined) return { address: base58check.encode(Buffer.from(hex, 'hex')) };
  try {
    const bytes = base58check.decode(text);
    return isAddress(bytes) ? { address: text } : { why: 'form' };
  } catch {
    return { why: isMistyped(text) ? 'checksum' : 'form' };
  }
}

/** The 20 bytes of an address as lower-case hex, as contracts and logs have them. */
export function toHexAddress(address: string): `0x${string}` {
  return `0x${Buffer.from(base58check.decode(address).subarray(1)).toString('hex')}`;
}

export function fromHexAddress(hex: string): string {
  return base58check.encode(Uint8Array.of(PREFIX, ...Buffer.from(hex.slice(2), 'hex')));
}

function isAddress(bytes: Uint8Array): boolean {
  return bytes.length === 1 + BYTES && bytes[0] === PREFIX;
}

/** Whether all but the checksum is that of an address. */
function isMistyped(text: string): boolean {
  if (!/^T[1-9A-HJ-NP-Za-km-z]{33}$/.test(text)) return false;
  try {
    return base58.decode(text).length === 1 + BYTES + 4;
  } catch {
    return false;
  }
}
