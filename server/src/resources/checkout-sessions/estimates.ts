import { type Asset, type AssetSymbol, type Currency, depositTimes, NETWORKS } from '@quittance/contract';
import type { Context } from '../../context.ts';
import { SANDBOX_CONFIRMATIONS } from '../../outside/chains/sandbox/sandbox.ts';
import type { Rate } from '../../outside/prices/prices.ts';
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

type Tools = Pick<Context, 'prices' | 'config' | 'caches'>;
type Sale = Pick<CheckoutSession, 'livemode' | 'amountMinor' | 'currency'>;

/**
 * The approximate cost and duration of an option, for a customer who has not chosen yet. Reserves and orders nothing.
 */
export async function estimateOption(ctx: Tools, sale: Sale, pay: Asset, receive: Asset): Promise<Estimate> {
  const rate = sale.livemode
    ? await rateNow(ctx, pay.asset, sale.currency)
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

const KEPT_MS = 10 * MINUTE_MS;
/** A page does not wait longer than this for a price; the next request has it. */
const ANSWER_TIMEOUT_MS = 500;

/** A price that is at most a minute old, or up to ten minutes while a new one is read in the background. */
async function rateNow({ prices, caches }: Tools, asset: AssetSymbol, currency: Currency): Promise<Rate | null> {
  const none = { rate: null, readAtMs: Number.NEGATIVE_INFINITY };
  const known = caches.estimatedRates.get(`${asset} ${currency}`, async (last) => {
    try {
      return { rate: await prices.rate(asset, currency), readAtMs: performance.now() };
    } catch {
      // Without a price the option is offered without an estimate, and a minute passes before the next question.
      return last ?? none;
    }
  });
  const { rate, readAtMs } = await within(ANSWER_TIMEOUT_MS, known, none);
  return performance.now() - readAtMs < KEPT_MS ? rate : null;
}
