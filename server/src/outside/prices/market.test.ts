import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import pino from 'pino';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { coinbase } from './coinbase.ts';
import { coingecko } from './coingecko.ts';
import { kraken } from './kraken.ts';
import { createMarketPrices } from './market.ts';
import { pyth } from './pyth.ts';
import type { MarketSource } from './source.ts';

/** A server that implements the protocols of all four sources. Each can be made to misbehave. */
let server: Server;
let url: string;
let now: Date;
let market: Record<string, number>;
let misbehaving: Record<string, (body: unknown) => unknown>;
let questions: number;

beforeEach(async () => {
  now = new Date('2026-03-14T09:26:53Z');
  market = {
    ETH: 3512.4,
    SOL: 151.25,
    USDC: 1,
    USDT: 0.9995,
    EUR: 1.0841,
    BTC: 61_234.5,
    BNB: 612.5,
    POL: 0.4321,
    AVAX: 31.5,
    TRX: 0.1525,
  };
  misbehaving = {};
  questions = 0;
  server = createServer((request, response) => {
    questions++;
    const asked = new URL(request.url ?? '', 'http://source');
    const name = sourceOf(asked.pathname);
    const body = (misbehaving[name] ?? ((same: unknown) => same))(answer(asked));
    if (body === 'silent') return;
    response.writeHead(body === 'broken' ? 500 : 200, { 'content-type': 'application/json' });
    response.end(body === 'garbage' ? '<html>' : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterEach(
  () =>
    new Promise((resolve) => {
      server.closeAllConnections();
      server.close(resolve);
    }),
);

/** The timeout is generous for busy machines. Only a source that never answers reaches it. */
function prices(timeoutMs = 5_000) {
  const sources = [coinbase, kraken, pyth, coingecko].map((source) => source(url, timeoutMs));
  return createMarketPrices({ sources, fixed: {}, log: pino({ level: 'silent' }), now: () => now });
}

const worth = (rate: { numerator: bigint; denominator: bigint }) =>
  Number((rate.numerator * 1_000_000n) / rate.denominator) / 1e6;

test('a price is the median of all sources, each of which is included as evidence', async () => {
  const rate = await prices().rate('ETH', 'USD');
  expect(worth(rate)).toBeCloseTo(3512.4, 2);
  expect(rate.sources.map(({ source }) => source).sort()).toEqual(['coinbase', 'coingecko', 'kraken', 'pyth']);
});

test('the coin of the euro is worth one, without a source, and in other currencies what a euro is', async () => {
  const own = await prices().rate('EURC', 'EUR');
  expect([worth(own), own.sources, questions]).toEqual([1, [{ source: 'par' }], 0]);
  const inDollars = await prices().rate('EURC', 'USD');
  expect(worth(inDollars)).toBeCloseTo(1.0841, 3);
  expect(inDollars.sources.length).toBeGreaterThanOrEqual(2);
  expect(worth(await prices().rate('EURC', 'AED'))).toBeCloseTo(1.0841 * 3.6725, 2);
});

test.each(['BTC', 'BNB', 'POL', 'AVAX', 'TRX'] as const)(
  '%s, a pay asset only, also has the median of all sources',
  async (symbol) => {
    const rate = await prices().rate(symbol, 'USD');
    expect(worth(rate)).toBeCloseTo(market[symbol] as number, 3);
    expect(rate.sources.map(({ source }) => source).sort()).toEqual(['coinbase', 'coingecko', 'kraken', 'pyth']);
  },
);

test('a coin that a source does not list does not affect other prices', async () => {
  const asked = prices();
  misbehaving = {
    coinbase: (body) => ((body as { data: { currency: string } }).data.currency === 'TRX' ? 'broken' : body),
    kraken: (body) =>
      'XETHZUSD' in (body as { result: object }).result ? body : { error: ['EQuery:Unknown asset pair'] },
    pyth: (body) =>
      (body as { parsed: { id: string }[] }).parsed.some(({ id }) => FEEDS[id] === 'TRX') ? 'broken' : body,
  };
  expect((await asked.rate('ETH', 'USD')).sources).toHaveLength(4);
  expect((await asked.rate('BTC', 'USD')).sources.map(({ source }) => source).sort()).toEqual([
    'coinbase',
    'coingecko',
  ]);
  await expect(asked.rate('TRX', 'USD')).rejects.toThrow('fewer than two fresh sources');
});

test('a source that is off by a tenth is dropped', async () => {
  misbehaving = { coinbase: () => ({ data: { currency: 'ETH', rates: { USD: '3863.64' } } }) };
  const rate = await prices().rate('ETH', 'USD');
  expect(worth(rate)).toBeCloseTo(3512.4, 2);
  expect(rate.sources.map(({ source }) => source)).not.toContain('coinbase');
});

test.each(['silent', 'broken', 'garbage'])(
  'if sources are %s the others decide, until fewer than two are left',
  async (kind) => {
    misbehaving = { coinbase: () => kind, kraken: () => kind };
    expect(worth(await prices(1_000).rate('SOL', 'USD'))).toBeCloseTo(151.25, 2);

    misbehaving = { coinbase: () => kind, kraken: () => kind, pyth: () => kind };
    await expect(prices(1_000).rate('SOL', 'USD')).rejects.toThrow('fewer than two fresh sources');
  },
);

test('two sources that disagree yield no price', async () => {
  misbehaving = { coinbase: () => 'broken', kraken: () => 'broken', pyth: (body) => scaled(body, 2n) };
  await expect(prices().rate('ETH', 'USD')).rejects.toThrow('fewer than two fresh sources');
});

test('a stale price does not count, and there is no last known price', async () => {
  const asked = prices();
  await asked.rate('ETH', 'USD');
  now = new Date(now.getTime() + 61_000);
  misbehaving = { coinbase: () => 'broken', kraken: () => 'broken', pyth: () => 'broken', coingecko: () => 'broken' };
  await expect(asked.rate('ETH', 'USD')).rejects.toThrow('fewer than two fresh sources');
});

test('a price with a wide confidence interval at Pyth is left out', async () => {
  misbehaving = {
    coinbase: () => 'broken',
    kraken: () => 'broken',
    pyth: (body) => ({
      parsed: (body as { parsed: { price: object }[] }).parsed.map((feed) => ({
        ...feed,
        price: { ...feed.price, conf: '9999999999' },
      })),
    }),
  };
  await expect(prices().rate('ETH', 'USD')).rejects.toThrow('fewer than two fresh sources');
});

test('dollar stablecoins are one dollar by rule, without any source', async () => {
  misbehaving = { coinbase: () => 'broken', kraken: () => 'broken', pyth: () => 'broken', coingecko: () => 'broken' };
  const rate = await prices().rate('USDC', 'USD');
  expect([rate.numerator * 1n, rate.sources]).toEqual([rate.denominator, [{ source: 'par' }]]);
});

test.each([
  ['USDC', 0.985],
  ['USDT', 1.02],
])('%s outside its band, at %d, is not quoted', async (coin, price) => {
  market[coin] = price;
  await expect(prices().rate(coin as 'USDC', 'USD')).rejects.toThrow('outside its band');
});

test('the market price of a dollar stablecoin is returned outside its band too, with its sources', async () => {
  market.USDC = 0.9;
  const rate = await prices().marketRate('USDC');
  expect(worth(rate)).toBeCloseTo(0.9, 5);
  expect(rate.sources.length).toBeGreaterThan(1);
});

test('dirhams are pegged to the dollar', async () => {
  expect(worth(await prices().rate('USDC', 'AED'))).toBeCloseTo(3.6725, 5);
  expect(worth(await prices().rate('ETH', 'AED'))).toBeCloseTo(3512.4 * 3.6725, 1);
});

test('euros come from the market', async () => {
  expect(worth(await prices().rate('USDC', 'EUR'))).toBeCloseTo(1 / 1.0841, 5);
  expect(worth(await prices().rate('ETH', 'EUR'))).toBeCloseTo(3512.4 / 1.0841, 1);
});

describe('a source that answers after four seconds', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
  afterEach(() => void vi.useRealTimers());

  /** What the answer is once this much time has passed. */
  const after = async (ms: number, answer: Promise<{ sources: readonly object[] }>) => {
    let sources: number | 'still waits' = 'still waits';
    void answer.then((rate) => {
      sources = rate.sources.length;
    });
    await vi.advanceTimersByTimeAsync(ms);
    await new Promise(setImmediate);
    return sources;
  };

  test.each([
    ['ETH', 'USD'],
    ['SOL', 'EUR'],
    ['EURC', 'USD'],
    ['BTC', 'USD'],
    ['BTC', 'EUR'],
    ['USDC', 'USD'],
  ] as const)(
    'delays the price of %s in %s by half a second at most, and none that is known',
    async (coin, currency) => {
      const asked = createMarketPrices({
        sources: [0, 0, 0, 4_000].map(sourceAfter),
        fixed: {},
        log: pino({ level: 'silent' }),
        now: () => now,
      });
      // A pegged pair names no sources.
      const used = coin === 'USDC' ? 1 : currency === 'EUR' ? 6 : 3;
      const first = asked.rate(coin, currency);
      expect(await after(499, first)).toBe('still waits');
      expect(await after(1, first)).toBe(used);
      await vi.advanceTimersByTimeAsync(3_500);

      now = new Date(now.getTime() + 30_000);
      for (const ms of [0, 1_000]) expect(await after(ms, asked.rate(coin, currency))).not.toBe('still waits');
    },
  );
});

test('a known price answers while the next one is read', async () => {
  const asked = prices(30_000);
  await asked.rate('ETH', 'USD');
  [now, market.ETH] = [new Date(now.getTime() + 30_000), 4_000];
  misbehaving = Object.fromEntries(['coinbase', 'kraken', 'pyth', 'coingecko'].map((name) => [name, () => 'silent']));
  expect(worth(await asked.rate('ETH', 'USD'))).toBeCloseTo(3512.4, 2);
});

test('a pegged pair waits for no source once its coin is known, and is refused while the coin is out of its band', async () => {
  const asked = prices(30_000);
  await asked.rate('USDC', 'USD');
  now = new Date(now.getTime() + 300_000);
  misbehaving = Object.fromEntries(['coinbase', 'kraken', 'pyth', 'coingecko'].map((name) => [name, () => 'silent']));
  expect(worth(await asked.rate('USDC', 'USD'))).toBe(1);

  misbehaving = {};
  market.USDT = 0.9;
  const other = prices();
  await expect(other.rate('USDT', 'USD')).rejects.toThrow('outside its band');
  now = new Date(now.getTime() + 300_000);
  misbehaving = { coinbase: () => 'silent', kraken: () => 'silent', pyth: () => 'silent' };
  await expect(other.rate('USDT', 'USD')).rejects.toThrow('outside its band');
});

test('two of four that agree wait for the others, which may be right', async () => {
  misbehaving = { pyth: () => 'broken', coingecko: () => 'broken' };
  expect((await prices().rate('ETH', 'USD')).sources).toHaveLength(2);
});

test('a hundred concurrent requests cause one reading', async () => {
  const asked = prices();
  await Promise.all(Array.from({ length: 100 }, () => asked.rate('ETH', 'USD')));
  // Coinbase is queried once per symbol, the others once for all.
  expect(questions).toBe(5 + 3);
});

test.each([
  null,
  [],
  'x',
  7,
  { data: null },
  { data: { currency: 'BTC', rates: { USD: '1' } } },
  { data: { currency: 'ETH', rates: { USD: '-5' } } },
  { data: { currency: 'ETH', rates: { USD: '1e9' } } },
  { data: { currency: 'ETH', rates: { USD: 'NaN' } } },
  { data: { currency: 'ETH', rates: { USD: '0' } } },
])('a response like %j is not a price', async (body) => {
  misbehaving = { coinbase: () => body, kraken: () => 'broken', pyth: () => 'broken' };
  await expect(prices().rate('ETH', 'USD')).rejects.toThrow('fewer than two fresh sources');
});

/** A source that answers after this time. */
function sourceAfter(ms: number, at: number): MarketSource {
  const name = `source ${at}`;
  return {
    name,
    read: async (time, symbols) => {
      if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
      return Object.fromEntries(
        symbols.map((symbol) => [symbol, { source: name, price: String(market[symbol]), at: time }]),
      );
    },
  };
}

function sourceOf(path: string): string {
  if (path.startsWith('/v2/exchange-rates')) return 'coinbase';
  if (path.startsWith('/0/public')) return 'kraken';
  return path.startsWith('/v2/updates') ? 'pyth' : 'coingecko';
}

const FEEDS: Record<string, string> = {
  ff61491a931112ddf1bd8147cd1b641375f79f5825126d665480874634fd0ace: 'ETH',
  ef0d8b6fda2ceba41da15d4095d1da392a0d2f8ed0c6c7bc0f4cfac8c280b56d: 'SOL',
  eaa020c61cc479712813461ce153894a96a6c00b21ed0cfc2798d1f9a9e9c94a: 'USDC',
  '2b89b9dc8fdf9f34709a5b106b472f0f39bb6ca9ce04b0fd7f2e971688e2e53b': 'USDT',
  e62df6c8b4a85fe1a67db44dc12de5db330f7ac66b72dc658afedf0f4a415b43: 'BTC',
  '2f95862b045670cd22bee3114c39763a4a08beeb663b145d283c31d7d1101c4f': 'BNB',
  ffd11c5a1cfd42f80afb2df4d9f264c15f956d68153335374ec10722edd70472: 'POL',
  '93da3352f9f1d105fdfe4971cfa80e9dd777bfc5d0f683ebb6e1294b92137bb7': 'AVAX',
  '67aed5a24fdad045475e7195c98a98aea119c763f272d4523f5bac93a4f33c2b': 'TRX',
};

function answer(asked: URL): unknown {
  const seconds = Math.floor(now.getTime() / 1000);
  switch (sourceOf(asked.pathname)) {
    case 'coinbase': {
      const currency = asked.searchParams.get('currency') ?? '';
      return { data: { currency, rates: { USD: String(market[currency]), AED: '1' } } };
    }
    case 'kraken': {
      const ticker = (price = 0) => ({
        a: [String(price * 1.0001), '1', '1.000'],
        b: [String(price * 0.9999), '1', '1.000'],
        c: [String(price), '0.1'],
      });
      if (asked.searchParams.get('pair')?.startsWith('XBTUSD'))
        return {
          error: [],
          result: {
            XXBTZUSD: ticker(market.BTC),
            BNBUSD: ticker(market.BNB),
            POLUSD: ticker(market.POL),
            AVAXUSD: ticker(market.AVAX),
            TRXUSD: ticker(market.TRX),
          },
        };
      return {
        error: [],
        result: {
          XETHZUSD: ticker(market.ETH),
          SOLUSD: ticker(market.SOL),
          USDCUSD: ticker(market.USDC),
          USDTZUSD: ticker(market.USDT),
          ZEURZUSD: ticker(market.EUR),
        },
      };
    }
    case 'pyth':
      return {
        binary: { encoding: 'hex', data: [] },
        parsed: asked.searchParams.getAll('ids[]').map((id) => ({
          id,
          price: {
            price: String(Math.round((market[FEEDS[id] ?? ''] ?? 0) * 1e8)),
            conf: '1000',
            expo: -8,
            publish_time: seconds,
          },
        })),
      };
    default: {
      const coin = (symbol: string) => ({
        usd: market[symbol],
        eur: (market[symbol] ?? 0) / (market.EUR ?? 1),
        last_updated_at: seconds,
      });
      return {
        ethereum: coin('ETH'),
        solana: coin('SOL'),
        'usd-coin': coin('USDC'),
        tether: coin('USDT'),
        bitcoin: coin('BTC'),
        binancecoin: coin('BNB'),
        'polygon-ecosystem-token': coin('POL'),
        'avalanche-2': coin('AVAX'),
        tron: coin('TRX'),
      };
    }
  }
}

function scaled(body: unknown, factor: bigint): unknown {
  return {
    parsed: (body as { parsed: { price: { price: string } }[] }).parsed.map((feed) => ({
      ...feed,
      price: { ...feed.price, price: String(BigInt(feed.price.price) * factor) },
    })),
  };
}
