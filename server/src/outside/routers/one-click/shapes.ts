import { TemporaryFailure } from '../../../platform/errors.ts';

/** What 1Click is asked; field names are the provider's own. */
export interface QuoteRequest {
  dry: boolean;
  depositMode: 'SIMPLE';
  swapType: 'EXACT_OUTPUT';
  slippageTolerance: number;
  originAsset: string;
  depositType: 'ORIGIN_CHAIN';
  destinationAsset: string;
  amount: string;
  refundTo: string;
  refundType: 'ORIGIN_CHAIN';
  recipient: string;
  recipientType: 'DESTINATION_CHAIN';
  deadline: string;
  quoteWaitingTimeMs: number;
  referral: string;
  appFees?: { recipient: string; fee: number }[];
}

/** A quote as it was answered: every field kept, because all of them are signed. */
export interface QuoteResponse {
  timestamp: string;
  signature: string;
  quoteRequest: Record<string, unknown>;
  quote: Record<string, unknown>;
}

export interface Token {
  assetId: string;
  decimals: number;
  blockchain: string;
  symbol: string;
  contractAddress: string | null;
}

/** An object, or the failure of an answer that is none. */
export function objectOf(value: unknown, what: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new TemporaryFailure(`1Click answered ${what} that is no object`);
  return value as Record<string, unknown>;
}

export function textOf(value: unknown, what: string): string {
  if (typeof value !== 'string' || value === '' || value.length > 2_000) throw new TemporaryFailure(`1Click answered no ${what}`);
  return value;
}

/** A whole number of base units, as a decimal string. */
export function unitsOf(value: unknown, what: string): bigint {
  if (typeof value !== 'string' || !/^[0-9]{1,78}$/.test(value)) throw new TemporaryFailure(`1Click answered no whole ${what}`);
  return BigInt(value);
}

export function optionalUnits(value: unknown): bigint | null {
  return typeof value === 'string' && /^[0-9]{1,78}$/.test(value) ? BigInt(value) : null;
}

export function instantOf(value: unknown, what: string): Date {
  const at = new Date(textOf(value, what));
  if (Number.isNaN(at.getTime())) throw new TemporaryFailure(`1Click answered a ${what} that is no date`);
  return at;
}
