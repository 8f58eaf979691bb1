import { parseArgs } from 'node:util';
import { startAnvil } from '../../support/anvil.ts';
import { createTestDatabase } from '../../support/database.ts';
import { startTestServer } from '../../support/global-setup.ts';
import { type Cell, observe } from './cell.ts';

/**
 * Three providers, of which the first or the first two answer late and never fail, and one, two or three processes that
 * may read the network. Prints the longest time without progress of each pair, and exits with 1 if one is longer than a
 * minute. With `--two-slow` only the rows with two late ones.
 *
 *     npm run program -- slow-provider [--seconds 100] [--at-once 7] [--two-slow]
 */
const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '100' },
    'at-once': { type: 'string', default: '7' },
    'two-slow': { type: 'boolean', default: false },
  },
});

const ONE_SLOW = [0, 1_000, 2_000, 3_000, 5_000, 8_000, 11_500].map((delayMs) => [delayMs]);
const TWO_SLOW = [
  [3_000, 5_000],
  [8_000, 11_500],
  [11_500, 11_500],
];
const DELAYS_MS: readonly (readonly number[])[] = values['two-slow'] ? TWO_SLOW : [...ONE_SLOW, ...TWO_SLOW];
const WORKERS = [1, 2, 3];
const MAX_WAIT_MS = 60_000;
const WIDTH = 18;

const { testDatabase: server, stop: tearDown } = await startTestServer('slow_provider');
const node = await startAnvil({ blockTimeSeconds: 1 });
const waits = new Map<string, { longestMs: number; moves: number }>();
const nameOf = ({ delaysMs, workers }: Cell) => `${delaysMs.join(' ')} ${workers}`;
try {
  const cells = WORKERS.flatMap((workers) => DELAYS_MS.map((delaysMs): Cell => ({ delaysMs, workers })));
  const atOnce = Number(values['at-once']);
  while (cells.length > 0) {
    await Promise.all(
      cells.splice(0, atOnce).map(async (cell) => {
        const database = await createTestDatabase(server);
        waits.set(nameOf(cell), await observe(cell, { node, database, forMs: Number(values.seconds) * 1_000 }));
      }),
    );
  }
} finally {
  await node.stop();
  await tearDown();
}

console.log('\nLongest time without progress in seconds, and the moves of the cursor');
console.log(['delay'.padEnd(WIDTH), ...WORKERS.map((workers) => `${workers} workers`.padStart(14))].join(''));
for (const delaysMs of DELAYS_MS) {
  const shown = WORKERS.map((workers) => {
    const { longestMs, moves } = waits.get(nameOf({ delaysMs, workers })) as { longestMs: number; moves: number };
    return `${(longestMs / 1_000).toFixed(1)} (${moves})`.padStart(14);
  });
  console.log([`${delaysMs.map((ms) => ms / 1_000).join(' and ')} s`.padEnd(WIDTH), ...shown].join(''));
}
if ([...waits.values()].some(({ longestMs }) => longestMs > MAX_WAIT_MS)) process.exitCode = 1;
