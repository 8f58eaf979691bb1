import { findAsset, NETWORKS } from '@quittance/contract';
import type { Context } from '../../context.ts';
import { paymentUri } from '../../outside/chains/payment-uri.ts';
import type { Account } from '../../platform/caller.ts';
import { fail, invariant } from '../../platform/errors.ts';
import { formatDisplayAmount, formatUnits, parseUnits } from '../../platform/money.ts';
import { displayMinor, leftUnits, surplusLeft } from '../../settlement/records/returned.ts';
import { emptyReporterOf } from '../../settlement/records/contested.ts';
import type { Payment } from '../../settlement/records/payment.ts';
import { findPayment } from '../../settlement/records/payment-store.ts';
import { presentUnits } from '../../settlement/records/present-payment.ts';
import { validateAddress } from '../payout-wallets/validate-address.ts';
import { findOrders, isDeposited } from '../../settlement/records/route-order-store.ts';
import type { RefundCheckJson, RefundPlanJson, RefundTransactionJson } from '@quittance/contract/dashboard';
import { findOwnMoney } from '../refunds/payers.ts';
import { ownRefund } from '../refunds/store.ts';
import type { StoredRefund } from '../refunds/refund.ts';
import { confirmTransfers, MAX_TRANSFERS } from '../outgoing-transfers/look-up.ts';
import { failAsUnavailable } from '../outgoing-transfers/prepare-sending.ts';
import { readTxHash } from '../outgoing-transfers/sent.ts';
import { lookUpAddress } from '../payout-wallets/look-up-address.ts';
import { findSuggestion, type RefundSuggestion, suggestRefunds, warnOfRefund } from '../refunds/suggestions.ts';

/** The maximum of a Solana instruction. */
const MAX_UNITS = 2n ** 64n - 1n;

/**
 * What a merchant needs to send money back: possible recipients, how much arrived, and a payment request for wallets.
 */
export async function planRefund(
  ctx: Context,
  account: Account,
  id: string,
  query: { to?: string; amount?: string; refund?: string },
): Promise<RefundPlanJson> {
  const payment = await ownPayment(ctx, account, id);
  const asset = assetOf(payment);
  const { receiveNetwork: network } = payment;
  const isEvm = NETWORKS[network].family === 'evm';
  // Expected money may never have arrived, so it is not suggested for a refund.
  const arrived = payment.actualOutputUnits ?? 0n;
  const named = query.refund === undefined ? null : await ownRefund(ctx.db, account, query.refund);
  const planned = named?.paymentId === id && named.status === 'planned' ? named : null;
  const wanted = planned ? wantedBy(planned) : query;
  const left = leftUnits(payment) + (planned?.amountUnits ?? 0n);
  const surplus = surplusLeft(payment);
  const suggestions = await suggestionsFor(ctx, payment);
  const settings = ctx.config.networks[network];
  const verdict = wanted.to ? validateAddress(network, wanted.to, Object.values(settings.tokens)) : undefined;
  const to = verdict?.ok ? verdict.address : undefined;
  const suggested = to === undefined ? undefined : findSuggestion(suggestions, to, isEvm)?.units;
  const looked = to === undefined ? undefined : await lookUpAddress(ctx, account, { network, address: to });
  const objection = verdict && !verdict.ok ? verdict.why : (looked?.unfit ?? null);
  const units =
    wanted.amount === undefined
      ? suggested == null || suggested > left
        ? left
        : suggested
      : readUnits(wanted.amount, asset.decimals);
  return {
    asset: payment.receiveAsset,
    network: payment.receiveNetwork,
    amount: formatUnits(arrived, asset.decimals),
    left: formatUnits(left, asset.decimals),
    surplus: surplus > 0n ? formatUnits(surplus, asset.decimals) : null,
    begun: begunOf(payment),
    suggestions: suggestions.map((one) => ({
      address: one.address,
      kind: one.kind,
      amount: one.units === null ? null : formatUnits(one.units, asset.decimals),
      is_small: one.isSmall,
      resembles: one.resembles,
    })),
    uri:
      to !== undefined && objection === null && units !== undefined && units > 0n
        ? paymentUri({
            livemode: account.livemode,
            asset,
            to,
            amountUnits: units,
            reference: null,
            label: null,
            tokens: settings.tokens,
            chainId: settings.chainId,
          })
        : null,
    warnings:
      to === undefined
        ? []
        : [...warnOfRefund(suggestions, { to, units: units ?? 0n, isEvm }), ...(looked?.warnings ?? [])],
    objection:
      objection ??
      (units === undefined
        ? `The amount must be a number with at most ${asset.decimals} decimals.`
        : units > left && arrived > 0n
          ? `The amount must be at most what is left: ${formatUnits(left, asset.decimals)} ${asset.asset}.`
          : null),
  };
}

/** What refunds are to return that have not returned it. */
function begunOf(payment: Payment): string | null {
  const units = payment.refunds.claimedUnits - payment.refunds.returnedUnits;
  return units > 0n ? formatDisplayAmount(displayMinor(payment, units)) : null;
}

function wantedBy({ toAddress, amountUnits, asset, network }: StoredRefund): { to?: string; amount?: string } {
  return { ...(toAddress !== null && { to: toAddress }), amount: presentUnits(amountUnits, asset, network) };
}

/** The refund as an unsigned transaction for the merchant's wallet, on networks where a page cannot build one. */
export async function buildRefund(
  ctx: Context,
  account: Account,
  id: string,
  wanted: { from: string; to: string; amount: string },
): Promise<RefundTransactionJson> {
  const payment = await ownPayment(ctx, account, id);
  const chain = account.livemode ? ctx.chains.get(payment.receiveNetwork) : undefined;
  if (!chain?.buildTransfer)
    return fail('invalid_payment_state', {
      message: 'Refund transactions can only be built for live Solana payments.',
    });

  const asset = assetOf(payment);
  const [from, to] = (['from', 'to'] as const).map((param) => {
    const verdict = validateAddress(
      payment.receiveNetwork,
      wanted[param],
      Object.values(ctx.config.networks[payment.receiveNetwork].tokens),
    );
    return verdict.ok ? verdict.address : fail('invalid_request', { param, message: verdict.why });
  }) as [string, string];
  const { unfit } = await lookUpAddress(ctx, account, { network: payment.receiveNetwork, address: to });
  if (unfit !== null) return fail('invalid_request', { param: 'to', message: unfit });
  const amountUnits = readUnits(wanted.amount, asset.decimals);
  if (!amountUnits || amountUnits > MAX_UNITS)
    return fail('invalid_request', {
      param: 'amount',
      message: `\`amount\` must be greater than zero, with at most ${asset.decimals} decimals.`,
    });
  const request = { from, to, asset: asset.asset, amountUnits, reference: null };
  return { transaction: await chain.buildTransfer(request).catch(failAsUnavailable) };
}

/** Looks for the refund's transaction on the chain. */
export async function checkRefund(
  ctx: Context,
  account: Account,
  id: string,
  sent: { txHash: string; address: string },
): Promise<RefundCheckJson> {
  const payment = await ownPayment(ctx, account, id);
  const verdict = validateAddress(payment.receiveNetwork, sent.address);
  if (!verdict.ok) return fail('invalid_request', { param: 'address', message: verdict.why });
  const txHash = readTxHash(payment.receiveNetwork, sent.txHash, 'invalid_request');
  const chain = ctx.chains.get(payment.receiveNetwork);
  if (!account.livemode || !chain) return { verdict: 'unchecked', transfers: [] };

  const found = await chain.transaction(txHash, { addresses: new Set([verdict.address]) }).catch(failAsUnavailable);
  if (!found) return { verdict: 'unknown', transfers: [] };
  // A merchant who reads that nothing moved sends the refund again, so one provider's word is not enough.
  if (found.reverted)
    return { verdict: emptyReporterOf(chain, found).isConfirmed ? 'reverted' : 'unknown', transfers: [] };
  if (found.transfers.length === 0) return { verdict: 'unknown', transfers: [] };
  // Nor is it enough for "found", after which the merchant records the refund and the customer waits for money.
  const confirmed = await confirmTransfers(chain, found.transfers.slice(0, MAX_TRANSFERS)).catch(failAsUnavailable);
  const transfers = confirmed.map(({ transfer }) => ({
    asset: transfer.asset,
    amount: formatUnits(transfer.amountUnits, findAsset(transfer.asset, transfer.network)?.decimals ?? 0),
    from: transfer.from,
    to: transfer.to,
    from_payout_wallet: transfer.from === payment.receiveAddress,
  }));
  return { verdict: transfers.length > 0 ? 'found' : 'unconfirmed', transfers };
}

async function ownPayment(ctx: Context, account: Account, id: string): Promise<Payment> {
  return (await findPayment(ctx.db, account, id)) ?? fail('not_found', { param: 'id' });
}

export async function suggestionsFor({ db }: Context, payment: Payment): Promise<RefundSuggestion[]> {
  const isEvm = NETWORKS[payment.receiveNetwork].family === 'evm';
  const arrived = payment.actualOutputUnits ?? 0n;
  // Anyone who knows the checkout can have an order made, with an address of their own: without money it says nothing.
  const given = (await findOrders(db, payment.id))
    .filter((order) => NETWORKS[order.payNetwork].family === NETWORKS[payment.receiveNetwork].family)
    .filter(isDeposited)
    .map((order) => order.refundAddress);
  const transfers = await findOwnMoney(db, payment);
  return suggestRefunds({ isRouted: payment.route === 'routed', isEvm, arrivedUnits: arrived, given, transfers });
}

function assetOf(payment: Payment) {
  const asset = findAsset(payment.receiveAsset, payment.receiveNetwork);
  invariant(asset, 'what a wallet receives is on the Safe List');
  return asset;
}

function readUnits(text: string, decimals: number): bigint | undefined {
  const [, fraction = ''] = text.split('.');
  return fraction.length > decimals ? undefined : parseUnits(text, decimals);
}
