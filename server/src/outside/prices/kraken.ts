import { TemporaryError } from '../../platform/errors.ts';
import { formatUnits, parseUnits } from '../../platform/money.ts';
import { getJson } from '../http/json.ts';
import type { DisplayCurrency } from './prices.ts';
import { type MarketSource, member, type PricedSymbol, plainPrice } from './source.ts';

// The response names pairs differently than the request, so both names are accepted.
type Pair = readonly [asked: string, ...also: string[]];

const PAIRS: Record<PricedSymbol, Pair> = {
  ETH: ['ETHUSD', 'XETHZUSD'],
  SOL: ['SOLUSD'],
  USDC: ['USDCUSD'],
  USDT: ['USDTUSD', 'USDTZUSD'],
  EUR: ['EURUSD', 'ZEURZUSD'],
  BTC: ['XBTUSD', 'XXBTZUSD'],
  BNB: ['BNBUSD'],
  POL: ['POLUSD'],
  AVAX: ['AVAXUSD'],
  TRX: ['TRXUSD'],
};

const CURRENCY_PAIRS: Partial<Record<DisplayCurrency, Pair>> = {
  EUR: PAIRS.EUR,
  GBP: ['GBPUSD', 'ZGBPZUSD'],
  AUD: ['AUDUSD', 'ZAUDZUSD'],
  CAD: ['USDCAD', 'ZUSDZCAD'],
  CHF: ['USDCHF', 'ZUSDZCHF'],
  JPY: ['USDJPY', 'ZUSDZJPY'],
};

/** Kraken's ticker: the middle of best ask and best bid. It reports failures with status 200. */
export function kraken(url: string, timeoutMs: number): MarketSource {
  const readTicker = async (pairs: readonly Pair[]) => {
    const body = await getJson(`${url}/0/public/Ticker?pair=${pairs.map(([asked]) => asked).join(',')}`, { timeoutMs });
    const errors = member(body, 'error');
    if (!Array.isArray(errors) || errors.length > 0)
      throw new TemporaryError(`kraken answered errors: ${JSON.stringify(errors)?.slice(0, 200)}`);
    return (pair: Pair) => {
      const ticker = pair.map((name) => member(body, 'result', name)).find((found) => found !== undefined);
      return middle(plainPrice(member(ticker, 'a', 0)), plainPrice(member(ticker, 'b', 0)));
    };
  };

  return {
    name: 'kraken',
    async read(now, symbols) {
      const priceOf = await readTicker(symbols.map((symbol) => PAIRS[symbol]));
      return Object.fromEntries(
        symbols.flatMap((symbol) => {
          const price = priceOf(PAIRS[symbol]);
          return price ? [[symbol, { source: 'kraken', price, at: now }]] : [];
        }),
      );
    },
    async perDollar(now) {
      const priceOf = await readTicker(Object.values(CURRENCY_PAIRS));
      return Object.fromEntries(
        Object.entries(CURRENCY_PAIRS).flatMap(([currency, pair]) => {
          const found = priceOf(pair);
          const price = found && pair[0].startsWith(currency) ? inverse(found) : found;
          return price ? [[currency, { source: 'kraken', price, at: now }]] : [];
        }),
      );
    },
  };
}

function inverse(price: string): string {
  return formatUnits(10n ** 36n / parseUnits(price, 18), 18);
}

function middle(ask: string | undefined, bid: string | undefined): string | undefined {
  if (!ask || !bid) return undefined;
  const [askUnits, bidUnits] = [parseUnits(ask, 18), parseUnits(bid, 18)];
  return bidUnits > askUnits ? undefined : formatUnits((askUnits + bidUnits) / 2n, 18);
}
