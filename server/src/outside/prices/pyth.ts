import { formatUnits } from '../../platform/money.ts';
import { getJson } from '../http/json.ts';
import { member, type Priced, type PriceSource } from './source.ts';

const FEEDS: readonly (readonly [Priced, string])[] = [
  ['ETH', 'ff61491a931112ddf1bd8147cd1b641375f79f5825126d665480874634fd0ace'],
  ['SOL', 'ef0d8b6fda2ceba41da15d4095d1da392a0d2f8ed0c6c7bc0f4cfac8c280b56d'],
  ['USDC', 'eaa020c61cc479712813461ce153894a96a6c00b21ed0cfc2798d1f9a9e9c94a'],
  ['USDT', '2b89b9dc8fdf9f34709a5b106b472f0f39bb6ca9ce04b0fd7f2e971688e2e53b'],
];

/** Pyth's Hermes: each price with its time and its confidence; one that is unsure by more than a hundredth is left out. */
export function pyth(url: string, timeoutMs: number): PriceSource {
  return {
    name: 'pyth',
    async read() {
      const query = FEEDS.map(([, id]) => `ids[]=${id}`).join('&');
      const body = await getJson(`${url}/v2/updates/price/latest?${query}&parsed=true`, { timeoutMs });
      const parsed = member(body, 'parsed');
      const answers = Array.isArray(parsed) ? parsed : [];
      return Object.fromEntries(FEEDS.flatMap(([symbol, id]) => {
        const told = answers.find((answer) => member(answer, 'id') === id);
        const [price, confidence] = [whole(member(told, 'price', 'price')), whole(member(told, 'price', 'conf'))];
        const exponent = member(told, 'price', 'expo');
        const seconds = member(told, 'price', 'publish_time');
        if (!price || confidence === undefined || !Number.isInteger(exponent) || !Number.isInteger(seconds)) return [];
        const decimals = -(exponent as number);
        if (decimals < 0 || decimals > 18 || confidence * 100n > price) return [];
        return [[symbol, { source: 'pyth', price: formatUnits(price, decimals), at: new Date((seconds as number) * 1000) }]];
      }));
    },
  };
}

function whole(value: unknown): bigint | undefined {
  return typeof value === 'string' && /^[0-9]{1,30}$/.test(value) ? BigInt(value) : undefined;
}
