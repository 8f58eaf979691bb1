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

/** A payment with what its session asked for: everything that its life, its events and its presentation need. */
export interface Payment {
  id: string;
  accountId: string;
  livemode: boolean;
  sessionId: string;
  status: PaymentStatus;
  /** The number of its newest event; the next one carries this plus one. */
  sequence: number;
  /** False while its events are withheld: a session of a link has none until something happens that the merchant must know. */
  isAnnounced: boolean;
  route: Route;
  amountMinor: bigint;
  currency: Currency;
  payAsset: AssetSymbol;
  payNetwork: Network;
  receiveAsset: AssetSymbol;
  receiveNetwork: ReceiveNetwork;
  /** Copied from the wallet at creation; nothing changes it. */
  receiveAddress: string;
  payoutWalletId: string;
  paymentLinkId: string | null;
  orderId: string | null;
  metadata: Record<string, string>;
  /** 32 bytes; shown as base58. */
  reference: Buffer;
  serviceFeeMinor: bigint;
  /** In base units of the receive asset. */
  expectedOutputUnits: bigint | null;
  actualOutputUnits: bigint | null;
  /** The transfer that completed it, and all of them. */
  txHash: string | null;
  txHashes: string[];
  failureReason: FailureReason | null;
  refund: Refund | null;
  settlementAlert: SettlementAlert | null;
  startedAt: Date | null;
  paidAt: Date | null;
  endedAt: Date | null;
  createdAt: Date;
  expiresAt: Date;
}

export interface Refund {
  amountMinor: bigint;
  address: string | null;
  reason: string | null;
  createdAt: Date;
}

/** Something that happened to the payment's money after it was final. It changes no status. */
export interface SettlementAlert {
  type: SettlementAlertType;
  txHash: string;
  detectedAt: Date;
}

/** One step of a payment's life: what it became, and the event that tells of it. */
export interface Step {
  /** The payment right after this step: what the event's body shows. */
  payment: Payment;
  type: EventType;
  /** Kept in `payment_states`: transaction, block, confirmations, providers, rate, rule. */
  evidence: Record<string, unknown>;
}
