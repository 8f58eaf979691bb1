import { favicon, type FaviconState } from '../favicon.ts';
import { type CheckoutPage, type Stage, stageOf } from '../page-state.ts';

/** Shows the status in the tab's title and icon, for a customer who has switched to their wallet. */
export function showInTab(page: CheckoutPage, title: string, statusTitle: string | null): void {
  document.title = statusTitle ? `${statusTitle} · ${title}` : title;
  document.querySelector('link[rel=icon]')?.setAttribute('href', favicon(STATES[stageOf(page)] ?? 'waiting'));
}

const STATES: Partial<Record<Stage, FaviconState>> = {
  confirming: 'seen',
  converting: 'seen',
  delivering: 'seen',
  paid: 'paid',
  refunded: 'paid',
  top_up: 'trouble',
  closing: 'trouble',
  failed: 'trouble',
  expired: 'trouble',
  refund_required: 'trouble',
};
