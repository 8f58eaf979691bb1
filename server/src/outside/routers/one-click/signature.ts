import { ed25519 } from '@noble/curves/ed25519.js';
import { base58 } from '@scure/base';
import { sha256 } from '../../../platform/secrets.ts';
import type { QuoteResponse } from './shapes.ts';

const REQUEST_FIELDS = [
  'dry',
  'swapType',
  'slippageTolerance',
  'originAsset',
  'depositType',
  'destinationAsset',
  'amount',
  'refundTo',
  'refundType',
  'recipient',
  'recipientType',
  'deadline',
] as const;
const OPTIONAL_REQUEST_FIELDS = [
  'quoteWaitingTimeMs',
  'referral',
  'virtualChainRecipient',
  'virtualChainRefundRecipient',
  'customRecipientMsg',
] as const;
const QUOTE_FIELDS = [
  'amountIn',
  'amountInFormatted',
  'amountInUsd',
  'minAmountIn',
  'amountOut',
  'amountOutFormatted',
  'amountOutUsd',
  'minAmountOut',
] as const;
const OPTIONAL_QUOTE_FIELDS = [
  'depositAddress',
  'depositMemo',
  'deadline',
  'timeWhenInactive',
  'timeEstimate',
  'virtualChainRecipient',
  'virtualChainRefundRecipient',
  'customRecipientMsg',
  'refundFee',
  'withdrawFee',
] as const;

/**
 * Whether the provider signed this quote. It signs the base58 text of the SHA-256 of both objects, merged and with
 * sorted keys. The quote's deadline replaces the request's.
 */
export function isSignedQuote(response: QuoteResponse, signer: string): boolean {
  const key = keyBytes(signer, 32);
  const signature = keyBytes(response.signature, 64);
  if (!key || !signature) return false;
  return ed25519.verify(signature, new TextEncoder().encode(signedText(response)), key, { zip215: false });
}

/** The signed text. */
export function signedText({ quoteRequest, quote, timestamp }: Omit<QuoteResponse, 'signature'>): string {
  const merged: Record<string, unknown> = {
    ...pick(quoteRequest, REQUEST_FIELDS),
    ...pickOptional(quoteRequest, OPTIONAL_REQUEST_FIELDS),
    ...pick(quote, QUOTE_FIELDS),
    ...(quoteRequest.dry ? {} : pickOptional(quote, OPTIONAL_QUOTE_FIELDS)),
    timestamp,
  };
  const sorted = Object.fromEntries(
    Object.entries(merged)
      .filter(([, value]) => value !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
  return base58.encode(sha256(JSON.stringify(sorted)));
}

function pick(from: Record<string, unknown>, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.map((name) => [name, from[name]]));
}

/** Missing, null and every other falsy value hash alike, as in the provider's own SDK. */
function pickOptional(from: Record<string, unknown>, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.map((name) => [name, from[name] || undefined]));
}

function keyBytes(text: string, length: number): Uint8Array | undefined {
  const encoded = /^ed25519:([1-9A-HJ-NP-Za-km-z]{1,100})$/.exec(text)?.[1];
  const bytes = encoded === undefined ? undefined : base58.decode(encoded);
  return bytes?.length === length ? bytes : undefined;
}
