import { formatUnits } from '../../platform/money.ts';
import { getJson } from '../http/json.ts';
import { member, type PricedSymbol, type PriceSource } from './source.ts';

const FEEDS: Partial<Record<PricedSymbol, string>> = {
  ETH: 'ff61491a931112ddf1bd8147cd1b641375f79f5825126d665480874634fd0ace',
  SOL: 'ef0d8b6fda2ceba41da15d4095d1da392a0d2f8ed0c6c7bc0f4cfac8c280b56d',
  USDC: 'eaa020c61cc479712813461ce153894a96a6c00b21ed0cfc2798d1f9a9e9c94a',
  USDT: '2b89b9dc8fdf9f34709a5b106b472f0f39bb6ca9ce04b0fd7f2e971688e2e53b',
  BTC: 'e62df6c8b4a85fe1a67db44dc12de5db330f7ac66b72dc658afedf0f4a415b43',
  BNB: '2f95862b045670cd22bee3114c39763a4a08beeb663b145d283c31d7d1101c4f',
  POL: 'ffd11c5a1cfd42f80afb2df4d9f264c15f956d68153335374ec10722edd70472',
  AVAX: '93da3352f9f1d105fdfe4971cfa80e9dd777bfc5d0f683ebb6e1294b92137bb7',
  TRX: '67aed5a24fdad045475e7195c98a98aea119c763f272d4523f5bac93a4f33c2b',
};

/**
 * Pyth's Hermes: each price with its time and confidence. A price with a confidence interval above one percent is left
 * out.
 */
export function pyth(url: string, timeoutMs: number): PriceSource {
  return {
    name: 'pyth',
    async read(_now, symbols) {
      const feeds = symbols.flatMap((symbol) =>
        FEEDS[symbol] === undefined ? [] : [[symbol, FEEDS[symbol]] as const],
      );
      const query = feeds.map(([, id]) => `ids[]=${id}`).join('&');
      const body = await getJson(`${url}/v2/updates/price/latest?${query}&parsed=true`, { timeoutMs });
      const parsed = member(body, 'parsed');
      const answers = Array.isArray(parsed) ? parsed : [];
      return Object.fromEntries(
        feeds.flatMap(([symbol, id]) => {
          const feed = answers.find((answer) => member(answer, 'id') === id);
          const [price, confidence] = [whole(member(feed, 'price', 'price')), whole(member(feed, 'price', 'conf'))];
          const exponent = member(feed, 'price', 'expo');
          const seconds = member(feed, 'price', 'publish_time');
          if (!price || confidence === undefined || !Number.isInteger(exponent) || !Number.isInteger(seconds))
            return [];
          const decimals = -(exponent as number);
          if (decimals < 0 || decimals > 18 || confidence * 100n > price) return [];
          return [
            [symbol, { source: 'pyth', price: formatUnits(price, decimals), at: new Date((seconds as number) * 1000) }],
          ];
        }),
      );
    },
  };
}

function whole(value: unknown): bigint | undefined {
  return typeof value === 'string' && /^[0-9]{1,30}$/.test(value) ? BigInt(value) : undefined;
}
