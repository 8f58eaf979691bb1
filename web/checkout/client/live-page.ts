import type { CheckoutPage } from '../page-state.ts';

/** The page's current state, and the one way to change it. */
export interface LivePage {
  root: HTMLElement;
  shown(): CheckoutPage;
  show(change: Partial<CheckoutPage>): void;
}
