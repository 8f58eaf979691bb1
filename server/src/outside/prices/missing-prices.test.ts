import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createLogger, type RaisedAlarms } from '../../platform/log.ts';
import { metrics, priceFailures } from '../../platform/metrics.ts';
import { DAY_MS, later, MINUTE_MS } from '../../platform/time.ts';
import { createMarketPrices } from './market.ts';
import type { Prices } from './prices.ts';

let now: Date;
let down: string[];
let lines: Record<string, unknown>[];
let raised: RaisedAlarms;
let prices: Prices;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
  [now, down, lines, raised] = [new Date('2026-03-14T09:26:53Z'), [], [], new Map()];
  priceFailures.reset();
  const sources = ['north', 'south', 'west'].map((name) => ({
    name,
    read: async (at: Date, symbols: readonly string[]) => {
      if (down.includes(name)) throw new Error(`${name} is unreachable`);
      return Object.fromEntries(symbols.map((symbol) => [symbol, { source: name, price: '1', at }]));
    },
  }));
  const out = { write: (line: string) => void lines.push(JSON.parse(line)) };
  prices = createMarketPrices({ sources, fixed: {}, log: createLogger('info', { out, raised }), now: () => now });
});
afterEach(() => void vi.useRealTimers());

const alarms = () => lines.filter(({ alarm }) => alarm === 'prices_missing');
const failures = () => lines.filter(({ msg }) => msg === 'price source failed');

/** Lets time pass, in which a customer asks each minute. */
async function minutes(count: number, ask: () => Promise<unknown> = () => prices.rate('USDC', 'EUR')): Promise<void> {
  for (let passed = 0; passed < count; passed += 1) {
    now = later(now, MINUTE_MS);
    vi.advanceTimersByTime(MINUTE_MS);
    await ask().catch(() => {});
    await new Promise(setImmediate);
  }
}

test('a price that customers ask for in vain raises an alarm after ten minutes, and again each hour', async () => {
  down = ['north', 'south'];
  await minutes(10);
  expect(alarms()).toEqual([]);
  await minutes(1);
  expect(alarms()).toMatchObject([
    { pair: 'EUR/USD', failed: 'north, south', answers: [{ source: 'west', price: '1' }], level: 'error' },
  ]);
  expect(raised.get('prices_missing')?.facts).toEqual({ pair: 'EUR/USD', failed: 'north, south' });
  await minutes(59);
  expect(alarms()).toHaveLength(1);
  await minutes(1);
  expect(alarms()).toHaveLength(2);
});

test('the next good price ends it', async () => {
  down = ['north', 'south'];
  await minutes(9);
  down = ['north'];
  await minutes(1);
  down = ['north', 'south'];
  await minutes(10);
  expect(alarms()).toEqual([]);
  await minutes(1);
  expect(alarms()).toHaveLength(1);
});

test('two failures days apart, with no price needed between them, raise no alarm', async () => {
  down = ['north', 'south'];
  await minutes(1);
  now = later(now, 2 * DAY_MS);
  vi.advanceTimersByTime(2 * DAY_MS);
  await minutes(10);
  expect(alarms()).toEqual([]);
  await minutes(1);
  expect(alarms()).toHaveLength(1);
});

test('a price that nothing needs is not missing: dollar coins are one dollar by rule', async () => {
  down = ['north', 'south', 'west'];
  await minutes(30, () => prices.rate('USDC', 'USD'));
  expect(alarms()).toEqual([]);
});

test('a source that fails is logged once at the beginning, then once an hour, and again after it has answered', async () => {
  down = ['north'];
  await minutes(60);
  expect(failures()).toMatchObject([{ source: 'north', error: 'north is unreachable' }]);
  await minutes(1);
  expect(failures()).toHaveLength(2);
  down = [];
  await minutes(1);
  down = ['north'];
  await minutes(1);
  expect(failures()).toHaveLength(3);
});

test('/metrics counts the failures of each source, and says when a price was last decided', async () => {
  down = ['north'];
  await minutes(2);
  const decidedAt = now.getTime() / 1000;
  down = ['north', 'south'];
  await minutes(1);
  const page = await metrics.metrics();
  expect(page).toMatch(/^quittance_price_source_failures_total\{source="south"\} 1$/m);
  expect(page).toMatch(/^quittance_price_source_failures_total\{source="west"\} 0$/m);
  expect(page).toContain(`quittance_price_last_decided_timestamp_seconds{pair="EUR/USD"} ${decidedAt}\n`);
});
