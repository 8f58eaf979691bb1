import { afterAll, beforeAll, expect, test } from 'vitest';
import { claimAlarmMails } from '../../../src/alarms/store.ts';
import { later, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../src/platform/time.ts';
import { acquireLease, recordIdle } from '../../../src/settlement/reading/cursor-store.ts';
import { findNetworkStates } from '../../../src/settlement/reading/network-health-store.ts';
import { FakeNetwork } from '../../support/fake-network.ts';

/** The database moves to a machine whose clock is behind that of the one that died. */
let net: FakeNetwork;
beforeAll(async () => {
  net = await FakeNetwork.start();
});
afterAll(() => net[Symbol.asyncDispose]());

const acquire = (holder: string, now: Date) =>
  acquireLease(net.ctx.db, 'base', holder, { now, until: later(now, 10 * SECOND_MS) });
const leaseEnd = async () =>
  (await net.ctx.db.query<{ until: Date }>('test_lease_end', 'select max(lease_until) as until from chain_cursors'))[0]
    ?.until;

test('the lease of a dead reader that ends hours ahead is taken, and one that ends within a minute is not', async () => {
  const { now } = net;
  expect(await acquire('dead', now)).toBeDefined();
  expect(await acquire('other', later(now, -45 * SECOND_MS))).toBeUndefined();
  const behind = later(now, -2 * HOUR_MS);
  expect(await acquire('other', behind)).toBeDefined();
  expect(await leaseEnd()).toEqual(later(behind, 10 * SECOND_MS));
  // Its own, too, does not outlast its next change of the clock.
  expect(await acquire('other', later(behind, -2 * HOUR_MS))).toBeDefined();
  expect(await leaseEnd()).toEqual(later(behind, -2 * HOUR_MS + 10 * SECOND_MS));
});

test('a network whose reader made progress hours ahead is stalled, and an idle one is written down again', async () => {
  await net.checkout(await net.wallet());
  await net.blocks(2);
  net.now = later(net.now, -2 * HOUR_MS);
  const state = async () => (await findNetworkStates(net.ctx.db, net.now)).get('base');
  expect(await state()).toMatchObject({ isStalled: true });
  await recordIdle(net.ctx.db, 'base', net.now);
  expect((await state())?.progressedAt).toEqual(net.now);
});

test('an alarm that was mailed hours ahead is mailed again, and once by processes that look at the same time', async () => {
  const claim = (now: Date) =>
    net.ctx.db.transaction((db) => claimAlarmMails(db, ['network_stalled'], { now, since: later(now, -HOUR_MS) }));
  const { now } = net;
  expect(await claim(now)).toMatchObject([{ mailedAt: null }]);
  expect(await claim(later(now, -30 * SECOND_MS))).toMatchObject([{ mailedAt: now }]);
  expect(await claim(later(now, -5 * MINUTE_MS))).toMatchObject([{ mailedAt: null }]);
});
