import { expect, test } from 'vitest';
import { reportStalled, type StalledNetworks } from '../../../src/alarms/stalled-networks.ts';
import { DAY_MS, later, SECOND_MS } from '../../../src/platform/time.ts';
import { findNetworkStates } from '../../../src/settlement/reading/network-health-store.ts';
import { FakeNetwork } from '../../support/fake-network.ts';

test('a database that was away raises no alarm of a network that is read again within half a minute', async () => {
  await using net = await stalledNetwork();
  await net.lookInVain(0);
  for (let atMs = 5_000; atMs < 40_000; atMs += 5_000) await net.look(atMs);
  expect(net.alarms()).toHaveLength(0);
  await net.look(40_000);
  expect(net.alarms()).toHaveLength(1);
});

test('a database that answers only now and then delays the alarm by less than a minute', async () => {
  await using net = await stalledNetwork();
  for (let atMs = 0; atMs < 80_000; atMs += 10_000) {
    await net.lookInVain(atMs);
    await net.look(atMs + 5_000);
  }
  expect(net.alarms()).toHaveLength(1);
});

/** A network that customers can pay on and that no process has read for 35 seconds. */
async function stalledNetwork() {
  const net = await FakeNetwork.start();
  await net.checkout(await net.wallet());
  await net.blocks(2);
  net.now = later(net.now, 35 * SECOND_MS);
  const stalled: StalledNetworks = new Map();
  const away = { ...net.ctx, db: { ...net.ctx.db, now: () => Promise.reject(new Error('connect ECONNREFUSED')) } };
  return {
    look: (atMs: number) => reportStalled(net.ctx, stalled, atMs),
    lookInVain: (atMs: number) => expect(reportStalled(away, stalled, atMs)).rejects.toThrow('ECONNREFUSED'),
    alarms: () => net.alarms('network_stalled'),
    [Symbol.asyncDispose]: () => net[Symbol.asyncDispose](),
  };
}

test('a network that was switched off raises no alarm from a day after its last checkout on', async () => {
  await using off = await FakeNetwork.start();
  await off.checkout(await off.wallet());
  const ctx = { ...off.ctx, chains: new Map() };
  const raised = async () => {
    const stalled: StalledNetworks = new Map();
    off.lines.length = 0;
    for (const atMs of [0, 5_000]) await reportStalled(ctx, stalled, atMs);
    return off.alarms('network_stalled').length;
  };
  off.now = later(off.now, 31 * SECOND_MS);
  expect(await raised()).toBe(1);
  off.now = later(off.now, 3 * DAY_MS);
  expect(await raised()).toBe(0);
  // Its wallets are still watched for late money where it has providers.
  expect((await findNetworkStates(off.ctx.db, off.now)).get('base')).toMatchObject({ isStalled: true });
});
