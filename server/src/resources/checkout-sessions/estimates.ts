import { type Asset, type AssetSymbol, type Currency, depositTimes, NETWORKS } from '@quittance/contract';
import type { Context } from '../../context.ts';
import { SANDBOX_CONFIRMATIONS } from '../../outside/chains/sandbox/sandbox.ts';
import type { Prices, Rate } from '../../outside/prices/prices.ts';
import { formatUnits } from '../../platform/money.ts';
import { MINUTE_MS, within } from '../../platform/time.ts';
import { requiredUnits } from '../../settlement/records/amounts.ts';
import { finalityRule, worthUsdMinor } from '../../settlement/verification/finality.ts';
import type { CheckoutSession } from './session.ts';

export interface Estimate {
  /** The amount to send at the current price; null while no price is known. */
  amount: string | null;
  /** From sending to paid. */
  seconds: number;
}

type Tools = Pick<Context, 'prices' | 'config'>;
type Sale = Pick<CheckoutSession, 'livemode' | 'amountMinor' | 'currency'>;

/**
 * The approximate cost and duration of an option, for a customer who has not chosen yet. Reserves and orders nothing.
 */
export async function estimateOption(ctx: Tools, sale: Sale, pay: Asset, receive: Asset): Promise<Estimate> {
  const rate = sale.livemode
    ? await rateNow(ctx.prices, pay.asset, sale.currency)
    : ctx.prices.fixedRate(pay.asset, sale.currency);
  return {
    amount: rate && formatUnits(requiredUnits(sale.amountMinor, pay, rate), pay.decimals),
    seconds: roundDuration(
      finalitySeconds(ctx, sale, receive) + (pay.key === receive.key ? 0 : conversionSeconds(pay)),
    ),
  };
}

/** Rounded up to ten seconds, and from one minute on to minutes, because block times vary. */
function roundDuration(seconds: number): number {
  const step = seconds < 60 ? 10 : 60;
  return Math.ceil(seconds / step) * step;
}

/** How long until a transfer to the payout wallet is final. */
function finalitySeconds({ config }: Tools, sale: Sale, receive: Asset): number {
  const network = receive.network as keyof typeof config.networks;
  const override = sale.livemode ? config.networks[network].confirmations : SANDBOX_CONFIRMATIONS;
  const rule = finalityRule(network, worthUsdMinor(sale.amountMinor, sale.currency), override);
  return (rule.type === 'confirmations' ? rule.count : rule.otherwise) * NETWORKS[network].blockSeconds;
}

const CONVERSION_SECONDS = 60;

function conversionSeconds({ network }: Asset): number {
  return depositTimes(network).blocks * NETWORKS[network].blockSeconds + CONVERSION_SECONDS;
}

const FRESH_MS = 1 * MINUTE_MS;
const KEPT_MS = 10 * MINUTE_MS;
/** A page does not wait longer than this for a price; the next request has it. */
const ANSWER_TIMEOUT_MS = 500;

interface CachedRate {
  rate: Rate | null;
  readAt: number;
  /** When the sources were last asked, whether or not they returned a price. */
  askedAt: number;
  reading: Promise<unknown> | null;
}

const kept = new WeakMap<Prices, Map<string, CachedRate>>();

/** A price that is at most a minute old, or up to ten minutes while a new one is read in the background. */
async function rateNow(prices: Prices, asset: AssetSymbol, currency: Currency): Promise<Rate | null> {
  const rates = kept.get(prices) ?? new Map<string, CachedRate>();
  kept.set(prices, rates);
  const pair = `${asset} ${currency}`;
  const never = Number.NEGATIVE_INFINITY;
  const entry: CachedRate = rates.get(pair) ?? { rate: null, readAt: never, askedAt: never, reading: null };
  rates.set(pair, entry);

  const isFirst = entry.askedAt === never;
  if (!entry.reading && performance.now() - entry.askedAt > FRESH_MS) entry.reading = read(entry, prices, pair);
  if (entry.reading && isFirst) await within(ANSWER_TIMEOUT_MS, entry.reading, undefined);
  return performance.now() - entry.readAt < KEPT_MS ? entry.rate : null;
}

function read(entry: CachedRate, prices: Prices, pair: string): Promise<unknown> {
  const [asset, currency] = pair.split(' ') as [AssetSymbol, Currency];
  return prices
    .rate(asset, currency)
    .then(
      (rate) => {
        entry.rate = rate;
        entry.readAt = performance.now();
      },
      // Without a price the option is offered without an estimate.
      () => undefined,
    )
    .finally(() => {
      entry.askedAt = performance.now();
      entry.reading = null;
    });
}
