import {
  findAsset,
  findPayAsset,
  NETWORK_SLUGS,
  PAY_ASSETS,
  type Asset,
  type Currency,
  type endpoints,
  type QueryOf,
} from '@quittance/contract';
import type { Context } from '../../context.ts';
import type { Caller } from '../../platform/caller.ts';
import { fail, invariant } from '../../platform/errors.ts';
import { parseDisplayAmount } from '../../platform/money.ts';
import { findSession } from '../checkout-sessions/store.ts';
import { settlingWallet } from '../payout-wallets/store.ts';

export type QuoteRequest = QueryOf<typeof endpoints.getRouteQuote>;

/** The subject of a quote: an amount, the asset to pay and the asset to receive. */
export interface Subject {
  pay: Asset;
  receive: Asset;
  /** The saved wallet's address: the only recipient that a provider is ever sent. */
  recipient: string;
  amountMinor: bigint;
  currency: Currency;
}

/** Reads a request in either form: for a session, or for a wallet and an amount. */
export async function readSubject(ctx: Context, caller: Caller, request: QuoteRequest): Promise<Subject> {
  const pay = readPayAsset(request.pay_asset, request.pay_network);
  return request.session === undefined
    ? ofWallet(ctx, caller, pay, request)
    : ofSession(ctx, caller, pay, request.session);
}

async function ofSession(ctx: Context, caller: Caller, pay: Asset, id: string): Promise<Subject> {
  const found = await findSession(ctx.db, caller, id);
  if (!found)
    fail('invalid_route', {
      param: 'session',
      message: '`session` must be the ID of a checkout session of this account and mode.',
    });
  const { session } = found;
  if (!session.acceptedAssets.includes(pay.key)) {
    fail('invalid_route', {
      param: 'pay_asset',
      message: `This session does not accept ${pay.asset} on ${pay.network}. It accepts ${session.acceptedAssets.join(', ')}.`,
    });
  }
  return {
    pay,
    receive: receiveAsset(session.receiveAsset, session.receiveNetwork, 'session'),
    recipient: session.receiveAddress,
    amountMinor: session.amountMinor,
    currency: session.currency,
  };
}

async function ofWallet(ctx: Context, caller: Caller, pay: Asset, request: QuoteRequest): Promise<Subject> {
  const { payout_wallet_id: walletId, amount, currency } = request;
  if (walletId === undefined)
    fail('invalid_route', {
      param: 'payout_wallet_id',
      message: 'Send `session`, or `payout_wallet_id` and `amount`.',
    });
  if (amount === undefined)
    fail('invalid_route', { param: 'amount', message: '`amount` is required with `payout_wallet_id`.' });
  const amountMinor = parseDisplayAmount(amount);
  invariant(amountMinor !== undefined, 'the schema lets only display amounts through');

  const wallet = await settlingWallet(ctx.db, caller, walletId, 'invalid_route');
  return {
    pay,
    receive: receiveAsset(wallet.asset, wallet.network, 'payout_wallet_id'),
    recipient: wallet.address,
    amountMinor,
    currency: currency ?? 'USD',
  };
}

/** The Safe List entry. Otherwise names the wrong parameter: an unknown network or asset, or the pair. */
function readPayAsset(symbol: string, network: string): Asset {
  const pay = findPayAsset(symbol, network);
  if (pay) return pay;

  const isNetwork = (NETWORK_SLUGS as string[]).includes(network.toLowerCase());
  if (!isNetwork)
    fail('invalid_route', {
      param: 'pay_network',
      message: `\`pay_network\` must be one of ${NETWORK_SLUGS.join(', ')}.`,
    });
  const offered = PAY_ASSETS.filter((entry) => entry.network === network.toLowerCase()).map((entry) => entry.asset);
  return fail('invalid_route', {
    param: 'pay_asset',
    message: `On ${network.toLowerCase()}, \`pay_asset\` must be one of ${offered.join(', ')}.`,
  });
}

function receiveAsset(symbol: string, network: string, param: string): Asset {
  const asset = findAsset(symbol, network);
  if (asset?.receivable) return asset;
  return fail('invalid_route', { param, message: `This server no longer offers ${symbol} on ${network}.` });
}
