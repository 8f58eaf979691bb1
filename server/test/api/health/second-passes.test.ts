import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { reportSecondPasses, type SecondPassWatch } from '../../../src/alarms/second-passes.ts';
import { createApp } from '../../../src/app.ts';
import type { Chain } from '../../../src/outside/chains/chain.ts';
import { TemporaryError } from '../../../src/platform/errors.ts';
import { later, MINUTE_MS, SECOND_MS } from '../../../src/platform/time.ts';
import { releaseLease } from '../../../src/settlement/reading/cursor-store.ts';
import { createWatcher } from '../../../src/settlement/watching/watcher.ts';
import { type FakeProvider, removeFaults } from '../../programs/simulation/fake-provider.ts';
import { FakeNetwork } from '../../support/fake-network.ts';

let net: FakeNetwork;
let looks: SecondPassWatch;
beforeEach(async () => {
  net = await FakeNetwork.start();
  looks = { lookedAtMs: null, behind: new Map() };
  await net.checkout(await net.wallet(), net.app.merchant.live, { expires_in: 86_400 });
  await net.blocks(2);
});
afterEach(() => net[Symbol.asyncDispose]());

const other = () => net.fake.providers[1] as FakeProvider;
const alarms = () => net.alarms('second_pass_waits');
const look = () => reportSecondPasses(net.ctx, looks, net.now.getTime());

/** Lets time pass, with a look every five minutes. */
async function minutes(count: number): Promise<void> {
  for (let passed = 0; passed < count; passed += 5) {
    await net.minutes(5);
    await look();
  }
}

/** From now on the second pass covers this much of the chain in each half minute. */
function slowDown(ms: number): void {
  const { chain } = net.fake;
  let turn = { at: net.now, end: net.now };
  const read: Chain['read'] = async (step) => {
    if (step.pass === 'first') return chain.read(step);
    if (turn.at !== net.now) turn = { at: net.now, end: later(step.after.time, ms) };
    const to = net.ledger.blocks.findLast(
      ({ number, time }) => BigInt(number) <= step.until.number && time <= turn.end,
    );
    if (!to || BigInt(to.number) <= step.after.number) throw new TemporaryError('too many requests');
    const { hash, time } = to;
    return chain.read({ ...step, until: { number: BigInt(to.number), hash, time, safe: null, finalized: null } });
  };
  net.use({ read });
}

describe('a second pass that is an hour behind raises an alarm', () => {
  test('if its provider answers every call and stands still, again every hour until it reads on', async () => {
    other().isFrozen = true;
    await minutes(60);
    expect(alarms()).toEqual([]);
    await minutes(25);
    expect(alarms()).toMatchObject([{ network: 'base' }]);
    await minutes(60);
    expect(alarms()).toHaveLength(2);
    removeFaults(other());
    await minutes(10);
    expect(looks.behind.size).toBe(0);
  });

  test('if each of its reads is served and covers less than the chain makes meanwhile', async () => {
    slowDown(2 * SECOND_MS);
    await minutes(85);
    expect(alarms()).toHaveLength(1);
  });

  test('if workers come and go within each hour', async () => {
    other().isDown = true;
    for (let at = 0; at < 3; at += 1) {
      const { lease } = net.watcher.networks.get('base') ?? {};
      if (lease) await releaseLease(net.ctx.db, lease);
      Object.assign(net.watcher, createWatcher(`worker ${at}`));
      await minutes(30);
    }
    expect(alarms()).toHaveLength(1);
  });

  test('if it could not begin', async () => {
    await net.ctx.db.query(
      'test_unbegun',
      `update chain_cursors set block_number = null, block_hash = null, block_time = null where pass = 'second'`,
    );
    const { chain } = net.fake;
    net.use({
      blockAt: async (time, start) => {
        if (start?.pass === 'second') throw new TemporaryError('provider 1 has no old blocks');
        return chain.blockAt(time, start);
      },
    });
    await minutes(85);
    expect(alarms()).toHaveLength(1);
  });
});

test('a second pass that catches up after an outage raises no alarm', async () => {
  for (let passed = 0; passed < 150; passed += 1) {
    net.now = later(net.now, MINUTE_MS);
    net.ledger.mineUntil(net.now);
  }
  slowDown(2 * MINUTE_MS);
  await minutes(30);
  expect(looks.behind.size).toBe(1);
  await minutes(30);
  expect(looks.behind.size).toBe(0);
  expect(alarms()).toEqual([]);
});

test('a single provider has no second pass that could wait', async () => {
  const { networks } = net.ctx.config;
  const base = { ...networks.base, rpcUrls: networks.base.rpcUrls.slice(0, 1) };
  net.ctx = { ...net.ctx, config: { ...net.ctx.config, networks: { ...networks, base } } };
  other().isFrozen = true;
  await minutes(85);
  expect(alarms()).toEqual([]);
});

test('/readyz and /metrics of every process say how far the second pass is behind', async () => {
  const app = await createApp(net.ctx.config, net.ctx);
  const seen = async () => {
    const { networks } = (await app.server.inject({ url: '/readyz' })).json();
    const page = (await app.server.inject({ url: '/metrics' })).payload;
    return [
      networks.base.second_pass_behind_seconds,
      Number(/^quittance_second_pass_behind_seconds\{network="base"\} (\d+)$/m.exec(page)?.[1]),
    ];
  };
  try {
    expect(await seen()).toEqual([0, 0]);
    other().isFrozen = true;
    await net.minutes(20);
    await expect.poll(seen).toEqual([1200, 1200]);
  } finally {
    await app.close();
  }
});
