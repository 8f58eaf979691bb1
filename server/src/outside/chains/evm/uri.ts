import { getAddress } from 'viem';

/**
 * The EIP-681 URI of a payment for a QR code: the token's `transfer` with its arguments, or a native amount. It cannot
 * contain a reference; the exact amount identifies the payment.
 */
export function paymentUri(payment: {
  chainId: number;
  token: string | null;
  to: string;
  amountUnits: bigint;
}): string {
  const to = getAddress(payment.to);
  return payment.token === null
    ? `ethereum:${to}@${payment.chainId}?value=${payment.amountUnits}`
    : `ethereum:${getAddress(payment.token)}@${payment.chainId}/transfer?address=${to}&uint256=${payment.amountUnits}`;
}
