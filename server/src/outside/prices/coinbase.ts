import { getJson } from '../http/json.ts';
import { type MarketSource, member, plainPrice } from './source.ts';

/** Coinbase's exchange rates. The response has no time, so the price has the time of the response. */
export function coinbase(url: string, timeoutMs: number): MarketSource {
  return {
    name: 'coinbase',
    async read(now, symbols) {
      const answers = await Promise.allSettled(
        symbols.map(async (symbol) => {
          const body = await getJson(`${url}/v2/exchange-rates?currency=${symbol}`, { timeoutMs });
          const price =
            member(body, 'data', 'currency') === symbol ? plainPrice(member(body, 'data', 'rates', 'USD')) : undefined;
          return price ? [[symbol, { source: 'coinbase', price, at: now }] as const] : [];
        }),
      );
      const read = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
      // A coin that is not listed here is omitted. If nothing is returned, the first failure is the reason.
      const [first] = answers;
      if (read.length === 0 && first?.status === 'rejected') throw first.reason;
      return Object.fromEntries(read);
    },
    async perDollar(now, currencies) {
      const body = await getJson(`${url}/v2/exchange-rates?currency=USD`, { timeoutMs });
      return Object.fromEntries(
        currencies.flatMap((currency) => {
          const price = plainPrice(member(body, 'data', 'rates', currency));
          return price ? [[currency, { source: 'coinbase', price, at: now }]] : [];
        }),
      );
    },
  };
}
