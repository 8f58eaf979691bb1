import { getAddress } from 'viem';
import { memoBytes } from '../pure/memo.ts';

/**
 * The EIP-681 URI of a payment for a QR code: the token's `transfer` with its arguments, or a native amount. Only a memo
 * can contain a reference; otherwise the exact amount identifies the payment.
 */
export function paymentUri(payment: {
  chainId: number;
  token: string | null;
  to: string;
  amountUnits: bigint;
  /** For a token whose transfers take one. */
  memo?: string | null;
}): string {
  const to = getAddress(payment.to);
  if (payment.token === null) return `ethereum:${to}@${payment.chainId}?value=${payment.amountUnits}`;
  const [call, memo] = payment.memo ? ['transferWithMemo', `&bytes32=${memoBytes(payment.memo)}`] : ['transfer', ''];
  const token = getAddress(payment.token);
  return `ethereum:${token}@${payment.chainId}/${call}?address=${to}&uint256=${payment.amountUnits}${memo}`;
}
