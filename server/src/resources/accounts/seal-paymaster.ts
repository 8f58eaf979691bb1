import type { Context } from '../../context.ts';
import { fail } from '../../platform/errors.ts';
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

/** Refuses an address that no request may leave for, such as this service's own. Every connection is judged again. */
export async function judgePaymaster(
  { outbound }: Pick<Context, 'outbound'>,
  url: string | null | undefined,
): Promise<void> {
  const objection = url ? await outbound.objectionTo(readWebAddress(url, 'paymaster_url')) : null;
  if (objection !== null) fail('invalid_request', { param: 'paymaster_url', message: objection });
}
