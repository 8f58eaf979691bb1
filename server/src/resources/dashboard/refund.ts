import { findAsset, NETWORKS } from '@quittance/contract';
import type { Context } from '../../context.ts';
import { paymentUri } from '../../outside/chains/payment-uri.ts';
import type { Account } from '../../platform/caller.ts';
import { fail, invariant } from '../../platform/errors.ts';
import { formatUnits, parseUnits } from '../../platform/money.ts';
import type { Payment } from '../payments/payment.ts';
import { findOrders } from '../payments/route-store.ts';
import { findPayment } from '../payments/store.ts';
import { findTransfersOf } from '../payments/transfer-store.ts';
import { validateAddress } from '../payout-wallets/validate-address.ts';
import type { RefundCheckJson, RefundPlanJson } from './endpoints.ts';

/** What a merchant needs to send money back themselves: where it may go, how much came, and a request that wallets read. */
export async function planRefund(ctx: Context, account: Account, id: string, wanted: { to?: string; amount?: string }): Promise<RefundPlanJson> {
  const payment = await ownPayment(ctx, account, id);
  const asset = assetOf(payment);
  const arrived = payment.actualOutputUnits ?? payment.expectedOutputUnits ?? 0n;
  const units = wanted.amount === undefined ? arrived : readUnits(wanted.amount, asset.decimals);
  const verdict = wanted.to ? validateAddress(payment.receiveNetwork, wanted.to) : undefined;
  const settings = ctx.config.networks[payment.receiveNetwork];
  return {
    asset: payment.receiveAsset,
    network: payment.receiveNetwork,
    amount: formatUnits(arrived, asset.decimals),
    suggestions: await suggestions(ctx, payment),
    uri: verdict?.ok && units !== undefined && units > 0n
      ? paymentUri({ asset, to: verdict.address, amountUnits: units, reference: null, label: null, tokens: settings.tokens, chainId: settings.chainId }) : null,
    objection: verdict && !verdict.ok ? verdict.why : units === undefined ? `The amount must be a number with at most ${asset.decimals} decimals.` : null,
  };
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
