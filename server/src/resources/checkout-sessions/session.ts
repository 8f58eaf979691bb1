import type { AssetSymbol, Currency, Network, PaymentStatus, ReceiveNetwork } from '@quittance/contract';
import { columnNames, type Columns, columnTypes } from '../../platform/db/columns.ts';
import { type Order, ORDER_COLUMNS } from '../../settlement/records/order.ts';

/** What a merchant asks for, or the merchant's payment link. */
export interface SessionTerms extends Order {
  paymentLinkId: string | null;
  /** The session that ended, which its customer tries again in this one. */
  retryOf: string | null;
  /** If it is tried again in turn: until then, a day after the first session of the order ended. */
  retryUntil: Date | null;
  amountMinor: bigint;
  currency: Currency;
  lineItems: LineItem[] | null;
  /** Safe List keys, in the order of the request. */
  acceptedAssets: string[];
  successUrl: string | null;
  cancelUrl: string | null;
}

/** The merchant's input. It never changes after creation; its payment holds the progress. */
export interface CheckoutSession extends SessionTerms {
  id: string;
  accountId: string;
  livemode: boolean;
  paymentId: string;
  payoutWalletId: string;
  /** 32 bytes; shown as base58. */
  reference: Buffer;
  receiveAsset: AssetSymbol;
  receiveNetwork: ReceiveNetwork;
  /** Copied from the wallet at creation; nothing changes it. */
  receiveAddress: string;
  createdAt: Date;
  expiresAt: Date;
}

/** The columns of `checkout_sessions`, which the statements that write and read sessions are made of. */
export const SESSION_COLUMNS = {
  id: 'text',
  accountId: 'text',
  livemode: 'boolean',
  paymentId: 'text',
  payoutWalletId: 'text',
  paymentLinkId: 'text',
  retryOf: 'text',
  retryUntil: 'timestamptz',
  amountMinor: 'bigint',
  currency: 'text',
  ...ORDER_COLUMNS,
  lineItems: 'jsonb',
  acceptedAssets: 'text[]',
  reference: 'bytea',
  receiveAsset: 'text',
  receiveNetwork: 'text',
  receiveAddress: 'text',
  successUrl: 'text',
  cancelUrl: 'text',
  createdAt: 'timestamptz',
  expiresAt: 'timestamptz',
} as const satisfies Columns<CheckoutSession>;

export const SESSION_COLUMN_NAMES = columnNames(SESSION_COLUMNS);
export const SESSION_COLUMN_TYPES = columnTypes(SESSION_COLUMNS);
/** With `s` as the name of the table. */
export const SESSION_COLUMNS_OF_S = columnNames(SESSION_COLUMNS, 's.');

export interface LineItem {
  name: string;
  quantity: number;
  /** A display amount with two decimals; negative for a discount. */
  amount: string;
  /** The unit price, which `amount` is a multiple of. Missing if the merchant sends only a total. */
  unit_amount?: string;
}

/** The progress of its payment. */
export interface SessionProgress {
  status: PaymentStatus;
  /** When the customer started to pay or money first counted. Until then the session shows no payment. */
  startedAt: Date | null;
  /** Deposit addresses of the routes the customer chose, the newest of each asset. */
  routedTargets: RoutedTarget[];
}

export interface RoutedTarget {
  asset: AssetSymbol;
  network: Network;
  address: string;
}

/** A session whose payment was not started. */
export const NOT_STARTED: SessionProgress = { status: 'created', startedAt: null, routedTargets: [] };
