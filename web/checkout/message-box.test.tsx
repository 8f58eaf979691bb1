import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { expect, test } from 'vitest';
import { STATES } from '../../e2e/states/states.ts';
import en from './i18n/en.ts';
import { Checkout } from './page.tsx';
import type { CheckoutPage, WalletName, WalletStep } from './page-state.ts';
import * as documents from './render.tsx';
import type { CheckoutRenderer } from './renderer.ts';
import { AfterStage } from './stages/after.tsx';

const WALLETS: WalletName[] = [{ id: 'fern', name: 'Fern Wallet', icon: null, family: 'evm' }];
const ASSETS = { script: '', style: '', servedScript: '', refundScript: '' };
const CHECKOUTS = STATES.filter(({ session }) => session).map(({ name }) => name);

function draw(name: string, more: Partial<CheckoutPage> = {}): string {
  const state = STATES.find((one) => one.name === name);
  const wallets = state?.hasWallet ? WALLETS : [];
  // Without the document, whose state contains every text.
  const renderer: CheckoutRenderer = {
    ...documents,
    renderCheckout: (page) =>
      renderToString(h(Checkout, { page: { ...page, wallets, ...more }, catalog: en, After: AfterStage })),
  };
  return state?.draw(renderer, ASSETS, 'en', 'https://pay.example.com/checkout/cs_x') ?? '';
}

function countBoxes(html: string): number {
  return html.match(/class="([^"]* )?(error|warning|message)[ "]/g)?.length ?? 0;
}

test.each(CHECKOUTS)('the checkout shows at most one message box, and exactly one while it is offline (%s)', (name) => {
  expect(countBoxes(draw(name))).toBeLessThanOrEqual(1);
  expect(countBoxes(draw(name, { offline: true }))).toBe(1);
});

test.each([
  ['pay-routed-dear-refused', en.error_unavailable, '7.3% more than the coins are worth'],
  ['pay-routed-dear-offline', en.offline, '7.3% more than the coins are worth'],
  ['pay-routed-dear-wallet-fails', en.wallet_rejected, '7.3% more than the coins are worth'],
  ['underpaid-refused', en.error_unavailable, 'We received 24.500159 of 49.000317 USDC.'],
  ['underpaid-offline', en.offline, 'We received 24.500159 of 49.000317 USDC.'],
  ['underpaid-wallet-fails', en.wallet_rejected, 'We received 24.500159 of 49.000317 USDC.'],
  ['pay-other-coin-offline', en.offline, en.other_transfer_title],
  ['expired-other-coin-offline', en.offline, en.other_transfer_title],
])('what went wrong is the first paragraph of the box, and its other texts follow (%s)', (name, failure, text) => {
  const html = draw(name);
  expect(html).toContain(`<div class="error message"><p role="alert">${failure}</p>`);
  expect(html.indexOf(text)).toBeGreaterThan(html.indexOf(failure));
});

test('a wallet that fails is reported at every step that it can be asked in, also while the page is offline', () => {
  for (const name of ['choose-wallet-fails', 'refund-address-wallet-fails', 'pay-by-wallet-only-fails'])
    expect(draw(name, { offline: true }), name).toMatch(`${en.wallet_rejected}</p><p role="alert">${en.offline}</p>`);
  // It can be asked again.
  expect(draw('choose-wallet-fails')).toContain('data-do="wallet-choose"');
  expect(draw('expired', { wallet: { step: 'failed', key: 'wallet_rejected', values: {} as never } })).not.toContain(
    en.wallet_rejected,
  );
});

test('that a wallet may have sent is said until its money is seen, also once the time is up', () => {
  const wallet: WalletStep = { step: 'failed', key: 'wallet_unknown', values: {} as never };
  for (const name of ['closing', 'expired']) expect(draw(name, { wallet }), name).toContain(en.wallet_unknown);
  for (const name of ['confirming', 'paid']) expect(draw(name, { wallet }), name).not.toContain(en.wallet_unknown);
});

test('a refusal replaces the failure of a wallet that was before it', () => {
  const html = draw('pay-wallet-fails', { error: { code: 'rate_limited', param: null } });
  expect(html).toContain(en.error_busy);
  expect(html).not.toContain('This account has');
});
