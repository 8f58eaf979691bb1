import { findAsset, NETWORKS } from '@quittance/contract';
import type { Context } from '../../context.ts';
import { paymentUri } from '../../outside/chains/payment-uri.ts';
import type { Account } from '../../platform/caller.ts';
import { fail, invariant, TemporaryFailure } from '../../platform/errors.ts';
import { formatUnits, parseUnits } from '../../platform/money.ts';
import type { Payment } from '../../settlement/records/payment.ts';
import { findPayment } from '../../settlement/records/payment-store.ts';
import { validateAddress } from '../payout-wallets/validate-address.ts';
import { findOrders } from '../../settlement/records/route-order-store.ts';
import { findTransfersOf } from '../../settlement/records/transfer-store.ts';
import type { RefundCheckJson, RefundPlanJson, RefundTransactionJson } from './endpoints.ts';
import { lookUpAddress } from './look-up-address.ts';

const RETRY_AFTER_SECONDS = 10;
/** More does not fit into an instruction of Solana's. */
const UNITS_MOST = 2n ** 64n - 1n;

/** What a merchant needs to send money back themselves: where it may go, how much came, and a request that wallets read. */
export async function planRefund(ctx: Context, account: Account, id: string, wanted: { to?: string; amount?: string }): Promise<RefundPlanJson> {
  const payment = await ownPayment(ctx, account, id);
  const asset = assetOf(payment);
  // What was expected may never have come: nobody should be asked to send that back.
  const arrived = payment.actualOutputUnits ?? 0n;
  const units = wanted.amount === undefined ? arrived : readUnits(wanted.amount, asset.decimals);
  const settings = ctx.config.networks[payment.receiveNetwork];
  const verdict = wanted.to ? validateAddress(payment.receiveNetwork, wanted.to, Object.values(settings.tokens)) : undefined;
  return {
    asset: payment.receiveAsset,
    network: payment.receiveNetwork,
    amount: formatUnits(arrived, asset.decimals),
    suggestions: await suggestions(ctx, payment),
    uri: verdict?.ok && units !== undefined && units > 0n
      ? paymentUri({ asset, to: verdict.address, amountUnits: units, reference: null, label: null, tokens: settings.tokens, chainId: settings.chainId }) : null,
    warnings: verdict?.ok ? await lookUpAddress(ctx, account, payment.receiveNetwork, verdict.address) : [],
    objection: verdict && !verdict.ok ? verdict.why : units === undefined ? `The amount must be a number with at most ${asset.decimals} decimals.` : null,
  };
}

/** The refund as a transaction that the merchant's wallet only has to sign, on networks where a page cannot make one by itself. */
export async function buildRefund(ctx: Context, account: Account, id: string, wanted: { from: string; to: string; amount: string }): Promise<RefundTransactionJson> {
  const payment = await ownPayment(ctx, account, id);
  const chain = account.livemode ? ctx.chains.get(payment.receiveNetwork) : undefined;
  if (!chain?.buildTransfer) return fail('invalid_payment_state', { message: 'Only refunds of live payments on Solana are built here. Wallets of other networks make their own.' });

  const asset = assetOf(payment);
  const [from, to] = (['from', 'to'] as const).map((param) => {
    const verdict = validateAddress(payment.receiveNetwork, wanted[param], Object.values(ctx.config.networks[payment.receiveNetwork].tokens));
    return verdict.ok ? verdict.address : fail('invalid_request', { param, message: verdict.why });
  }) as [string, string];
  const amountUnits = readUnits(wanted.amount, asset.decimals);
  if (!amountUnits || amountUnits > UNITS_MOST) return fail('invalid_request', { param: 'amount', message: `The amount must be a number above zero with at most ${asset.decimals} decimals.` });
  try {
    return { transaction: await chain.buildTransfer({ from, to, asset: asset.asset, amountUnits, reference: null }) };
  } catch (error) {
    if (!(error instanceof TemporaryFailure)) throw error;
    return fail('service_unavailable', { message: 'The network cannot be reached right now. Try again after `Retry-After` seconds.', retryAfterSeconds: RETRY_AFTER_SECONDS, cause: error });
  }
}

/** Looks on the chain for the transaction that gave the money back. */
export async function checkRefund(ctx: Context, account: Account, id: string, sent: { txHash: string; address: string }): Promise<RefundCheckJson> {
  const payment = await ownPayment(ctx, account, id);
  const verdict = validateAddress(payment.receiveNetwork, sent.address);
  if (!verdict.ok) return fail('invalid_request', { param: 'address', message: verdict.why });
  const txHash = readHash(payment, sent.txHash);
  const chain = ctx.chains.get(payment.receiveNetwork);
  if (!account.livemode || !chain) return { verdict: 'unchecked', transfers: [] };

  const found = await chain.transaction(txHash, { addresses: new Set([verdict.address]) });
  if (!found) return { verdict: 'unknown', transfers: [] };
  if (found.reverted) return { verdict: 'reverted', transfers: [] };
  const transfers = found.transfers.map((transfer) => ({
    asset: transfer.asset,
    amount: formatUnits(transfer.amountUnits, findAsset(transfer.asset, transfer.network)?.decimals ?? 0),
    from: transfer.from,
    to: transfer.to,
    from_payout_wallet: transfer.from === payment.receiveAddress,
  }));
  return { verdict: transfers.length > 0 ? 'found' : 'unknown', transfers };
}

async function ownPayment(ctx: Context, account: Account, id: string): Promise<Payment> {
  return (await findPayment(ctx.db, account, id)) ?? fail('not_found', { param: 'id' });
}

/** The address that the customer gave for this, and those that the money came from, where they are on the network it came to. */
async function suggestions({ db }: Context, payment: Payment): Promise<RefundPlanJson['suggestions']> {
  const given = (await findOrders(db, payment.id))
    .filter((order) => NETWORKS[order.payNetwork].family === NETWORKS[payment.receiveNetwork].family).map((order) => order.refundAddress);
  const senders = payment.route === 'routed' ? [] : (await findTransfersOf(db, [payment.id])).flatMap((transfer) => transfer.from ?? []);
  return [
    ...[...new Set(given)].map((address) => ({ address, kind: 'given' as const })),
    ...[...new Set(senders)].filter((address) => !given.includes(address)).map((address) => ({ address, kind: 'sender' as const })),
  ];
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

function readHash(payment: Payment, text: string): string {
  const isSolana = payment.receiveNetwork === 'solana';
  const isRight = isSolana ? /^[1-9A-HJ-NP-Za-km-z]{64,90}$/.test(text) : /^0x[0-9a-fA-F]{64}$/.test(text);
  if (!isRight) fail('invalid_request', { param: 'tx_hash', message: isSolana ? 'A Solana transaction is 64 to 90 base58 characters.' : 'A transaction hash is 0x and 64 hex digits.' });
  return isSolana ? text : text.toLowerCase();
}
