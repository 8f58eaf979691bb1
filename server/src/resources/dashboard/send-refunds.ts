import { MAX_SENT_TOGETHER, NETWORKS } from '@quittance/contract';
import type { RefundWarning, SendingJson } from '@quittance/contract/dashboard';
import type { Context } from '../../context.ts';
import type { Account } from '../../platform/caller.ts';
import { fail, invariant } from '../../platform/errors.ts';
import { findPayment } from '../../settlement/records/payment-store.ts';
import { prepareSending, requireLive } from '../outgoing-transfers/prepare-sending.ts';
import { ownRefund } from '../refunds/store.ts';
import type { StoredRefund } from '../refunds/refund.ts';
import { findSuggestion, warnOfRefund } from '../refunds/suggestions.ts';
import { suggestionsFor } from './refund.ts';

/** What a wallet needs to send planned refunds of one network with one signature. Nothing changes by it. */
export async function planSending(
  ctx: Context,
  account: Account,
  { refunds: ids, from }: { refunds: readonly string[]; from: string },
): Promise<SendingJson> {
  requireLive(account);
  const refunds: StoredRefund[] = [];
  for (const id of new Set(ids)) refunds.push(await ownRefund(ctx.db, account, id));
  const [first] = refunds;
  invariant(first, 'the schema asks for at least one');
  const { name, family } = NETWORKS[first.network];
  const most = MAX_SENT_TOGETHER[family];
  if (refunds.length > most)
    fail('invalid_payment_state', { message: `One signature sends at most ${most} refunds on ${name}.` });
  const { network, transfers, transactions } = await prepareSending(ctx, account, refunds, from);
  const planned: SendingJson['refunds'] = [];
  for (const [place, transfer] of transfers.entries())
    planned.push({ ...transfer, warnings: await warningsOf(ctx, account, refunds[place] as StoredRefund) });
  return { network, refunds: planned, transaction: transactions[0] ?? null };
}

/** The customer's own signature, or the merchant, has confirmed the address of a link. A key may have named any other. */
async function warningsOf(ctx: Context, account: Account, refund: StoredRefund): Promise<RefundWarning[]> {
  const { link, paymentId, toAddress: to, amountUnits: units, network } = refund;
  const payment = link || to === null ? undefined : await findPayment(ctx.db, account, paymentId);
  if (!payment || to === null) return [];
  const isEvm = NETWORKS[network].family === 'evm';
  const suggestions = await suggestionsFor(ctx, payment);
  const warnings = warnOfRefund(suggestions, { to, units, isEvm });
  // Also where the service knows no sender: of a conversion, or of a transfer that no transaction explains.
  return warnings.length > 0 || findSuggestion(suggestions, to, isEvm) ? warnings : ['not_a_sender'];
}
