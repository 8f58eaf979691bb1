import { expect, test, vi } from 'vitest';
import type { Chain } from '../../../src/outside/chains/chain.ts';
import type { Database } from '../../../src/platform/db/db.ts';
import { later, SECOND_MS } from '../../../src/platform/time.ts';
import { tick } from '../../../src/settlement/watching/turns.ts';
import { createWatcher } from '../../../src/settlement/watching/watcher.ts';
import { FakeNetwork } from '../../support/fake-network.ts';

test('a turn that takes long keeps the lease beside a standby, and loses it without progress', async () => {
  await using slow = await FakeNetwork.start();
  await slow.checkout(await slow.wallet());
  await slow.blocks(1);
  slow.now = later(slow.now, 60 * SECOND_MS);
  const [others, standby] = [slow.ctx, createWatcher('standby')];
  const asked = Promise.withResolvers<void>();
  const head: Chain['head'] = () => {
    asked.resolve();
    return new Promise(() => {});
  };
  slow.use({ head });
  let aheadMs = 0;
  const nowMs = performance.now.bind(performance);
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => nowMs() + aheadMs);
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  try {
    let extensions = 0;
    const query = (async (name: string, ...rest: [string, unknown[]]) => {
      const rows = await others.db.query(name, ...rest);
      if (name === 'extend_lease') extensions += 1;
      return rows;
    }) as Database['query'];
    void tick({ ...slow.ctx, db: { ...others.db, query } }, 'base', createWatcher('slow'));
    await asked.promise;
    const leaseUntil = async () => {
      const [row] = await others.db.query<{ until: Date }>(
        'test_lease_until',
        `select lease_until as until from chain_cursors where pass = 'first'`,
        [],
      );
      return row?.until.getTime() ?? 0;
    };
    const pass = async () => {
      const [before, tried] = [await leaseUntil(), extensions];
      aheadMs += 5 * SECOND_MS;
      slow.now = later(slow.now, 5 * SECOND_MS);
      vi.advanceTimersByTime(5 * SECOND_MS);
      await expect.poll(() => extensions).toBeGreaterThan(tried);
      return (await leaseUntil()) > before;
    };
    for (let passed = 0; passed < 5; passed += 1) expect(await pass()).toBe(true);
    expect(await tick(others, 'base', standby)).toBe('elsewhere');
    for (let passed = 0; passed < 6; passed += 1) await pass();
    expect(await tick(others, 'base', standby)).not.toBe('elsewhere');
  } finally {
    vi.useRealTimers();
    clock.mockRestore();
  }
});
