import type { Asset } from '@quittance/contract';

/** The request to Relay. The field names are the provider's. */
export interface RelayQuoteRequest {
  user: string;
  recipient: string;
  originChainId: number;
  originCurrency: string;
  destinationChainId: number;
  destinationCurrency: string;
  amount: string;
  tradeType: 'EXACT_OUTPUT';
  useDepositAddress: true;
  strict: true;
  refundTo: string;
  slippageTolerance: string;
  ttl: number;
  referrer: string;
  appFees?: { recipient: string; fee: string }[];
}

/** The data other than the request that the response is compared with. */
export interface RelayPair {
  pay: Asset;
  receive: Asset;
  /** The names of both chains in order data; undefined if the provider's list of chains has none. */
  originName: string | undefined;
  destinationName: string | undefined;
  /** The requested deadline, which the request states as seconds. */
  deadline: Date;
}
