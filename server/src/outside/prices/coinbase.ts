import { getJson } from '../http/json.ts';
import { member, PRICED, plainPrice, type PriceSource } from './source.ts';

/** Coinbase's exchange rates. The body has no time, so a price is as old as its answer. */
export function coinbase(url: string, timeoutMs: number): PriceSource {
  return {
    name: 'coinbase',
    async read(now) {
      const read = await Promise.all(PRICED.map(async (symbol) => {
        const body = await getJson(`${url}/v2/exchange-rates?currency=${symbol}`, { timeoutMs });
        const price = member(body, 'data', 'currency') === symbol ? plainPrice(member(body, 'data', 'rates', 'USD')) : undefined;
        return price ? [[symbol, { source: 'coinbase', price, at: now }] as const] : [];
      }));
      return Object.fromEntries(read.flat());
    },
  };
}
