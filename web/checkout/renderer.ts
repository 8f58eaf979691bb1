import type { CheckoutPage } from './page-state.ts';

export type { CheckoutPage, PublicPayment, PublicSession } from './page-state.ts';

/** What the built server bundle offers; `dist/server/render.js` implements it. */
export interface CheckoutRenderer {
  /** The whole HTML document of a checkout page. */
  renderCheckout(page: CheckoutPage, assets: PageAssets): string;
  /** The permanent receipt. */
  renderReceipt(page: CheckoutPage, assets: PageAssets): string;
  /** A payment link's page: a button that opens a session. */
  renderPaymentLink(page: LinkPage, assets: PageAssets): string;
  /** A page for what is not there, or cannot be shown. */
  renderNotice(page: NoticePage, assets: PageAssets): string;
  /** The languages there are catalogs for. */
  locales: readonly string[];
}

/** The built files' addresses, with their hashes. */
export interface PageAssets {
  script: string;
  style: string;
}

export interface LinkPage {
  id: string;
  locale: string;
  merchant: { name: string | null; logo_url: string | null };
  description: string;
  amount: string;
  currency: string;
  livemode: boolean;
  active: boolean;
  /** One use: the button posts it, so that a double click opens one session. */
  idempotencyKey: string;
}

export interface NoticePage {
  locale: string;
  kind: 'not_found' | 'link_disabled' | 'unavailable';
}
