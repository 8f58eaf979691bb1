import { readFileSync, statfsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { EXTRA_ASSET_KEYS } from './contract/src/assets.ts';

const skipped = ['**/node_modules/**', '**/dist/**', '**/data/**'];

const MEMORY = '/dev/shm';
const ENOUGH_BYTES = 4 * 1024 ** 3;
// A database is a thousand small files: each takes several times as long on a disk as in memory.
if (process.env.TMPDIR === undefined && hasRoomInMemory()) process.env.TMPDIR = MEMORY;

/** A guard against hanging, not a measure: two busy cores may be slow. */
const onDatabase = {
  globalSetup: ['server/test/support/global-setup.ts'],
  testTimeout: 120_000,
  hookTimeout: 120_000,
};

export default defineConfig({
  test: {
    // A process each: the embedded database and native chains are no place for threads.
    pool: 'forks',
    // Files share a process one after the other: loading the service again for each took a quarter of the time.
    isolate: false,
    // Tests wait for chains, clocks and processes more than they compute.
    maxWorkers: availableParallelism() + 1,
    // A machine shared with others may stall for seconds. What fails twice is broken.
    retry: process.env.CI ? 1 : 0,
    // A guard as well: the second that is usual passes on a busy machine before anything happens.
    expect: { poll: { timeout: 30_000 } },
    projects: [
      project('unit', ['{contract,server,web,sdk,cli,clients,integrations,scripts}/**/*.test.{ts,tsx}'], {
        exclude: [...skipped, 'server/test/**'],
        testTimeout: 20_000,
      }),
      project('api', ['server/test/*.test.ts', 'server/test/{api,support}/**/*.test.ts'], onDatabase),
      project('journeys', ['server/test/{journeys,programs}/**/*.test.ts'], onDatabase),
      // What `EXTRA_ASSETS` adds: tests of its own, and journeys again with the further coins and networks. Of the suites of
      // chains two run over the row of Tron, which differs most; `.ci/long` runs all of them over each.
      project(
        'networks',
        [
          'server/test/networks/*.test.ts',
          'server/test/journeys/{four-networks,solana-settlement}.test.ts',
          `server/test/journeys/${suitesOf(process.env.ROW)}.test.ts`,
        ],
        {
          ...onDatabase,
          env: { EXTRA_ASSETS: EXTRA_ASSET_KEYS.join(), ROW: process.env.ROW ?? 'USDT_TRON' },
        },
      ),
      project('e2e', ['e2e/**/*.test.ts'], { ...onDatabase, testTimeout: 240_000 }),
    ],
  },
});

function project(name: string, include: string[], test: object) {
  return { extends: true as const, test: { name, include, exclude: skipped, ...test } };
}

/** The suites of chains for a row of the networks, by its key. */
function suitesOf(row: string | undefined): string {
  if (row === undefined) return 'evm-{reorgs,tokens}';
  return row.endsWith('_SOLANA') ? 'solana-{faults,reading}' : 'evm-{agreement,faults,reorgs,tokens}';
}

/** Whether this machine has a file system in memory that programs may run from. A container's has 64 MB. */
function hasRoomInMemory(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    const options = /^\S+ \/dev\/shm tmpfs (\S+)/m.exec(readFileSync('/proc/mounts', 'utf8'))?.[1]?.split(',');
    return options?.includes('rw') === true && !options.includes('noexec') && bavail * bsize > ENOUGH_BYTES;
  } catch {
    return false;
  }
}
