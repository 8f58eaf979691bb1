import type { Asset } from '@quittance/contract';
import type { Context } from '../../context.ts';
import { type ConversionPrices, isPremiumTooHigh, premiumBps } from '../../settlement/records/route-premium.ts';
import { type OrderRequest, type RouteOrder, RouteRefusedError } from '../../outside/routers/router.ts';
import { PermanentError } from '../../platform/errors.ts';
import type { Payment } from '../../settlement/records/payment.ts';
import { isOwnWallet } from '../payout-wallets/store.ts';
import { validateAddress } from '../payout-wallets/validate-address.ts';

/** Checks any provider's order before it is kept or shown. Returns its premium in basis points. */
export async function checkOrder(
  ctx: Pick<Context, 'db' | 'config'>,
  payment: Payment,
  order: RouteOrder,
  { request, prices }: { request: OrderRequest; prices: ConversionPrices },
): Promise<number> {
  if (order.outputUnits !== request.outputUnits || order.refundAddress !== request.refundAddress)
    throw new PermanentError('the order is another one than was asked for');
  await checkDepositAddress(ctx, payment, request, order.depositAddress);
  const bps = premiumBps(
    { pay: request.pay, receive: request.receive, inputUnits: order.inputUnits, outputUnits: order.outputUnits },
    prices,
  );
  if (isPremiumTooHigh(bps, ctx.config.routes))
    throw new RouteRefusedError(`the input is worth ${bps} basis points more than the output`);
  return bps;
}

/**
 * Money sent to a contract is lost. Money sent to the merchant or back to the customer is not converted. A test has no
 * address that money can be sent to.
 */
async function checkDepositAddress(
  ctx: Pick<Context, 'db' | 'config'>,
  payment: Payment,
  { pay, recipient, refundAddress }: OrderRequest,
  address: string,
): Promise<void> {
  const verdict = validateAddress(pay.network, address, tokensOf(ctx, pay));
  if (payment.livemode && !verdict.ok) throw new PermanentError(`the deposit address is not a wallet: ${verdict.why}`);
  if (!payment.livemode && verdict.ok) throw new PermanentError('the deposit address of a test is on a main network');
  if ([recipient, refundAddress].some((other) => other.toLowerCase() === address.toLowerCase()))
    throw new PermanentError('the deposit address is the merchant’s or the customer’s own');
  if (await isOwnWallet(ctx.db, payment.accountId, address))
    throw new PermanentError('the deposit address is another wallet of the merchant');
}

/** The network's token contracts in the settings. */
export function tokensOf(ctx: Pick<Context, 'config'>, asset: Asset): string[] {
  const networks = ctx.config.networks as Record<string, { tokens: Record<string, string> } | undefined>;
  return Object.values(networks[asset.network]?.tokens ?? {});
}
