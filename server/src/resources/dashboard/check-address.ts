import { findAsset, type Network, NETWORKS, type ReceiveNetwork } from '@quittance/contract';
import type { AddressCheckJson } from '@quittance/contract/dashboard';
import type { Context } from '../../context.ts';
import type { Account } from '../../platform/caller.ts';
import { fail } from '../../platform/errors.ts';
import { lookUpAddress } from '../payout-wallets/look-up-address.ts';
import { findSavers } from '../payout-wallets/store.ts';
import { validateAddress } from '../payout-wallets/validate-address.ts';

/** Validates an address while it is typed, by the rules for saving. */
export async function checkPayoutAddress(
  ctx: Context,
  account: Account,
  typed: { network: string; asset: string; address: string },
): Promise<AddressCheckJson> {
  const asset = findAsset(typed.asset, typed.network);
  if (!asset?.receivable || !(asset.network in NETWORKS)) return fail('invalid_payout_wallet', { param: 'network' });
  const verdict = validateAddress(
    asset.network as Network,
    typed.address.trim(),
    Object.values(ctx.config.networks[asset.network as ReceiveNetwork].tokens),
  );
  if (!verdict.ok) return { valid: false, address: null, why: verdict.why, warnings: [] };
  const [savers, looked] = await Promise.all([
    findSavers(ctx.db, account, verdict.address),
    lookUpAddress(ctx, account, { network: asset.network as ReceiveNetwork, address: verdict.address }),
  ]);
  if (looked.unfit !== null) return { valid: false, address: null, why: looked.unfit, warnings: [] };
  const own = savers.filter((one) => one.accountId === account.id);
  const isSame = (one: { asset: string; network: string }) =>
    one.asset === asset.asset && one.network === asset.network;
  return {
    valid: true,
    address: verdict.address,
    why: null,
    warnings: [
      ...(own.some(isSame) ? ['saved_already' as const] : own.length > 0 ? ['saved_elsewhere' as const] : []),
      // Only reveals that another account has the address, because that decides who owns transfers without a payment.
      ...(savers.some((one) => one.accountId !== account.id) ? ['shared' as const] : []),
      ...looked.warnings,
    ],
  };
}
