import { TemporaryError } from '../../platform/errors.ts';
import { formatUnits, parseUnits } from '../../platform/money.ts';
import { getJson } from '../http/json.ts';
import { member, type PricedSymbol, plainPrice, type PriceSource } from './source.ts';

// The response names pairs differently than the request, so both names are accepted.
const PAIRS: Record<PricedSymbol, readonly [asked: string, ...also: string[]]> = {
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

/** Kraken's ticker: the middle of best ask and best bid. It reports failures with status 200. */
export function kraken(url: string, timeoutMs: number): PriceSource {
  return {
    name: 'kraken',
    async read(now, symbols) {
      const body = await getJson(`${url}/0/public/Ticker?pair=${symbols.map((symbol) => PAIRS[symbol][0]).join(',')}`, {
        timeoutMs,
      });
      const errors = member(body, 'error');
      if (!Array.isArray(errors) || errors.length > 0)
        throw new TemporaryError(`kraken answered errors: ${JSON.stringify(errors)?.slice(0, 200)}`);
      return Object.fromEntries(
        symbols.flatMap((symbol) => {
          const ticker = PAIRS[symbol].map((name) => member(body, 'result', name)).find((found) => found !== undefined);
          const price = middle(plainPrice(member(ticker, 'a', 0)), plainPrice(member(ticker, 'b', 0)));
          return price ? [[symbol, { source: 'kraken', price, at: now }]] : [];
        }),
      );
    },
  };
}

function middle(ask: string | undefined, bid: string | undefined): string | undefined {
  if (!ask || !bid) return undefined;
  const [askUnits, bidUnits] = [parseUnits(ask, 18), parseUnits(bid, 18)];
  return bidUnits > askUnits ? undefined : formatUnits((askUnits + bidUnits) / 2n, 18);
}
