import type { CheckoutRenderer, PageAssets, PublicSession } from '@quittance/web/checkout';

/** One state that a customer can see, and how its page is rendered. */
export interface State {
  name: string;
  /** The session for the page's script, if the page has one. */
  session?: PublicSession;
  /** Whether the browser has a wallet. */
  hasWallet?: boolean;
  draw(renderer: CheckoutRenderer, assets: PageAssets, locale: string, url: string): string;
}
