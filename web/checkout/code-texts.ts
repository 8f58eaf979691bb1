import type { CheckoutPage } from './page-state.ts';

/** The Solana Pay URL where wallets request the transaction; null if they cannot. */
export function transactionRequest({ session: { payment }, links }: CheckoutPage): string | null {
  return payment?.network === 'solana' && payment.kind === 'direct' ? (links.solanaPay ?? null) : null;
}

/** What a QR code of this page may contain. In test mode its own address only: a wallet would send real money. */
export function codeTexts(page: CheckoutPage): string[] {
  const { payment, livemode } = page.session;
  if (!payment) return [];
  if (!livemode) return [page.links.page];
  const request = transactionRequest(page);
  return [payment.address, payment.uri ?? payment.address, ...(request === null ? [] : [request])];
}
