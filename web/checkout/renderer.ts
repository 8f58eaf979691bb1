import type { LinkQuestion } from '@quittance/contract';
import type { CheckoutPage, Merchant } from './page-state.ts';

export type { CheckoutPage, Merchant, PageLinks, PublicSession, Refusal } from './page-state.ts';

/** What the permanent receipt shows in addition to the checkout. */
export interface ReceiptOptions {
  url: string;
  paidAt: string | null;
  /** The address of the signed receipt; null before it exists. */
  signedUrl: string | null;
  /** Lines about the merchant, such as their address and tax number. */
  details: string | null;
}

/** The functions of the built server bundle, `dist/server/render.js`. */
export interface CheckoutRenderer {
  /** The whole HTML document of a checkout page. */
  renderCheckout(page: CheckoutPage, assets: PageAssets): string;
  /** The permanent receipt. */
  renderReceipt(page: CheckoutPage, receipt: ReceiptOptions, assets: PageAssets): string;
  /** A payment link's page: a button that opens a session. */
  renderPaymentLink(page: LinkPage, assets: PageAssets): string;
  /** The page of a refund that asks its customer for an address. */
  renderRefund(page: RefundPage, assets: PageAssets): string;
  /** A page for something that does not exist, or cannot be shown. */
  renderNotice(page: NoticePage, assets: PageAssets): string;
  /** The stylesheet of a merchant's colors, made readable. */
  renderBrandStyle(brand: Brand): string;
  /** The languages with a catalog. */
  locales: readonly string[];
}

/** The built files' addresses, with their hashes. */
export interface PageAssets {
  script: string;
  style: string;
  /** The small script of receipts and of forms. */
  servedScript: string;
  /** The script of refunds' pages, which only asks wallets to sign. */
  refundScript: string;
  /** The hash of each file, by its address. */
  integrity?: Record<string, string>;
  /** The stylesheet of the merchant's colors, if they have some. */
  brandStyle?: string | undefined;
  theme?: Brand['theme'];
}

/** The merchant's look of the pages; colors as `#RRGGBB`. */
export interface Brand {
  accent: string | null;
  background: string | null;
  /** Null: as the customer's browser prefers. */
  theme: 'light' | 'dark' | null;
  /** Null: round. */
  corners: 'round' | 'soft' | 'square' | null;
}

export interface LinkPage {
  id: string;
  url: string;
  locale: string;
  merchant: { name: string | null };
  logo: string | null;
  description: string;
  amount: string;
  currency: string;
  /** About what the price is in the visitor's currency: a text to read, while a rate is known. */
  estimate: string | null;
  livemode: boolean;
  /** What the customer is asked for before the payment. */
  askFor: LinkQuestion[];
  /** What the merchant calls the note, which is required then. */
  noteLabel: string | null;
  /** The limits of an amount that the customer enters; `amount` is the suggestion. */
  openAmount: { min: string; max: string } | null;
  /** The visitor's input, and the fields that were refused. */
  typed?: Record<string, string | undefined>;
  refused?: string[];
  /** Single-use: the button posts it, so that a double click opens one session. */
  idempotencyKey: string;
}

export interface RefundPage {
  locale: string;
  /** The address of the page on this service. */
  path: string;
  merchant: Merchant;
  logo: string | null;
  livemode: boolean;
  amount: string;
  currency: string;
  /** What it is for. */
  description: string | null;
  orderId: string | null;
  coinAmount: string;
  asset: string;
  network: string;
  /** `named`: the merchant has not confirmed the address yet. */
  stage: 'ask' | 'named' | 'planned' | 'sent' | 'returned' | 'closed';
  address: string | null;
  txHash: string | null;
  expiresAt: string;
  /** The visitor's input, shown again after an error. */
  typed: string;
  /** The address that was entered, before it is sent. */
  review: string | null;
  error: 'address' | 'recipient' | 'wallet' | 'used' | 'busy' | null;
  /** The wallets that paid, and the text that one of them signs, with `{address}` for its own; null without any. */
  sign: { family: 'evm' | 'solana'; payers: string[]; text: string } | null;
}

export interface NoticePage {
  locale: string;
  kind: 'not_found' | 'link_disabled' | 'busy' | 'unavailable';
  path: string;
  /** The merchant to contact and the page, if known. */
  merchant?: Merchant;
  address?: string;
  /** The id to name in a request for help. */
  requestId: string | null;
}
