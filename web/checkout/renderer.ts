import type { CheckoutPage, Merchant } from './page-state.ts';

export type { CheckoutPage, Merchant, PageLinks, PublicSession, Refusal } from './page-state.ts';

/** What the permanent receipt shows beside the checkout. */
export interface ReceiptOptions {
  url: string;
  paidAt: string | null;
  /** Where the signed receipt is; null while there is none. */
  signedUrl: string | null;
}

/** What the built server bundle offers; `dist/server/render.js` implements it. */
export interface CheckoutRenderer {
  /** The whole HTML document of a checkout page. */
  renderCheckout(page: CheckoutPage, assets: PageAssets): string;
  /** The permanent receipt. */
  renderReceipt(page: CheckoutPage, receipt: ReceiptOptions, assets: PageAssets): string;
  /** A payment link's page: a button that opens a session. */
  renderPaymentLink(page: LinkPage, assets: PageAssets): string;
  /** A page for what is not there, or cannot be shown. */
  renderNotice(page: NoticePage, assets: PageAssets): string;
  /** The stylesheet of a merchant's colours, made readable. */
  renderBrandStyle(brand: Brand): string;
  /** The languages there are catalogs for. */
  locales: readonly string[];
}

/** The built files' addresses, with their hashes. */
export interface PageAssets {
  script: string;
  style: string;
  /** The little script of receipts, which only prints. */
  printScript: string;
  /** What each file must hash to, by its address. */
  integrity?: Record<string, string>;
  /** The stylesheet of the merchant's colours, where they have some. */
  brandStyle?: string | undefined;
  theme?: Brand['theme'];
}

/** How a merchant wants the pages to look; colours as `#RRGGBB`. */
export interface Brand {
  accent: string | null;
  background: string | null;
  /** Null: as the visitor prefers. */
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
  livemode: boolean;
  /** One use: the button posts it, so that a double click opens one session. */
  idempotencyKey: string;
}

export interface NoticePage {
  locale: string;
  kind: 'not_found' | 'link_disabled' | 'busy' | 'unavailable';
  path: string;
  /** Whom to ask, and about which page, where that is known. */
  merchant?: Merchant;
  address?: string;
  /** What to name when asking for help. */
  requestId: string | null;
}
