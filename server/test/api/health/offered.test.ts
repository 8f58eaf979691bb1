import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { TemporaryError } from '../../../src/platform/errors.ts';
import { later, SECOND_MS } from '../../../src/platform/time.ts';
import { recordIdle } from '../../../src/settlement/reading/cursor-store.ts';
import { findNetworkStates, recordNetworkHealth } from '../../../src/settlement/reading/network-health-store.ts';
import { noteIdle, probe as probeIdle } from '../../../src/settlement/watching/note-health.ts';
import { tick } from '../../../src/settlement/watching/turns.ts';
import { createWatcher } from '../../../src/settlement/watching/watcher.ts';
import { FakeNetwork } from '../../support/fake-network.ts';
import { startApp } from '../../support/index.ts';

let net: FakeNetwork;

beforeAll(async () => {
  net = await FakeNetwork.start();
});
afterAll(() => net[Symbol.asyncDispose]());

describe('an API process offers a live network by what workers wrote down, not by its own silence', () => {
  const PRODUCTION = { PROFILE: 'production', PUBLIC_URL: 'https://pay.example.com', MASTER_KEY: 'ab'.repeat(32) };

  // What was read is kept for seconds, which both wait for at once.
  test.concurrent.for([
    ['production', PRODUCTION],
    ['development with a worker of its own', { ROLE: 'api' }],
  ] as const)('in %s', async ([, env], { expect }) => {
    await using app = await startApp({ env, overrides: { chains: new Map([['base', net.fake.chain]]) } });
    const wallet = await app.merchant.live.createWallet({
      asset: 'USDC',
      network: 'base',
      address: '0x52908400098527886E0F7030069857D2E4169EE7',
    });
    const isOffered = async () => {
      const session = await app.merchant.live.createSession({ payout_wallet_id: wallet.id });
      const { body } = await app.inject('GET', `/v1/public/checkout/sessions/${session.id}`);
      return body.data.options.find((option: { kind: string }) => option.kind === 'direct').available;
    };
    const becomes = (offered: boolean) => expect.poll(isOffered, { interval: 200 }).toBe(offered);
    const progress = async (secondsAgo: number) =>
      app.ctx.db.query('test_progress', `update chain_cursors set progressed_at = $1`, [
        later(await app.ctx.db.now(), -secondsAgo * SECOND_MS),
      ]);
    const isStalled = async () => (await findNetworkStates(app.ctx.db, await app.ctx.db.now())).get('base')?.isStalled;
    expect(await isOffered()).toBe(true);

    await recordNetworkHealth(app.ctx.db, { ...net.fake.chain, health: () => DEAD }, 'worker', false);
    await becomes(false);
    await recordNetworkHealth(app.ctx.db, net.fake.chain, 'another worker', true);
    await recordIdle(app.ctx.db, 'base', await app.ctx.db.now());
    await becomes(true);

    // Stalled and not offered are one rule.
    await progress(31);
    await becomes(false);
    expect(await isStalled()).toBe(true);
    await progress(0);
    await becomes(true);
    expect(await isStalled()).toBe(false);
  });
});

test('a network without open checkouts is not offered half a minute after its providers stopped answering, and again once one does', async () => {
  const watcher = createWatcher('worker');
  const ctx = { ...net.ctx, config: { ...net.ctx.config, profile: 'production' as const } };
  let isDead = false;
  const probe = () => (isDead ? Promise.reject(new TemporaryError('no answer')) : Promise.resolve());
  const turn = async () => {
    const chains = new Map([['base' as const, { ...net.fake.chain, probe }]]);
    expect(await tick({ ...ctx, chains }, 'base', watcher)).toBe('idle');
    await probeIdle({ ...ctx, chains }, 'base', watcher);
    await noteIdle({ ...ctx, chains }, 'base', watcher);
  };
  const state = async () => (await findNetworkStates(ctx.db, net.now)).get('base');
  const clock = vi.spyOn(performance, 'now');
  const pass = (seconds: number) => {
    clock.mockReturnValue(performance.now() + seconds * SECOND_MS);
    net.now = later(net.now, seconds * SECOND_MS);
  };

  await turn();
  expect(await state()).toMatchObject({ isOffered: true });
  isDead = true;
  pass(60);
  await turn();
  pass(1);
  expect(await state()).toMatchObject({ isOffered: false, isStalled: false });
  isDead = false;
  pass(10);
  await turn();
  expect(await state()).toMatchObject({ isOffered: true });
  clock.mockRestore();
});

const DEAD = {
  reachable: false,
  isDownToOne: false,
  providers: [{ name: 'rpc.example', healthy: false, lastError: 'no answer', lastAnsweredAt: null }],
};
