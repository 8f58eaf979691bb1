import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import pino from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { formatUnits } from '../../platform/money.ts';
import { createPrices } from './create-prices.ts';
import { coinbase } from './coinbase.ts';
import { coingecko } from './coingecko.ts';
import { kraken } from './kraken.ts';
import { createMarketPrices } from './market.ts';
import { pyth } from './pyth.ts';
import type { DisplayCurrency } from './prices.ts';

/** What one dollar buys, and what each source makes of it. */
const WORTH: Record<string, number> = { USD: 1, EUR: 0.92, GBP: 0.78, JPY: 154.2, CHF: 0.88, TRY: 34.5 };
let server: Server;
let url: string;
let now: Date;
let questions: string[];
let silent: string[];
let factor: Record<string, number>;

beforeEach(async () => {
  [now, questions, silent, factor] = [new Date('2026-03-14T09:26:53Z'), [], [], {}];
  server = createServer((request, response) => {
    const asked = new URL(request.url ?? '', 'http://source');
    const source = asked.pathname.startsWith('/v2/exchange')
      ? 'coinbase'
      : asked.pathname[1] === '0'
        ? 'kraken'
        : 'coingecko';
    questions.push(source);
    const body = answer(source, asked);
    response.writeHead(silent.includes(source) ? 500 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterEach(() => new Promise((resolve) => server.close(resolve)));

function answer(source: string, asked: URL): unknown {
  const worth = (currency: string) => (WORTH[currency] ?? 0) * (factor[source] ?? 1);
  if (source === 'coinbase')
    return {
      data: { currency: 'USD', rates: Object.fromEntries(Object.keys(WORTH).map((one) => [one, String(worth(one))])) },
    };
  if (source === 'kraken') {
    const ticker = (price: number) => ({ a: [price.toFixed(8)], b: [price.toFixed(8)] });
    expect(asked.searchParams.get('pair')).toBe('EURUSD,GBPUSD,AUDUSD,USDCAD,USDCHF,USDJPY');
    return {
      error: [],
      result: {
        ZEURZUSD: ticker(1 / worth('EUR')),
        ZGBPZUSD: ticker(1 / worth('GBP')),
        ZUSDZJPY: ticker(worth('JPY')),
        USDCHF: ticker(worth('CHF')),
      },
    };
  }
  const named = asked.searchParams.get('vs_currencies')?.split(',') ?? [];
  const prices = named.map((one) => [one, 61_234 * (one === 'usd' ? 1 : worth(one.toUpperCase()))]);
  return { bitcoin: { ...Object.fromEntries(prices), last_updated_at: Math.floor(now.getTime() / 1000) - 90 } };
}

function prices() {
  const sources = [coinbase, kraken, pyth, coingecko].map((create) => create(url, 5_000));
  return createMarketPrices({ sources, fixed: { EUR: '1.08' }, log: pino({ level: 'silent' }), now: () => now });
}

const asNumber = (units: bigint | null) => Number(formatUnits(units ?? 0n, 18));

test.each(['EUR', 'GBP', 'JPY', 'CHF', 'TRY'] as const)(
  'a dollar is worth what the sources agree on in %s',
  async (currency) => {
    expect(asNumber(await prices().perDollar(currency))).toBeCloseTo(WORTH[currency] as number, 4);
  },
);

test('all currencies are one reading of each source, however many ask, and for a minute', async () => {
  const asked = prices();
  const ask = () =>
    Promise.all(['EUR', 'GBP', 'JPY', 'TRY', 'NGN'].map((one) => asked.perDollar(one as DisplayCurrency)));
  for (let times = 0; times < 20; times++) await ask();
  expect(questions.sort()).toEqual(['coinbase', 'coingecko', 'kraken']);
  now = new Date(now.getTime() + 61_000);
  // The last answer, while a newer one is read in the background.
  expect(asNumber(await asked.perDollar('GBP'))).toBeCloseTo(0.78, 4);
});

test('pegged currencies ask nothing', async () => {
  expect(asNumber(await prices().perDollar('AED'))).toBeCloseTo(3.6725, 4);
  expect(await prices().perDollar('USD')).toBe(10n ** 18n);
  expect(questions).toEqual([]);
});

test('a single source is not enough, nor are two that disagree', async () => {
  silent = ['coinbase', 'coingecko'];
  expect(await prices().perDollar('GBP')).toBeNull();
  silent = [];
  factor = { coinbase: 1.1 };
  expect(await prices().perDollar('TRY')).toBeNull();
  expect(asNumber(await prices().perDollar('GBP'))).toBeCloseTo(0.78, 4);
});

test('a currency that no source knows has no rate, and neither has any after ten minutes without a source', async () => {
  const asked = prices();
  expect(await asked.perDollar('NGN')).toBeNull();
  expect(await asked.perDollar('GBP')).not.toBeNull();
  silent = ['coinbase', 'coingecko', 'kraken'];
  now = new Date(now.getTime() + 601_000);
  expect(await asked.perDollar('GBP')).toBeNull();
});

test.each(['fixed' as const, ['coinbase'] as const])(
  'test mode has the fixed table and asks nothing (%j)',
  (sources) => {
    const urls = { coinbase: url };
    const table = createPrices({ sources, fixed: { EUR: '1.25', GBP: '2' }, urls }, pino({ level: 'silent' }));
    const rates = (['USD', 'AED', 'EUR', 'GBP', 'JPY'] as const).map((one) => table.fixedPerDollar(one));
    expect(rates.map((rate) => rate && asNumber(rate))).toEqual([1, 3.6725, 0.8, 0.5, null]);
    expect(questions).toEqual([]);
  },
);

test('what a rate of a page is cannot be taken for one that prices an amount', async () => {
  const rate = await prices().perDollar('EUR');
  // @ts-expect-error A `Rate` names its asset and its evidence; this is a bare number of units.
  const wrong: import('./prices.ts').Rate | null = rate;
  expect(wrong).toBe(rate);
});
