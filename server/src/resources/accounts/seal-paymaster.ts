import type { Context } from '../../context.ts';
import { placeOf } from '../paymasters/store.ts';
import type { MerchantAccount } from './account.ts';
import { readWebAddress } from './update-account.ts';

/** Seals the address of a paymaster, because it contains a key. Only its host can be read again. */
export function sealPaymaster(
  { secrets }: Pick<Context, 'secrets'>,
  accountId: string,
  url: string | null | undefined,
): MerchantAccount['paymaster'] | undefined {
  if (url === undefined || url === null) return url;
  const { host } = new URL(readWebAddress(url, 'paymaster_url'));
  return { host, sealed: secrets.seal(url, placeOf(accountId)) };
}
