import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../support/index.ts';
import type { Outcome } from './run.ts';
import { createSimulator, type Simulator } from './simulator.ts';

// A few by default; for many: `npm run program -- sim --seed 1 --runs 1000`, or one again with its story: `npm run
// program -- sim --seed 17 --story`.
const SEEDS = Array.from({ length: Number(process.env.SIM_SEEDS ?? 6) }, (_, at) => at + 1);
const STEPS = 150;

let database: TestDatabase;
let simulator: Simulator;
const reached = new Map<string, number>();
const ran = new Map<number, Outcome>();
beforeAll(async () => {
  database = await createTestDatabase();
  simulator = await createSimulator(database.url);
});
afterAll(async () => {
  await simulator.close();
  await database.drop();
});

test.each(SEEDS)(
  'customers of all kinds, forks, faults and deaths: every promise holds after each step, and all ends right (seed %i)',
  async (seed) => {
    const result = await simulator.run(seed, STEPS);
    ran.set(seed, result);
    const { violation, counts } = result;
    expect(violation).toBeNull();
    for (const [what, count] of Object.entries(counts)) reached.set(what, (reached.get(what) ?? 0) + count);
  },
);

test.each([
  'exact amounts',
  'conversions ordered',
  'payments paid',
  'paid by a conversion',
  'payments under a lie',
  'refunds verified',
])('the seeds together reach %s, so that the promises about them are checked', (what) => {
  expect(reached.get(what)).toBeGreaterThan(0);
});

test('the same seed is the same course of events, whatever ran before it', async () => {
  const first = ran.get(4) ?? (await simulator.run(4, STEPS));
  const other = ran.get(6) ?? (await simulator.run(6, STEPS));
  await simulator.run(5, 40);
  const again = await simulator.run(4, STEPS);
  expect(again).toEqual(first);
  expect(other.trace).not.toBe(first.trace);
});
