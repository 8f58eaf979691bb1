import type { CheckoutPage } from './page-state.ts';

/** The Solana Pay URL where wallets request the transaction; null if they cannot. */
export function transactionRequest({ session: { payment }, links }: CheckoutPage): string | null {
  return payment?.network === 'solana' && payment.kind === 'direct' ? (links.solanaPay ?? null) : null;
}

/** What a QR code of this page may contain. */
export function codeTexts(page: CheckoutPage): string[] {
  const { payment } = page.session;
  if (!payment) return [];
  const request = transactionRequest(page);
  return [payment.address, payment.uri ?? payment.address, ...(request === null ? [] : [request])];
}
