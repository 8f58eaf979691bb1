import type { DisplayCurrency, Prices } from '../../outside/prices/prices.ts';
import { formatUnits, parseUnits } from '../../platform/money.ts';

/** A price as the page shows it. */
interface ShownPrice {
  amount: string;
  currency: string;
  livemode: boolean;
}

/** Whose currency it is, and how the page writes numbers. */
interface Reader {
  currency: DisplayCurrency | undefined;
  locale: string;
}

const DECIMALS = 18;

/**
 * About what a price is in the visitor's currency, as a text: `£39.20`. It is only read: what is charged comes from a
 * `Rate`, which this never makes. Null where nothing is known, and where nothing would be said.
 */
export async function estimate(prices: Prices, price: ShownPrice, reader: Reader): Promise<string | null> {
  if (!reader.currency || reader.currency === price.currency) return null;
  const perDollar = (currency: DisplayCurrency) =>
    price.livemode ? prices.perDollar(currency) : prices.fixedPerDollar(currency);
  const [from, to] = await Promise.all([perDollar(price.currency as DisplayCurrency), perDollar(reader.currency)]);
  if (!from || !to) return null;
  const about = formatUnits((parseUnits(price.amount, DECIMALS) * to) / from, DECIMALS);
  const text = new Intl.NumberFormat(reader.locale, {
    style: 'currency',
    currency: reader.currency,
    numberingSystem: 'latn',
    // Cents of thousands would claim more than an estimate knows.
    ...(/^\d{4}/.test(about) && { maximumFractionDigits: 0 }),
  }).format(about as unknown as number);
  return /[1-9]/.test(text) ? text : null;
}
