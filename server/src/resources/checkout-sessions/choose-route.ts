import type { Asset } from '@quittance/contract';
import type { Client } from '../../platform/http/admission/client.ts';
import type { Context } from '../../context.ts';
import { type ConversionPrices, conversionPrices } from '../../settlement/records/route-premium.ts';
import { type OrderRequest, RouteRefusedError, type RouteOrder, type Router } from '../../outside/routers/router.ts';
import type { Transaction } from '../../platform/db/db.ts';
import { fail, PermanentError, TemporaryError } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { later, MINUTE_MS, SECOND_MS } from '../../platform/time.ts';
import type { Payment } from '../../settlement/records/payment.ts';
import { receiveAssetOf } from '../../settlement/outcome/assessed-payment.ts';
import { freeAmount } from '../../settlement/records/reserved-amount-store.ts';
import { insertTarget } from '../../settlement/records/target-store.ts';
import { feeFor } from '../../settlement/records/fee.ts';
import { outputFor, peggedRate } from '../../settlement/records/amounts.ts';
import { routeDeadline, routeLockMs } from '../../settlement/records/price-lock.ts';
import { routedChoice } from '../../settlement/outcome/route-payout.ts';
import {
  countLiveOrders,
  findOrders,
  insertOrder,
  type StoredOrder,
} from '../../settlement/records/route-order-store.ts';
import { holdForChoice, saveChoice } from './choice.ts';
import { priceOf } from './choose-direct.ts';
import { checkOrder } from './order-checks.ts';
import type { PublicView } from './public-session.ts';
import { reserveAmount } from './reserve-amount.ts';
import { routersOf } from './routing.ts';

/** Live orders of a checkout. */
export const MAX_ORDERS = 10;
/** A provider responds within this time. An output reserved earlier without an order belongs to a process that died. */
const MAX_ASKING_MS = 2 * MINUTE_MS;
const RETRY_AFTER_SECONDS = 30;

/**
 * The customer pays another asset, to a provider's deposit address that is bound to the merchant's wallet. The expected
 * output has an amount suffix, so that no payout can be taken for another order's.
 */
export async function chooseRoute(
  ctx: Context,
  view: PublicView,
  { pay, refundAddress, client }: { pay: Asset; refundAddress: string; client: Client | null },
): Promise<void> {
  const { payment, now } = view;
  if (await isCurrent(ctx, view, pay, refundAddress)) return;
  const routers = routersOf(ctx, payment.livemode);
  if (routers.length === 0) unavailable(pay);

  const receive = receiveAssetOf(payment);
  const fee = feeFor(payment.amountMinor, 'routed');
  const requiredUnits = outputFor(fee.netMinor, receive, await priceOf(ctx, payment));
  if (requiredUnits < 1n)
    fail('invalid_route', { param: 'pay_asset', message: 'This amount is too small to convert.' });
  const prices = await pricesFor(ctx, payment, pay, receive);
  if (payment.livemode) countConversion(ctx, payment, client, now);
  const place = {
    livemode: payment.livemode,
    network: receive.network,
    address: payment.receiveAddress,
    asset: receive.asset,
  };
  const outputUnits = await ctx.db.transaction(async (db) => {
    await holdForChoice(ctx, db, view, pay);
    await requireFreeOrder(db, payment, now);
    const reserved = await reserveAmount(ctx, db, view, {
      asset: receive,
      required: requiredUnits,
      amountMinor: fee.netMinor,
      purpose: 'route_output',
      client,
    });
    return reserved.type === 'reserved' ? reserved.amountUnits : reserved.refuse();
  });

  const id = newId('ro');
  const request = {
    pay,
    receive,
    outputUnits,
    recipient: payment.receiveAddress,
    refundAddress,
    deadline: routeDeadline({ isPegged: isPegged(payment), expiresAt: payment.expiresAt }, pay.network, now),
    reference: id,
  };
  try {
    await orderFromFirst(ctx, view, routers, { request, prices, requiredUnits, serviceFeeMinor: fee.feeMinor });
  } catch (error) {
    await freeAmount(ctx.db, place, outputUnits, payment.id);
    throw error;
  }
}

function countConversion(ctx: Context, { accountId }: Payment, client: Client | null, now: Date): void {
  const verdict = ctx.conversions.orders.take(accountId, client, now);
  if (verdict.type === 'counted') return;
  const { whose, used, freeAt } = verdict;
  const whoAsked =
    whose === 'client'
      ? `This client address has asked for ${used} conversions of this merchant`
      : `Checkouts of this merchant have asked for ${used} conversions`;
  fail('rate_limited', {
    param: 'pay_asset',
    message:
      `${whoAsked} within an hour, which is the limit. It is free at ${freeAt.toISOString()}. Pay the ` +
      `asset that the merchant receives, or try again after \`Retry-After\` seconds.`,
    retryAfterSeconds: Math.max(1, Math.ceil((freeAt.getTime() - now.getTime()) / SECOND_MS)),
  });
}

/** Counted while the payment is locked, including requests that wait for a provider right now. */
async function requireFreeOrder(db: Transaction, payment: Payment, now: Date): Promise<void> {
  if ((await countLiveOrders(db, payment.id, now, later(now, -MAX_ASKING_MS))) < MAX_ORDERS) return;
  fail('invalid_payment_state', {
    message: `This checkout reached its limit of ${MAX_ORDERS} conversion quotes. Pay one of them, or start a new checkout.`,
  });
}

/** Without prices of both sides no provider's price can be judged, so none is asked. */
async function pricesFor(ctx: Context, payment: Payment, pay: Asset, receive: Asset): Promise<ConversionPrices> {
  try {
    return await conversionPrices(ctx.prices, payment.livemode, pay, receive);
  } catch (error) {
    if (!(error instanceof TemporaryError)) throw error;
    return unavailable(pay, error);
  }
}

/** The same request twice must not order twice. */
async function isCurrent(
  ctx: Context,
  { payment, now }: PublicView,
  pay: Asset,
  refundAddress: string,
): Promise<boolean> {
  if (payment.payAsset !== pay.asset || payment.payNetwork !== pay.network) return false;
  const newest = (await findOrders(ctx.db, payment.id)).at(-1);
  return (
    newest !== undefined &&
    newest.payAsset === pay.asset &&
    newest.payNetwork === pay.network &&
    newest.refundAddress === refundAddress &&
    ['waiting', 'seen', 'short'].includes(newest.state) &&
    now < newest.deadline &&
    now < newest.lockedUntil
  );
}

/** What is asked of the providers, and what their orders are judged by. */
interface RouteTerms {
  request: OrderRequest;
  prices: ConversionPrices;
  requiredUnits: bigint;
  serviceFeeMinor: bigint;
}

/**
 * Keeps the order of the first provider with an acceptable answer. Asks the next one if a provider is unreachable,
 * wrong or too expensive, or does not have the pair.
 */
async function orderFromFirst(
  ctx: Context,
  view: PublicView,
  routers: readonly Router[],
  terms: RouteTerms,
): Promise<void> {
  const { request } = terms;
  const { pay, receive } = request;
  let outage: unknown;
  for (const router of routers) {
    try {
      if (!(await router.supports(pay, receive))) continue;
      const order = await router.order(request);
      const premium = await checkOrder(ctx, view.payment, order, terms);
      return await saveRoute(ctx, view, pay, toStored(order, view, terms, premium));
    } catch (error) {
      const isWrong = error instanceof PermanentError;
      if (isWrong || error instanceof TemporaryError) outage = error;
      else if (!(error instanceof RouteRefusedError)) throw error;
      ctx.log[isWrong ? 'error' : 'warn'](
        { err: error, provider: router.name, ...(isWrong && { alarm: 'route_answer_refused' }) },
        'route order rejected',
      );
    }
  }
  if (outage) unavailable(pay, outage);
  fail('invalid_route', {
    param: 'pay_asset',
    message: `No provider converts this amount of ${pay.asset} on ${pay.network} at a fair price right now. Choose a different asset.`,
  });
}

async function saveRoute(ctx: Context, view: PublicView, pay: Asset, order: StoredOrder): Promise<void> {
  const realNow = await ctx.db.now();
  await ctx.db.transaction(async (db) => {
    const { payment } = await holdForChoice(ctx, db, view, pay);
    await insertTarget(db, {
      id: order.targetId,
      paymentId: payment.id,
      livemode: payment.livemode,
      kind: 'routed',
      asset: pay.asset,
      network: pay.network,
      address: order.depositAddress,
      amountUnits: order.inputUnits,
      requiredUnits: order.minimumInputUnits < order.inputUnits ? order.minimumInputUnits : order.inputUnits,
      rate: null,
      lockedUntil: order.lockedUntil,
      refundAddress: order.refundAddress,
      sender: null,
      takesTag: false,
      createdAt: view.now,
    });
    if (!(await insertOrder(db, order)))
      throw new PermanentError('the deposit address or the identifier is another order’s');
    await saveChoice({ ctx, db, at: { created: view.now, recorded: realNow } }, payment, routedChoice(order));
    db.afterCommit(() => ctx.db.notify('routes'));
  });
}

function toStored(
  order: RouteOrder,
  { payment, now }: PublicView,
  { request: { pay, reference }, requiredUnits, serviceFeeMinor }: RouteTerms,
  premium: number,
): StoredOrder {
  const lockEnd = later(now, routeLockMs(isPegged(payment)));
  return {
    id: reference,
    targetId: newId('tgt'),
    paymentId: payment.id,
    livemode: payment.livemode,
    provider: order.provider,
    reference: order.reference,
    depositAddress: order.depositAddress,
    refundAddress: order.refundAddress,
    inputUnits: order.inputUnits,
    minimumInputUnits: order.minimumInputUnits,
    outputUnits: order.outputUnits,
    requiredUnits,
    serviceFeeMinor,
    deadline: order.deadline,
    raw: order.raw,
    state: 'waiting',
    reason: null,
    depositedUnits: null,
    depositedAt: null,
    convertingAt: null,
    payoutTxHashes: [],
    polledAt: null,
    hintedAt: null,
    doneAt: null,
    // The sandbox is asked whenever a test acts; only live providers are asked on a schedule.
    dueAt: payment.livemode ? now : null,
    createdAt: now,
    premiumBps: premium,
    payAsset: pay.asset,
    payNetwork: pay.network,
    lockedUntil: order.deadline < lockEnd ? order.deadline : lockEnd,
  };
}

function isPegged({ receiveAsset, currency }: Payment): boolean {
  return peggedRate(receiveAsset, currency) !== undefined;
}

function unavailable(pay: Asset, cause?: unknown): never {
  return fail('service_unavailable', {
    message:
      `${pay.asset} on ${pay.network} cannot be converted right now. Choose a different asset, or try ` +
      `again after \`Retry-After\` seconds.`,
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    cause,
  });
}
