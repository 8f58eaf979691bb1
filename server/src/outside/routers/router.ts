import type { Asset, FailureReason } from '@quittance/contract';

/** A conversion: an exact output in the receive asset, paid in another asset. */
export interface RouteRequest {
  pay: Asset;
  receive: Asset;
  /** The exact amount for the merchant's wallet, in base units. */
  outputUnits: bigint;
  /** The saved wallet: the only recipient that is ever sent to a provider. */
  recipient: string;
}

export interface RoutePreview {
  provider: string;
  /** The customer's price, in base units of the pay asset. */
  inputUnits: bigint;
  outputUnits: bigint;
  expiresAt: Date;
}

/** A binding order: money sent to `depositAddress` is converted and delivered, or refunded to `refundAddress`. */
export interface RouteOrder extends RoutePreview {
  /** The provider's own identifier. */
  reference: string;
  depositAddress: string;
  /** Smaller deposits are refunded. */
  minimumInputUnits: bigint;
  refundAddress: string;
  /** Until when a deposit is accepted. Polling continues after it. */
  deadline: Date;
  /** The provider's complete response, stored for disputes. */
  raw: unknown;
}

export interface OrderRequest extends RouteRequest {
  /** Where the provider returns money that it does not convert. */
  refundAddress: string;
  deadline: Date;
  reference: string;
}

/** What is stored of an order, to ask its provider about it. */
export type OrderRecord = Pick<RouteOrder, 'reference' | 'depositAddress' | 'raw'>;

export type RouteProgress =
  /** `isUnknown`: the provider does not know the order. That only raises an alarm. */
  | { state: 'waiting'; isUnknown?: true }
  /** A deposit was seen, or a part of it (`short`). */
  | { state: 'seen'; depositedUnits: bigint | null; depositedAt: Date | null }
  | { state: 'short'; depositedUnits: bigint }
  | { state: 'converting'; depositedAt: Date | null }
  | { state: 'delivering'; payoutTxHashes: string[] }
  /** The provider's claim. Only a payout found on the chain completes the payment. */
  | { state: 'done'; payoutTxHashes: string[]; outputUnits: bigint | null }
  | { state: 'returned'; reason: string | null; refundedUnits: bigint | null }
  | { state: 'stuck'; reason: FailureReason }
  | { state: 'dead'; reason: FailureReason };

/** A route provider, trusted only with the conversion. Every response is compared with the request. */
export interface Router {
  readonly name: string;
  /** Whether the provider converts this pair at all. */
  supports(pay: Asset, receive: Asset): Promise<boolean>;
  preview(request: RouteRequest): Promise<RoutePreview>;
  order(request: OrderRequest): Promise<RouteOrder>;
  progress(order: OrderRecord): Promise<RouteProgress>;
  /** Sends a deposit's hash to the provider, to speed it up. Never required. */
  hint?(order: OrderRecord, txHash: string): Promise<void>;
  close(): Promise<void>;
}

/** The pair or amount is rejected (not an outage): use the next provider, or another asset. */
export class RouteRefusedError extends Error {
  override readonly name = 'RouteRefusedError';
  readonly minimumInputUnits: bigint | undefined;
  constructor(message: string, minimumInputUnits?: bigint) {
    super(message);
    this.minimumInputUnits = minimumInputUnits;
  }
}
