import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { BASE62, derivedId, type IdPrefix, isId, newId, randomBase62 } from './ids.ts';

const TIMED: IdPrefix[] = ['cs', 'pay', 'tr', 'tgt', 'ro', 'mc', 'rct', 'att', 'qt', 'req', 'mail'];
const RANDOM: IdPrefix[] = ['acc', 'pp', 'pl', 'we', 'evt', 'key', 'dlv', 'code', 'nonce', 'inv', 'cus'];
const NOW = Date.UTC(2026, 10, 23, 12);
const TICK_MS = 64;

beforeEach(() => void vi.useFakeTimers({ now: NOW, toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

function at(ms: number): string {
  vi.setSystemTime(ms);
  return newId('pay');
}

const orders: [name: string, compare: (one: string, other: string) => number][] = [
  ['of bytes, as in C', (one, other) => (one < other ? -1 : one > other ? 1 : 0)],
  ['of English, as in en_US', new Intl.Collator('en-US').compare],
];

test.each(orders)('ids of later ticks are greater in the order %s', (_, compare) => {
  const ids: string[] = [];
  // Steps of every size, so that each place of the time changes.
  for (let ms = NOW, step = TICK_MS; ms < Date.UTC(2128, 0); ms += step, step = Math.ceil(step * 1.01))
    ids.push(at(ms));
  expect(ids.length).toBeGreaterThan(1_000);
  for (const [index, id] of ids.slice(1).entries()) expect(compare(ids[index] as string, id)).toBe(-1);
});

test('ids are unique and well formed when the clock goes back or is absurd', () => {
  const ids = [at(NOW), at(NOW - 3_600_000), at(NOW), at(0), at(-1), at(Date.UTC(2500, 0))];
  expect(new Set(ids).size).toBe(ids.length);
  for (const id of ids) expect(isId('pay', id)).toBe(true);
});

test('every kind has the documented form', () => {
  for (const prefix of [...TIMED, ...RANDOM]) {
    for (let time = 0; time < 100; time += 1) expect(newId(prefix)).toMatch(new RegExp(`^${prefix}_[0-9A-Za-z]{24}$`));
    expect(isId(prefix, newId(prefix))).toBe(true);
    expect(isId(prefix, derivedId(prefix, 'text'))).toBe(true);
  }
});

test('a hundred thousand ids of one instant are different', () => {
  const ids = new Set<string>();
  for (let made = 0; made < 100_000; made += 1) ids.add(newId('cs'));
  expect(ids.size).toBe(100_000);
});

test('only ids of large tables contain the time, and at least 95 bits of every id are random', () => {
  for (const prefix of [...TIMED, ...RANDOM]) {
    const bodies = Array.from({ length: 5_000 }, () => newId(prefix).slice(prefix.length + 1));
    const bits = Array.from({ length: 24 }, (_, place) => entropyOf(bodies.map((body) => body[place] as string)));
    const constant = bits.filter((one) => one === 0).length;
    expect(constant).toBe(TIMED.includes(prefix) ? 7 : 0);
    // The estimate of a uniform character from 5,000 is about a hundredth of a bit too small.
    for (const one of bits) expect(one === 0 || one > Math.log2(62) - 0.02).toBe(true);
    expect(bits.reduce((sum, one) => sum + one, 0)).toBeGreaterThan(95);
  }
});

test('random characters do not depend on their neighbors', () => {
  const text = randomBase62(400_000);
  const pairs = Array.from({ length: 200_000 }, (_, index) => text.slice(index * 2, index * 2 + 2));
  expect(new Set(text).size).toBe(BASE62.length);
  expect(entropyOf(pairs)).toBeGreaterThan(2 * Math.log2(62) - 0.03);
});

test('a derived id does not depend on the time', () => {
  const first = derivedId('cs', 'request');
  vi.setSystemTime(NOW + 86_400_000);
  expect(derivedId('cs', 'request')).toBe(first);
  expect(derivedId('pay', 'request').slice(4)).not.toBe(first.slice(3));
});

test('a derived id is the same in every release', () => {
  expect(derivedId('evt', 'pay_1 1 payment.created')).toBe('evt_K70D4NPbZnXTSo5u3bqFOjRo');
  expect(derivedId('cs', Buffer.alloc(32, 7), NOW)).toBe('cs_CVYFM60avePWkLF7dzDZRIBK');
});

test('an id derived from a text with a time begins with it, as a new one of that time does', () => {
  const id = derivedId('pay', 'request', NOW);
  expect(isId('pay', id)).toBe(true);
  expect(id.slice(0, 11)).toBe(at(NOW).slice(0, 11));
  expect(derivedId('pay', 'other', NOW).slice(11)).not.toBe(id.slice(11));
});

/** Shannon entropy in bits, as far as the sample shows. */
function entropyOf(sample: readonly string[]): number {
  const counts = new Map<string, number>();
  for (const one of sample) counts.set(one, (counts.get(one) ?? 0) + 1);
  return [...counts.values()].reduce(
    (sum, count) => sum - (count / sample.length) * Math.log2(count / sample.length),
    0,
  );
}
