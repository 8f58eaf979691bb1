import { formatUnits, parseUnits } from '../../platform/money.ts';
import { getJson } from '../http/json.ts';
import { member, type PricedSymbol, plainPrice, type PriceSource, type SourcePrice } from './source.ts';

const COINS: Partial<Record<PricedSymbol, string>> = {
  ETH: 'ethereum',
  SOL: 'solana',
  USDC: 'usd-coin',
  USDT: 'tether',
  BTC: 'bitcoin',
  BNB: 'binancecoin',
  POL: 'polygon-ecosystem-token',
  AVAX: 'avalanche-2',
  TRX: 'tron',
};

/** CoinGecko's simple prices. The euro rate is derived from one coin's two prices. */
export function coingecko(url: string, timeoutMs: number): PriceSource {
  return {
    name: 'coingecko',
    async read(_now, symbols) {
      const coins = symbols.flatMap((symbol) =>
        COINS[symbol] === undefined ? [] : [[symbol, COINS[symbol]] as const],
      );
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
          const perEuro = (parseUnits(usd, 18) * 10n ** 18n) / parseUnits(eur, 18);
          prices.EUR = { source: 'coingecko', price: formatUnits(perEuro, 18), at };
        }
      }
      return prices;
    },
  };
}
