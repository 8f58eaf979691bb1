import type { CheckoutPage } from '../page-state.ts';

/** The page as it is shown right now, and the one way to change it. */
export interface LivePage {
  root: HTMLElement;
  shown(): CheckoutPage;
  show(change: Partial<CheckoutPage>): void;
}
