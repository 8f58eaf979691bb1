import { findAsset, findPayAsset } from '@quittance/contract';
import type { Context } from '../../context.ts';
import { ApiError, TemporaryError } from '../../platform/errors.ts';
import type { Client } from '../../platform/http/admission/client.ts';
import { formatUnits } from '../../platform/money.ts';
import { isOpenPayment } from '../../settlement/records/payment.ts';
import type { PublicView } from '../checkout-sessions/public-session.ts';
import { previewConversion } from '../quotes/quote.ts';

/**
 * What a coin costs with its conversion, before the customer says where a refund goes. Null while no provider answers,
 * and where nothing is converted.
 */
export async function conversionPrice(
  ctx: Context,
  { session, payment, now }: PublicView,
  { asset, network }: { asset: string; network: string },
  client: Client | null,
): Promise<string | null> {
  const pay = findPayAsset(asset, network);
  const receive = findAsset(session.receiveAsset, session.receiveNetwork);
  if (!pay || !receive || pay.key === receive.key) return null;
  if (!session.acceptedAssets.includes(pay.key) || !isOpenPayment(payment)) return null;
  const { livemode, amountMinor, currency, accountId } = session;
  // A refused preview costs the customer only a more exact estimate.
  const takePreview = () => !livemode || ctx.conversions.previews.take(accountId, client, now).type === 'counted';
  const subject = { pay, receive, recipient: payment.receiveAddress, amountMinor, currency };
  try {
    const units = await previewConversion(ctx, { livemode, realNow: await ctx.db.now(), takePreview }, subject);
    return formatUnits(units, pay.decimals);
  } catch (error) {
    if (error instanceof TemporaryError || error instanceof ApiError) return null;
    throw error;
  }
}
