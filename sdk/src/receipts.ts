import { isSignedByOne, type Jwks, keysAt } from './jwks.ts';
import type { ReceiptClaims } from './types.gen.ts';

export type { Jwks } from './jwks.ts';
export type { ReceiptClaims } from './types.gen.ts';

/** A receipt failed verification; the message says why. */
export class ReceiptVerificationError extends Error {
  override readonly name = 'ReceiptVerificationError';
}

export interface VerifyReceiptOptions {
  /**
   * The public keys of the account and mode, from the receipt's `jwks_url` if that is at the service that you trust. Keep
   * a copy to verify offline.
   */
  jwks: Jwks;
  /**
   * The address that should have been paid, in CAIP-10 (`eip155:8453:0x…`) or as on its network, or several. A receipt of
   * another person's money is refused.
   */
  payee: string | readonly string[];
  /** The address of the service that you trust, such as `https://pay.example.com`. Checked if it is given. */
  issuer?: string;
  /** Accepts receipts of test mode, in which no money moves. Default false. */
  allowTestMode?: boolean;
}

const MAX_RECEIPT_LENGTH = 65_536;

/**
 * Verifies a receipt and returns its claims. Works without a network.
 *
 * @throws ReceiptVerificationError
 *
 * @example
 * const claims = await verifyReceipt(receipt, { jwks, payee: '0x5290…', issuer: 'https://pay.example.com' });
 * console.log(claims.status, claims.received, claims.transfers[0]?.tx_hash, claims.supersedes);
 */
export async function verifyReceipt(receipt: string, options: VerifyReceiptOptions): Promise<ReceiptClaims> {
  const text = receipt.trim();
  const parts = text.length > MAX_RECEIPT_LENGTH ? [] : text.split('.');
  const [header, payload, signature] = parts.map(decode);
  if (parts.length !== 3 || !header || !payload || !signature)
    throw new ReceiptVerificationError('This is not a receipt. A receipt is three parts of base64url, joined by dots.');

  const { alg, typ, kid, crit } = (parse(header) ?? {}) as Record<string, unknown>;
  if (alg !== 'EdDSA' || typ !== 'receipt+jwt' || typeof kid !== 'string' || crit !== undefined)
    throw new ReceiptVerificationError('The header is not that of a receipt.');
  const claims = parse(payload) as ReceiptClaims | undefined;
  if (!claims || typeof claims.iat !== 'number') throw new ReceiptVerificationError('The receipt has no claims.');

  const keys = await keysAt(options.jwks, claims.iat, kid);
  if (keys.length === 0)
    throw new ReceiptVerificationError(
      'None of these keys could have signed the receipt. Fetch the keys of its service again, and check ' +
        'that it is the service that you trust.',
    );
  const signed = new TextEncoder().encode(text.slice(0, text.lastIndexOf('.')));
  if (!(await isSignedByOne(keys, signature, signed)))
    throw new ReceiptVerificationError('The signature does not match: the receipt was changed.');
  const payees = [options.payee ?? []].flat().filter(Boolean);
  if (payees.length === 0)
    throw new ReceiptVerificationError(
      'Pass `payee`, the address that should have been paid: other accounts have receipts too.',
    );
  if (!payees.some((payee) => isSameAddress(payee, claims.payee)))
    throw new ReceiptVerificationError(`The receipt is for money to ${claims.payee}, not to ${payees.join(' or ')}.`);
  if (options.issuer !== undefined && claims.iss !== options.issuer.replace(/\/+$/, ''))
    throw new ReceiptVerificationError(`The receipt is from ${claims.iss}, not from ${options.issuer}.`);
  if (!claims.livemode && !options.allowTestMode)
    throw new ReceiptVerificationError(
      'The receipt is from test mode: no money moved. Pass allowTestMode to accept it.',
    );
  return claims;
}

/** Ethereum addresses are the same in capitals and small letters. */
function isSameAddress(expected: string, actual: unknown): boolean {
  if (typeof actual !== 'string') return false;
  const plain = expected.includes(':') ? actual : actual.slice(actual.lastIndexOf(':') + 1);
  return plain === expected || (/0x[0-9a-f]{40}$/i.test(expected) && plain.toLowerCase() === expected.toLowerCase());
}

/** Undefined if the text is not the canonical encoding of its bytes, so that no character can change unnoticed. */
function decode(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^[A-Za-z0-9_-]+$/.test(text) || text.length % 4 === 1) return undefined;
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  const again = btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
  return again === text ? Uint8Array.from(binary, (character) => character.charCodeAt(0)) : undefined;
}

function parse(bytes: Uint8Array): object | undefined {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
