import type { AssetSymbol, Currency, LinkQuestion, ReceiveNetwork } from '@quittance/contract';
import { type Columns, columnNames, columnTypes } from '../../platform/db/columns.ts';
import { type Order, ORDER_COLUMNS } from '../../settlement/records/order.ts';

/** What can be changed of a link: whom it asks for what, and how long it takes payments. */
export interface LinkTerms {
  askFor: LinkQuestion[];
  /** What the page calls the note, which is required then. */
  noteLabel: string | null;
  /** The customer enters an amount within these limits; both null if it is fixed. */
  minAmountMinor: bigint | null;
  maxAmountMinor: bigint | null;
  endsAt: Date | null;
  /** After this many paid payments it opens no session. */
  maxPayments: number | null;
}

export const NO_TERMS: LinkTerms = {
  askFor: [],
  noteLabel: null,
  minAmountMinor: null,
  maxAmountMinor: null,
  endsAt: null,
  maxPayments: null,
};

/** A checkout to share: each opening creates its own session. */
export interface PaymentLink extends Order, LinkTerms {
  id: string;
  accountId: string;
  livemode: boolean;
  payoutWalletId: string;
  amountMinor: bigint;
  currency: Currency;
  description: string;
  successUrl: string | null;
  cancelUrl: string | null;
  status: LinkStatus;
  /** How many of its payments were paid. */
  payments: number;
  receiveAsset: AssetSymbol;
  receiveNetwork: ReceiveNetwork;
  createdAt: Date;
}

export type LinkStatus = 'active' | 'disabled';

type LinkRow = Omit<PaymentLink, 'receiveAsset' | 'receiveNetwork'>;

export const LINK_COLUMN_TABLE = {
  id: 'text',
  accountId: 'text',
  livemode: 'boolean',
  payoutWalletId: 'text',
  amountMinor: 'bigint',
  currency: 'text',
  ...ORDER_COLUMNS,
  askFor: 'text[]',
  noteLabel: 'text',
  minAmountMinor: 'bigint',
  maxAmountMinor: 'bigint',
  endsAt: 'timestamptz',
  maxPayments: 'integer',
  successUrl: 'text',
  cancelUrl: 'text',
  status: 'text',
  payments: 'integer',
  createdAt: 'timestamptz',
} as const satisfies Columns<LinkRow>;

export const LINK_COLUMN_NAMES = columnNames(LINK_COLUMN_TABLE);
export const LINK_COLUMN_TYPES = columnTypes(LINK_COLUMN_TABLE);
/** With `l` as the name of the table. */
export const LINK_COLUMNS_OF_L = columnNames(LINK_COLUMN_TABLE, 'l.');

/** Whether its time is over or its payments have been made. Sessions that it opened before stay payable. */
export function hasEnded(
  { endsAt, maxPayments, payments }: Pick<PaymentLink, 'endsAt' | 'maxPayments' | 'payments'>,
  now: Date,
): boolean {
  return (endsAt !== null && endsAt.getTime() <= now.getTime()) || (maxPayments !== null && payments >= maxPayments);
}
