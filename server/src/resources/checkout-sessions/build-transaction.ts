import {
  type BodyOf,
  type endpoints,
  findAsset,
  type ReceiveNetwork,
  type UnsignedTransactionJson,
} from '@quittance/contract';
import type { Context } from '../../context.ts';
import { fail, invariant } from '../../platform/errors.ts';
import { parseUnits } from '../../platform/money.ts';
import { recordWalletInteraction } from '../../settlement/records/reserved-amount-store.ts';
import { presentReference } from '../../settlement/records/present-payment.ts';
import { validateAddress } from '../payout-wallets/validate-address.ts';
import { assertOpen } from './choice.ts';
import { findPublicView, presentPublicSession } from './public-session.ts';

export type TransactionRequest = BodyOf<typeof endpoints.buildPublicTransaction>;

const RETRY_AFTER_SECONDS = 10;

/** An unsigned transaction for a connected wallet: pays the amount due and carries the reference. */
export async function buildTransaction(
  ctx: Context,
  sessionId: string,
  { sender }: TransactionRequest,
): Promise<UnsignedTransactionJson> {
  const view = await findPublicView(ctx, sessionId);
  assertOpen(view.payment, view.now);
  const { payment } = await presentPublicSession(ctx, view);
  if (!payment)
    return fail('invalid_payment_state', { message: 'No payment option was chosen yet. Choose one first.' });
  const asset = findAsset(payment.asset, payment.network);
  invariant(asset, `${payment.asset} on ${payment.network} is on the Safe List`);
  const chain = view.session.livemode ? ctx.chains.get(asset.network as ReceiveNetwork) : undefined;
  if (!chain?.buildTransfer)
    return fail('invalid_payment_state', {
      message: 'Transactions can only be built for live Solana payments.',
    });

  const verdict = validateAddress(asset.network, sender);
  if (!verdict.ok) return fail('invalid_request', { param: 'sender', message: verdict.why });
  const amountUnits = parseUnits(payment.amount_due, asset.decimals);
  if (amountUnits === 0n) return fail('invalid_payment_state', { message: 'The full amount was already sent.' });
  await recordWalletInteraction(ctx.db, view.payment.id, view.now);
  try {
    return {
      transaction: await chain.buildTransfer({
        from: verdict.address,
        to: payment.address,
        asset: asset.asset,
        amountUnits,
        reference: presentReference(view.payment.reference),
      }),
    };
  } catch (error) {
    return fail('service_unavailable', {
      message: 'The network is unavailable. Try again after `Retry-After` seconds.',
      retryAfterSeconds: RETRY_AFTER_SECONDS,
      cause: error,
    });
  }
}
