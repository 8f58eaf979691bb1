import { type AnnouncedWallet, watchAnnounced } from '../../wallets/announced.ts';
import { type CheckoutPage, stageOf } from '../page-state.ts';
import type { LivePage } from './live-page.ts';

let found: readonly AnnouncedWallet[] = [];

const PAYING = ['standard:connect', 'solana:signAndSendTransaction'] as const;

export function discoverWallets(page: LivePage): void {
  watchAnnounced(PAYING, (wallets) => {
    found = wallets;
    page.show({ wallets: wallets.map(({ id, name, icon, family }) => ({ id, name, icon, family })) });
  });
}

/** A test never asks a wallet for anything. */
export function findWallet(page: LivePage, id: string): AnnouncedWallet | undefined {
  return page.shown().session.livemode ? found.find((wallet) => wallet.id === id) : undefined;
}

let scanning: AbortController | undefined;

/** A new scan of a code, until its signal says that it is over. */
export function startScan(): AbortSignal {
  scanning = new AbortController();
  return scanning.signal;
}

/** The code is not to be scanned any more: the customer has changed their mind, or it would pay something else. */
export function cancelScan(): void {
  scanning?.abort();
}

/** Whether the page asks for a transfer. */
export function isPayable(page: CheckoutPage): boolean {
  const stage = stageOf(page);
  return !page.tampered && (stage === 'pay' || stage === 'top_up');
}
