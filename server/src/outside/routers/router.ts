import type { Asset, FailureReason } from '@quittance/contract';

/** What a route converts: an exact output in the receive asset, paid in another. */
export interface RouteRequest {
  pay: Asset;
  receive: Asset;
  /** What the merchant's wallet is to receive, exact, in base units. */
  outputUnits: bigint;
  /** The saved wallet: the only recipient a provider is ever given. */
  recipient: string;
}

export interface RoutePreview {
  provider: string;
  /** What the customer would pay, in base units of the pay asset. */
  inputUnits: bigint;
  outputUnits: bigint;
  expiresAt: Date;
}

/** A binding order: money sent to `depositAddress` is converted and delivered, or returned to `refundAddress`. */
export interface RouteOrder extends RoutePreview {
  /** The provider's own handle. */
  reference: string;
  depositAddress: string;
  /** The least that is converted; less is returned. */
  minimumInputUnits: bigint;
  refundAddress: string;
  /** Until when a deposit is accepted; polling goes on past it. */
  deadline: Date;
  /** The provider's whole answer, kept for disputes. */
  raw: unknown;
}

export type RouteProgress =
  /** `isUnknown` where the provider does not know the order at all: nothing follows from that but an alarm. */
  | { state: 'waiting'; isUnknown?: true }
  /** A deposit is in sight, or too little of it (`short`). */
  | { state: 'seen'; depositedUnits: bigint | null; depositedAt: Date | null }
  | { state: 'short'; depositedUnits: bigint }
  | { state: 'converting'; depositedAt: Date | null }
  | { state: 'delivering'; payoutTxHashes: string[] }
  /** The provider says so; only our own watcher makes it true. */
  | { state: 'done'; payoutTxHashes: string[]; outputUnits: bigint | null }
  | { state: 'returned'; reason: string | null; refundedUnits: bigint | null }
  | { state: 'stuck'; reason: FailureReason }
  | { state: 'dead'; reason: FailureReason };

/** A route provider, trusted with nothing but the conversion. Every answer is held against what was asked. */
export interface Router {
  readonly name: string;
  /** Whether the provider converts this pair at all. */
  supports(pay: Asset, receive: Asset): Promise<boolean>;
  preview(request: RouteRequest): Promise<RoutePreview>;
  order(request: RouteRequest & { refundAddress: string; deadline: Date; reference: string }): Promise<RouteOrder>;
  progress(order: Pick<RouteOrder, 'reference' | 'depositAddress'> & { raw: unknown }): Promise<RouteProgress>;
  /** Tells the provider of a deposit's hash, to be quicker. Never needed. */
  hint?(order: Pick<RouteOrder, 'reference' | 'depositAddress'> & { raw: unknown }, txHash: string): Promise<void>;
  close(): Promise<void>;
}

/** The pair or amount is refused (not an outage): the next provider, or another asset. */
export class RouteRefusedError extends Error {
  override readonly name = 'RouteRefusedError';
  readonly minimumInputUnits: bigint | undefined;
  constructor(message: string, minimumInputUnits?: bigint) {
    super(message);
    this.minimumInputUnits = minimumInputUnits;
  }
}
