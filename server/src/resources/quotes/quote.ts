import type { Asset, Currency } from '@quittance/contract';
import type { Context } from '../../context.ts';
import type { Rate } from '../../outside/prices/prices.ts';
import {
  conversionPrices,
  type ConversionPrices,
  isPremiumTooHigh,
  premiumBps,
  priceWarning,
} from '../../settlement/records/route-premium.ts';
import { RouteRefusedError, type RoutePreview, type RouteRequest, type Router } from '../../outside/routers/router.ts';
import type { Caller } from '../../platform/caller.ts';
import { fail, PermanentError, TemporaryError } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { later, SECOND_MS } from '../../platform/time.ts';
import { outputFor, requiredUnits } from '../../settlement/records/amounts.ts';
import { feeFor, type Fee } from '../../settlement/records/fee.ts';
import { routersOf } from '../checkout-sessions/routing.ts';
import type { Quote } from './present.ts';
import { insertQuote } from './store.ts';
import { readSubject, type QuoteRequest, type Subject } from './subject.ts';

const QUOTE_SECONDS = 90;
const RETRY_AFTER_SECONDS = 30;

/** Previews a payment: its route, the customer's price, the service fee, and what the wallet would receive. */
export async function quoteRoute(ctx: Context, caller: Caller, request: QuoteRequest): Promise<Quote> {
  const subject = await readSubject(ctx, caller, request);
  const type = subject.pay.key === subject.receive.key ? 'direct' : 'routed';
  const fee = feeFor(subject.amountMinor, type);
  const figures = await work(ctx, caller, subject, fee);

  const expiresInSeconds = Math.max(0, Math.min(QUOTE_SECONDS, secondsLeft(figures.expiresAt, caller)));
  const quote: Quote = {
    id: newId('qt'),
    livemode: caller.livemode,
    type,
    provider: figures.provider,
    pay: subject.pay,
    receive: subject.receive,
    payUnits: figures.payUnits,
    outputUnits: figures.outputUnits,
    fee,
    priceWarning: figures.priceWarning ?? null,
    expiresInSeconds,
    expiresAt: later(caller.now, expiresInSeconds * SECOND_MS),
  };
  await insertQuote(ctx.db, caller, quote);
  return quote;
}

/** What the customer would pay by a conversion now. Nothing is stored, reserved or ordered. */
export async function previewConversion(ctx: Context, mode: Mode, subject: Subject): Promise<bigint> {
  const { livemode } = mode;
  const priceOf: PriceOf = ({ asset }, currency) => ctx.prices[livemode ? 'rate' : 'fixedRate'](asset, currency);
  const fee = feeFor(subject.amountMinor, 'routed');
  const { payUnits } = await figure(ctx, mode, subject, { fee, priceOf, routers: routersOf(ctx, livemode) });
  return payUnits;
}

interface Mode extends Pick<Caller, 'livemode' | 'realNow'> {
  /** Takes a preview of a provider from the caller's share, and says whether there was one. What is known takes none. */
  takePreview?(): boolean;
}

interface Figures {
  provider: string;
  payUnits: bigint;
  outputUnits: bigint;
  /** The premium in percent, if the customer must be warned of it. */
  priceWarning?: number | null;
  /** Set if the provider's offer ends before this quote. */
  expiresAt?: Date;
}

type PriceOf = (asset: Asset, currency: Currency) => Rate | Promise<Rate>;

/** The figures from the sources of the mode; for offline development, from the fixed table. */
async function work(ctx: Context, caller: Caller, subject: Subject, fee: Fee): Promise<Figures> {
  const fixedPrice: PriceOf = ({ asset }, currency) => ctx.prices.fixedRate(asset, currency);
  if (!caller.livemode) return figure(ctx, caller, subject, { fee, priceOf: fixedPrice, routers: [ctx.sandboxRouter] });

  try {
    const priceOf: PriceOf = ({ asset }, currency) => ctx.prices.rate(asset, currency);
    return await figure(ctx, caller, subject, { fee, priceOf, routers: ctx.routers });
  } catch (error) {
    if (!(error instanceof TemporaryError)) throw error;
    if (ctx.config.profile === 'development') return indicate(subject, fee, fixedPrice);
    return fail('service_unavailable', {
      message: 'Route providers and price sources are unavailable. Try again after `Retry-After` seconds.',
      retryAfterSeconds: RETRY_AFTER_SECONDS,
      cause: error,
    });
  }
}

async function figure(
  ctx: Context,
  { livemode, realNow, takePreview = () => true }: Mode,
  { pay, receive, recipient, amountMinor, currency }: Subject,
  { fee, priceOf, routers }: { fee: Fee; priceOf: PriceOf; routers: readonly Router[] },
): Promise<Figures> {
  const price = await priceOf(receive, currency);
  if (pay.key === receive.key) {
    const units = requiredUnits(amountMinor, pay, price);
    return { provider: 'direct', payUnits: units, outputUnits: units };
  }
  const prices = await conversionPrices(ctx.prices, livemode, pay, receive);
  const request = { pay, receive, recipient, outputUnits: outputFor(fee.netMinor, receive, price) };
  const { preview, premium } = await ask(ctx, routers, request, { prices, now: realNow, takePreview });
  const { provider, inputUnits, outputUnits, expiresAt } = preview;
  return {
    provider,
    payUnits: inputUnits,
    outputUnits,
    expiresAt,
    priceWarning: priceWarning(premium, ctx.config.routes),
  };
}

/**
 * The first acceptable preview. Asks the next provider if one is unreachable, wrong or too expensive, or does not have
 * the pair.
 */
async function ask(
  ctx: Context,
  routers: readonly Router[],
  request: RouteRequest,
  { prices, now, takePreview }: { prices: ConversionPrices; now: Date; takePreview(): boolean },
): Promise<{ preview: RoutePreview; premium: number }> {
  let outage: unknown = routers.length === 0 ? new TemporaryError('no route provider is configured') : undefined;
  for (const router of routers) {
    try {
      if (!(await router.supports(request.pay, request.receive))) continue;
      const preview = await previewOf(ctx, router, request, { now, takePreview });
      const premium = premiumBps({ ...request, inputUnits: preview.inputUnits }, prices);
      if (!isPremiumTooHigh(premium, ctx.config.routes)) return { preview, premium };
      ctx.log.warn(
        { provider: router.name, premiumBps: premium },
        'route preview not offered: the price difference is above the limit',
      );
    } catch (error) {
      if (error instanceof RouteRefusedError) continue;
      // An answer to another request is useless.
      if (error instanceof PermanentError)
        ctx.log.error(
          { err: error, provider: router.name, alarm: 'route_answer_refused' },
          'route preview rejected: the response does not match the request',
        );
      else if (!(error instanceof TemporaryError)) throw error;
      outage =
        error instanceof TemporaryError
          ? error
          : new TemporaryError(`the preview of ${router.name} was refused`, { cause: error });
    }
  }
  if (outage) throw outage;
  return fail('invalid_route', {
    param: 'pay_asset',
    message:
      `No provider converts this amount of ${request.pay.asset} on ${request.pay.network} into ` +
      `${request.receive.asset} on ${request.receive.network} at a fair price. Choose a different asset or amount.`,
  });
}

/** An estimate if no provider can be asked: both sides at the prices of the fixed table. */
async function indicate(
  { pay, receive, amountMinor, currency }: Subject,
  fee: Fee,
  fixedPrice: PriceOf,
): Promise<Figures> {
  return {
    provider: 'indicative',
    payUnits: requiredUnits(amountMinor, pay, await fixedPrice(pay, currency)),
    outputUnits: outputFor(fee.netMinor, receive, await fixedPrice(receive, currency)),
  };
}

function secondsLeft(expiresAt: Date | undefined, { realNow }: Caller): number {
  return expiresAt ? Math.floor((expiresAt.getTime() - realNow.getTime()) / SECOND_MS) : QUOTE_SECONDS;
}

/**
 * A provider's preview, requested once in 20 seconds for all concurrent requests. The key contains everything that the
 * provider is sent, so a preview for another wallet is never returned.
 */
function previewOf(
  { caches }: Pick<Context, 'caches'>,
  router: Router,
  request: RouteRequest,
  { now, takePreview }: { now: Date; takePreview(): boolean },
): Promise<RoutePreview> {
  const key = `${router.name} ${request.pay.key} ${request.receive.key} ${request.outputUnits} ${request.recipient}`;
  const find = async () => {
    if (!takePreview()) throw new TemporaryError('the previews of this hour are used up');
    return router.preview(request);
  };
  return caches.routePreviews.get(key, find, now.getTime());
}
