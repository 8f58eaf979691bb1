import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

const skipped = ['**/node_modules/**', '**/dist/**', '**/data/**'];

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
    projects: [
      {
        extends: true,
        test: {
          name: 'pure',
          include: ['{contract,server,web,sdk,cli,scripts}/**/*.test.{ts,tsx}'],
          exclude: [...skipped, 'server/test/**'],
          testTimeout: 20_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'server',
          include: ['server/test/**/*.test.ts'],
          exclude: skipped,
          globalSetup: ['server/test/support/global-setup.ts'],
          // A guard against hanging, not a measure: two busy cores may be slow.
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'e2e',
          include: ['e2e/**/*.test.ts'],
          exclude: skipped,
          globalSetup: ['server/test/support/global-setup.ts'],
          testTimeout: 240_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
