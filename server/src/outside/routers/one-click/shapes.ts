import { PermanentError } from '../../../platform/errors.ts';
import { readText } from '../answer.ts';

/** The request to 1Click. The field names are the provider's. */
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

/** A quote as received. All fields are stored, because all of them are signed. */
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

export function objectOf(value: unknown, what: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new PermanentError(`the ${what} is not an object`);
  return value as Record<string, unknown>;
}

export function instantOf(value: unknown, what: string): Date {
  const at = new Date(readText(value, what, 40));
  if (Number.isNaN(at.getTime())) throw new PermanentError(`the ${what} is not a date`);
  return at;
}
