import type { Context } from '../../context.ts';
import { fail } from '../../platform/errors.ts';
import { placeOf } from '../paymasters/store.ts';
import type { MerchantAccount } from './account.ts';
import { readCustomerAddress } from './update-account.ts';

/**
 * Seals the address of a paymaster, because it contains a key. Only its host can be read again. Refuses an address that no
 * request may leave for, such as this service's own. Every connection is judged again.
 */
export function sealPaymaster(
  { secrets, outbound }: Pick<Context, 'secrets' | 'outbound'>,
  accountId: string,
  url: string | null | undefined,
): MerchantAccount['paymaster'] | undefined {
  if (url === undefined || url === null) return url;
  const objection = outbound.objectionTo(readCustomerAddress(url, 'paymaster_url'));
  if (objection !== null) fail('invalid_request', { param: 'paymaster_url', message: objection });
  const { host } = new URL(url);
  return { host, sealed: secrets.seal(url, placeOf(accountId)) };
}
