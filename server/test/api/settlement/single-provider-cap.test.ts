import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Transfer } from '../../../src/outside/chains/chain.ts';
import { later, MINUTE_MS } from '../../../src/platform/time.ts';
import { reserveSingleProvider } from '../../../src/settlement/verification/single-provider.ts';
import { startApp, type TestApp } from '../../support/app.ts';

let app: TestApp;
let now: Date;

const verdict = {
  type: 'stands' as const,
  transfer: {} as Transfer,
  providers: ['one'],
  head: { number: 1n, safe: null, finalized: null },
  alone: { unreachable: [{ provider: 'two', forMs: 11 * MINUTE_MS }] },
};

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app[Symbol.asyncDispose]());
beforeEach(async () => {
  now = await app.ctx.db.now();
  await app.ctx.db.query('test_forget_single_provider', 'delete from single_provider_settlements');
  // The network's row is there already, as it is after the first transfer.
  await reserve('first ever', 0n);
});

function reserve(
  transferId: string,
  usdMinor: bigint,
  {
    at = now,
    network = 'base' as const,
    meanwhile = async () => {},
  }: { at?: Date; network?: 'base' | 'ethereum'; meanwhile?: () => Promise<void> } = {},
) {
  return app.ctx.db.transaction(async (db) => {
    // Another one is begun meanwhile.
    await db.query('test_begin', 'select 1');
    const reserved = await reserveSingleProvider(app.ctx, db, {
      network,
      transferId,
      worthUsdMinor: usdMinor,
      verdict,
      now: at,
    });
    await meanwhile();
    return reserved;
  });
}

test('the evidence says who could be asked, who could not and since when, and what the hour adds up to', async () => {
  await reserve('a', 900_00n);
  expect(await reserve('b', 12_34n)).toEqual({
    provider: 'one',
    unreachable: { two: later(now, -11 * MINUTE_MS).toISOString() },
    usd: '12.34',
    hourTotalUsd: '912.34',
  });
});

test('the cap is whole, per network, and frees with the hour', async () => {
  expect(await reserve('a', 1_999_99n)).toBeDefined();
  expect(await reserve('b', 2n)).toBeUndefined();
  expect(await reserve('c', 1n)).toMatchObject({ hourTotalUsd: '2000.00' });
  expect(await reserve('d', 900_00n, { network: 'ethereum' })).toBeDefined();
  expect(await reserve('e', 900_00n, { at: later(now, 59 * MINUTE_MS) })).toBeUndefined();
  expect(await reserve('e', 900_00n, { at: later(now, 60 * MINUTE_MS) })).toMatchObject({ hourTotalUsd: '900.00' });
});

test('a transfer that is reserved a second time counts once', async () => {
  for (let time = 0; time < 3; time += 1) expect(await reserve('a', 900_00n)).toMatchObject({ hourTotalUsd: '900.00' });
});

test('a rolled-back amount does not count', async () => {
  await expect(
    reserve('a', 2_000_00n, { meanwhile: () => Promise.reject(new Error('settling failed')) }),
  ).rejects.toThrow('settling failed');
  expect(await reserve('b', 2_000_00n)).toBeDefined();
});

test('two transactions at once do not both use what is left', async () => {
  let second: ReturnType<typeof reserve> | undefined;
  const first = await reserve('a', 1_500_00n, {
    meanwhile: async () => {
      second = reserve('b', 1_500_00n);
      // Long enough for the second one to get as far as it can while the first holds the network's row.
      await expect
        .poll(
          async () =>
            (
              await app.ctx.db.query<{ waits: bigint }>(
                'test_waits',
                `
        select count(*) as waits from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
              )
            )[0]?.waits ?? 0n,
          { timeout: 2_000 },
        )
        .toBeGreaterThan(0n)
        .catch(() => {});
    },
  });
  expect([first, await second].filter(Boolean)).toHaveLength(1);
});
