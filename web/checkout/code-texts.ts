import type { CheckoutPage } from './page-state.ts';

/** The Solana Pay address by which wallets ask the service for the transaction; null where they cannot. */
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
