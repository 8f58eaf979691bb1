import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readConfig } from '../config.ts';
import { checkPrices } from './doctor-prices.ts';
import { groupByCause } from './finding.ts';

/** A Coinbase and a Pyth that answer, until they are broken. The others are out of reach. */
let server: Server;
let url: string;
let broken: string[];
let requests: string[];

beforeEach(async () => {
  [broken, requests] = [[], []];
  server = createServer((request, response) => {
    const asked = new URL(request.url ?? '', 'http://source');
    const source = asked.pathname.startsWith('/v2/exchange-rates') ? 'coinbase' : 'pyth';
    requests.push(source);
    const price = { price: '100', conf: '0', expo: -2, publish_time: Math.floor(Date.now() / 1000) };
    const body =
      source === 'coinbase'
        ? { data: { currency: asked.searchParams.get('currency'), rates: { USD: '1.00' } } }
        : { parsed: asked.searchParams.getAll('ids[]').map((id) => ({ id, price })) };
    response.writeHead(broken.includes(source) ? 500 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => new Promise((resolve) => server.close(resolve)));

const ask = (env: Record<string, string> = {}) => {
  const [own, away] = [url, 'http://127.0.0.1:9'];
  const sources = {
    PRICES_COINBASE_URL: own,
    PRICES_PYTH_URL: own,
    PRICES_KRAKEN_URL: away,
    PRICES_COINGECKO_URL: away,
  };
  return checkPrices(readConfig({ ...sources, ...env }));
};
const lines = async (env?: Record<string, string>) =>
  (await ask(env)).map(({ state, subject, details }) => `${state}: ${subject}: ${details}`);

test('the doctor asks each price source once, and says which prices fewer than two agree on', async () => {
  expect(await lines()).toEqual([
    'ok: prices: coinbase: names ETH, SOL, USDC, USDT, EUR',
    expect.stringMatching(/^warning: prices: kraken: .*ECONNREFUSED/),
    'ok: prices: pyth: names ETH, SOL, USDC, USDT',
    expect.stringMatching(/^warning: prices: coingecko: .*ECONNREFUSED/),
    'failed: prices: fewer than two sources agree on EUR: what needs these prices cannot be paid',
  ]);
  // Coinbase is asked once per price.
  expect(requests.sort()).toEqual([...Array.from({ length: 5 }, () => 'coinbase'), 'pyth']);
});

test('sources out of reach are one thing to do', async () => {
  broken = ['pyth'];
  const [first, second] = groupByCause(
    (await ask({ PRICES: 'kraken,pyth,coingecko' })).filter(({ state }) => state !== 'ok'),
  );
  expect(first).toMatchObject({ state: 'failed', details: expect.stringContaining('ETH, SOL, USDC, USDT, EUR') });
  expect(second?.details).toMatch(/^not reached: .*kraken, .*coingecko; see PRICES_KRAKEN_URL, PRICES_COINGECKO_URL/);
});

test('fixed prices have no source', async () => {
  expect(await lines({ PRICES: 'fixed' })).toEqual(['ok: prices: the fixed ones of PRICES_FIXED']);
});
