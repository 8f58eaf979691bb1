import { formatUnits, parseUnits } from '../../platform/money.ts';
import { getJson } from '../http/json.ts';
import { type MarketSource, member, type PricedSymbol, plainPrice, type SourcePrice } from './source.ts';

const COINS = {
  ETH: 'ethereum',
  SOL: 'solana',
  USDC: 'usd-coin',
  USDT: 'tether',
  BTC: 'bitcoin',
  BNB: 'binancecoin',
  POL: 'polygon-ecosystem-token',
  AVAX: 'avalanche-2',
  TRX: 'tron',
} satisfies Partial<Record<PricedSymbol, string>>;

/** CoinGecko's simple prices. The euro rate is derived from one coin's two prices. */
export function coingecko(url: string, timeoutMs: number): MarketSource {
  return {
    name: 'coingecko',
    async read(_now, symbols) {
      const coins = symbols.flatMap((symbol) => (symbol === 'EUR' ? [] : [[symbol, COINS[symbol]] as const]));
      const ids = coins.map(([, id]) => id).join(',');
      const body = await getJson(
        `${url}/api/v3/simple/price?ids=${ids}&vs_currencies=usd,eur&include_last_updated_at=true`,
        { timeoutMs },
      );
      const prices: Partial<Record<PricedSymbol, SourcePrice>> = {};
      for (const [symbol, id] of coins) {
        const [usd, eur] = [plainPrice(member(body, id, 'usd')), plainPrice(member(body, id, 'eur'))];
        const seconds = member(body, id, 'last_updated_at');
        if (!usd || !Number.isInteger(seconds)) continue;
        const at = new Date((seconds as number) * 1000);
        prices[symbol] = { source: 'coingecko', price: usd, at };
        // The most expensive coin's prices have the most significant digits.
        if (symbol === 'ETH' && eur) {
          prices.EUR = { source: 'coingecko', price: quotient(usd, eur), at };
        }
      }
      return prices;
    },
    async perDollar(_now, currencies) {
      const body = await getJson(
        `${url}/api/v3/simple/price?ids=${COINS.BTC}&vs_currencies=${currencies.join(',').toLowerCase()}&include_last_updated_at=true`,
        { timeoutMs },
      );
      const priceIn = (currency: string) => plainPrice(member(body, COINS.BTC, currency.toLowerCase()));
      const [usd, seconds] = [priceIn('USD'), member(body, COINS.BTC, 'last_updated_at')];
      if (!usd || !Number.isInteger(seconds)) return {};
      const at = new Date((seconds as number) * 1000);
      return Object.fromEntries(
        currencies.flatMap((currency) => {
          const price = priceIn(currency);
          return price ? [[currency, { source: 'coingecko', price: quotient(price, usd), at }]] : [];
        }),
      );
    },
  };
}

function quotient(price: string, by: string): string {
  return formatUnits((parseUnits(price, 18) * 10n ** 18n) / parseUnits(by, 18), 18);
}
