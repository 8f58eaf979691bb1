import { parseArgs } from 'node:util';
import { startAnvil } from '../../support/anvil.ts';
import { createTestDatabase } from '../../support/database.ts';
import { startTestServer } from '../../support/global-setup.ts';
import { type Cell, observe } from './cell.ts';

/**
 * Three providers, of which one or two answer late and never fail, and one, two or three processes that may read the
 * network. Prints the longest time without progress of both passes for each pair. Exits with 1 if that is longer than a
 * minute for the first pass, or for the second one beside two fast providers. With `--two-slow` only the rows with two
 * late ones.
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

const LATEST_MS = 11_500;
const ONE_SLOW = [
  ...[0, 1_000, 2_000, 3_000, 5_000, 8_000, LATEST_MS].map((delayMs) => [delayMs, 0, 0] as const),
  [0, LATEST_MS, 0],
  [0, 0, LATEST_MS],
] as const;
const TWO_SLOW = [
  [3_000, 5_000, 0],
  [8_000, LATEST_MS, 0],
  [LATEST_MS, LATEST_MS, 0],
  [LATEST_MS, 0, LATEST_MS],
  [0, LATEST_MS, LATEST_MS],
] as const;
const DELAYS_MS = values['two-slow'] ? TWO_SLOW : [...ONE_SLOW, ...TWO_SLOW];
const WORKERS = [1, 2, 3];
const MAX_WAIT_MS = 60_000;
const WIDTH = 20;
const CELL_WIDTH = 28;

const { testDatabase: server, stop: tearDown } = await startTestServer('slow_provider');
const node = await startAnvil({ blockTimeSeconds: 1 });
type Waits = Awaited<ReturnType<typeof observe>>;
const waits = new Map<string, Waits>();
const waitsOf = (cell: Cell) => waits.get(nameOf(cell)) as Waits;
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

console.log('\nLongest time without progress in seconds, and the moves, of the first and the second pass');
console.log(['delays'.padEnd(WIDTH), ...WORKERS.map((workers) => `${workers} workers`.padStart(CELL_WIDTH))].join(''));
for (const delaysMs of DELAYS_MS) {
  const shown = WORKERS.map((workers) => {
    const { first, second } = waitsOf({ delaysMs, workers });
    return [first, second]
      .map(({ longestMs, moves }) => `${(longestMs / 1_000).toFixed(1)} (${moves})`)
      .join(' / ')
      .padStart(CELL_WIDTH);
  });
  console.log([`${delaysMs.map((ms) => ms / 1_000).join(', ')} s`.padEnd(WIDTH), ...shown].join(''));
}
const isTooLong = ({ longestMs }: { longestMs: number }) => longestMs > MAX_WAIT_MS;
// The second pass never reads from the provider of the first one, so it is as slow as the fastest of the others.
const isStopped = (delaysMs: readonly number[], { first, second }: Waits) =>
  isTooLong(first) || (delaysMs.filter((ms) => ms === 0).length > 1 && isTooLong(second));
if (DELAYS_MS.some((delaysMs) => WORKERS.some((workers) => isStopped(delaysMs, waitsOf({ delaysMs, workers })))))
  process.exitCode = 1;
