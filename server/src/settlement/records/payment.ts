import type {
  AssetSymbol,
  Currency,
  EventType,
  FailureReason,
  Network,
  PaymentStatus,
  ReceiveNetwork,
  Route,
  SettlementAlertType,
} from '@quittance/contract';
import type { Order } from './order.ts';

/** A payment with its session's terms: everything that its lifecycle, its events and its presentation need. */
export interface Payment extends Order {
  id: string;
  accountId: string;
  livemode: boolean;
  sessionId: string;
  status: PaymentStatus;
  /** The number of its newest event. The next event has this number plus one. */
  sequence: number;
  /** False while its events are withheld: a link's session has none until an event that the merchant must know. */
  isAnnounced: boolean;
  route: Route;
  amountMinor: bigint;
  currency: Currency;
  payAsset: AssetSymbol;
  payNetwork: Network;
  receiveAsset: AssetSymbol;
  receiveNetwork: ReceiveNetwork;
  /** Copied from the wallet at creation; never changes. */
  receiveAddress: string;
  payoutWalletId: string;
  paymentLinkId: string | null;
  /** 32 bytes; shown as base58. */
  reference: Buffer;
  serviceFeeMinor: bigint;
  /** In base units of the receive asset. */
  expectedOutputUnits: bigint | null;
  actualOutputUnits: bigint | null;
  /** The transfer that completed it, and all of its transfers. */
  txHash: string | null;
  txHashes: string[];
  failureReason: FailureReason | null;
  refund: Refund | null;
  refunds: RefundTally;
  settlementAlert: SettlementAlert | null;
  startedAt: Date | null;
  paidAt: Date | null;
  endedAt: Date | null;
  createdAt: Date;
  expiresAt: Date;
}

/**
 * What the payment's refunds add up to. It stands in the payment's own row, so that it is read as it is under the
 * payment's lock: a sum over another table would be as old as the statement that waited for the lock.
 */
export interface RefundTally {
  /** All refunds, oldest first. */
  ids: readonly string[];
  /** The sum of those that are neither failed nor cancelled, in base units of the receive asset. */
  claimedUnits: bigint;
  /** The sum of those that are final. */
  returnedUnits: bigint;
  /** The same in the display currency, and what was recorded as refunded although nothing had arrived. */
  returnedMinor: bigint;
}

export const NO_REFUNDS: RefundTally = { ids: [], claimedUnits: 0n, returnedUnits: 0n, returnedMinor: 0n };

export interface Refund {
  amountMinor: bigint;
  address: string | null;
  reason: string | null;
  createdAt: Date;
}

/** An event that affects the payment's money after it was final. It changes no status. */
export interface SettlementAlert {
  type: SettlementAlertType;
  txHash: string;
  detectedAt: Date;
}

/** One step of a payment's lifecycle: the new state and its event. */
export interface Step {
  /** The payment right after this step, as the event's body shows it. */
  payment: Payment;
  type: EventType;
  /** Stored in `payment_states`: transaction, block, confirmations, providers, rate, rule. */
  evidence: Record<string, unknown>;
}

/** Whether the payment still waits for money or for its confirmation, so that its customer can choose and pay. */
export function isOpenPayment({ status }: Pick<Payment, 'status'>): boolean {
  return status === 'created' || status === 'pending';
}
