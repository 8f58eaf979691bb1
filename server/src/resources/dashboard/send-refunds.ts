import { findAsset, MAX_SENT_TOGETHER, NETWORKS } from '@quittance/contract';
import type { RefundWarning, SendingJson } from '@quittance/contract/dashboard';
import type { Context } from '../../context.ts';
import { paymentUri } from '../../outside/chains/payment-uri.ts';
import type { Account } from '../../platform/caller.ts';
import { fail, invariant } from '../../platform/errors.ts';
import { findPayment } from '../../settlement/records/payment-store.ts';
import { presentUnits } from '../../settlement/records/present-payment.ts';
import { lookUpAddress } from '../payout-wallets/look-up-address.ts';
import { validateAddress } from '../payout-wallets/validate-address.ts';
import { ownRefund } from '../refunds/own-refund.ts';
import type { StoredRefund } from '../refunds/refund.ts';
import { findSuggestion, warnOfRefund } from '../refunds/suggestions.ts';
import { failAsUnavailable, suggestionsFor } from './refund.ts';

type Sendable = StoredRefund & { toAddress: string };

/** What a wallet needs to send planned refunds of one network with one signature. Nothing changes by it. */
export async function planSending(
  ctx: Context,
  account: Account,
  { refunds: ids, from: text }: { refunds: readonly string[]; from: string },
): Promise<SendingJson> {
  if (!account.livemode) refuse('In test mode there is nothing to send.');
  const refunds: Sendable[] = [];
  for (const id of new Set(ids)) refunds.push(requireSendable(await ownRefund(ctx.db, account, id)));
  const [first, ...rest] = refunds;
  invariant(first, 'the schema asks for at least one');
  const { network } = first;
  if (rest.some((one) => one.network !== network)) refuse('One signature sends refunds of one network.');
  const { family } = NETWORKS[network];
  const most = MAX_SENT_TOGETHER[family];
  if (refunds.length > most) refuse(`One signature sends at most ${most} refunds on ${NETWORKS[network].name}.`);
  const sender = validateAddress(network, text.trim());
  if (!sender.ok) return fail('invalid_request', { param: 'from', message: sender.why });
  const chain = ctx.chains.get(network);
  if (chain?.buildTransfer) await Promise.all(refunds.map((refund) => requireFit(ctx, account, refund)));
  const transaction = await chain
    ?.buildTransfer?.({ ...transferOf(first), from: sender.address, reference: null, also: rest.map(transferOf) })
    .catch(failAsUnavailable);
  const planned: SendingJson['refunds'] = [];
  for (const refund of refunds)
    planned.push({
      id: refund.id,
      to: refund.toAddress,
      coin_amount: presentUnits(refund.amountUnits, refund.asset, network),
      uri: family === 'evm' ? uriOf(ctx, refund) : null,
      warnings: await warningsOf(ctx, account, refund),
    });
  return { network, refunds: planned, transaction: transaction ?? null };
}

/** The customer's own signature, or the merchant, has confirmed the address of a link. A key may have named any other. */
async function warningsOf(ctx: Context, account: Account, refund: Sendable): Promise<RefundWarning[]> {
  const { link, paymentId, toAddress: to, amountUnits: units, network } = refund;
  const payment = link ? undefined : await findPayment(ctx.db, account, paymentId);
  if (!payment) return [];
  const isEvm = NETWORKS[network].family === 'evm';
  const suggestions = await suggestionsFor(ctx, payment);
  const warnings = warnOfRefund(suggestions, { to, units, isEvm });
  // Also where the service knows no sender: of a conversion, or of a transfer that no transaction explains.
  return warnings.length > 0 || findSuggestion(suggestions, to, isEvm) ? warnings : ['not_a_sender'];
}

function requireSendable(refund: StoredRefund): Sendable {
  const { id, status, toAddress } = refund;
  if (status !== 'planned' || toAddress === null)
    return refuse(`The refund ${id} is ${status}. Only those that are \`planned\` can be sent.`);
  return { ...refund, toAddress };
}

/** The network may not have answered when the refund was planned. What is sent to a token account is lost. */
async function requireFit(ctx: Context, account: Account, { id, network, toAddress }: Sendable): Promise<void> {
  const { unfit } = await lookUpAddress(ctx, account, network, toAddress);
  if (unfit !== null) refuse(`The refund ${id} cannot be sent. ${unfit}`);
}

function refuse(message: string): never {
  return fail('invalid_payment_state', { message });
}

function transferOf({ toAddress: to, asset, amountUnits }: Sendable) {
  return { to, asset, amountUnits };
}

function uriOf({ config }: Context, { toAddress: to, asset, network, amountUnits }: Sendable): string | null {
  const known = findAsset(asset, network);
  invariant(known, 'what a wallet receives is on the Safe List');
  const { tokens, chainId } = config.networks[network];
  return paymentUri({ livemode: true, asset: known, to, amountUnits, reference: null, label: null, tokens, chainId });
}
