import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { chooseDirect } from '../../../src/resources/checkout-sessions/choose-direct.ts';
import { findPublicView } from '../../../src/resources/checkout-sessions/public-session.ts';
import { later, MINUTE_MS, SECOND_MS } from '../../../src/platform/time.ts';
import { readHealth } from '../../../src/health.ts';
import { findLeasedNetworks } from '../../../src/health-store.ts';
import { expiryJob } from '../../../src/settlement/outcome/expire.ts';
import { findDemand } from '../../../src/settlement/reading/demand-store.ts';
import { findNetworkStates } from '../../../src/settlement/reading/network-health-store.ts';
import {
  type AmountPlace,
  findReservedAmounts,
  tryReserveAmount,
} from '../../../src/settlement/records/reserved-amount-store.ts';
import { signalDemand } from '../../../src/settlement/records/demand.ts';
import { readOrStandBack } from '../../../src/settlement/watching/standing-by.ts';
import { tick } from '../../../src/settlement/watching/turns.ts';
import { createWatcher, type Tick, type Watcher } from '../../../src/settlement/watching/watcher.ts';
import { startWatching } from '../../../src/watch.ts';
import { removeFaults } from '../../programs/simulation/fake-provider.ts';
import { type FakeCheckout, FakeNetwork } from '../../support/fake-network.ts';

const PACE = { restMs: 2 * MINUTE_MS, openMs: 0, secondMs: 0 };
let net: FakeNetwork;
let wallet: { id: string; address: string };
let aheadMs: number;

beforeEach(async () => {
  net = await FakeNetwork.start();
  net.fake.sync();
  wallet = await net.wallet();
  aheadMs = 0;
  const nowMs = performance.now.bind(performance);
  vi.spyOn(performance, 'now').mockImplementation(() => nowMs() + aheadMs);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await net[Symbol.asyncDispose]();
});

/** Time passes, with blocks that the providers have, or do not show yet. */
function pass(seconds: number, { shown = true } = {}): void {
  net.now = later(net.now, seconds * SECOND_MS);
  aheadMs += seconds * SECOND_MS;
  net.ledger.mineUntil(net.now);
  if (shown) net.fake.sync();
}

/** One turn of a worker. */
function turn(watcher: Watcher = net.watcher): Promise<Tick> {
  return tick(net.ctx, 'base', watcher, PACE);
}

/** Turns each two seconds; how often the providers were asked meanwhile. */
async function turns(seconds: number, watcher: Watcher = net.watcher): Promise<number> {
  const before = requests();
  for (let passed = 0; passed < seconds; passed += 2) {
    pass(2);
    await turn(watcher);
  }
  return requests() - before;
}

function requests(): number {
  return net.fake.providers.reduce((sum, provider) => sum + provider.requests, 0);
}

async function untilRest(watcher: Watcher = net.watcher): Promise<void> {
  for (let tries = 0; tries < 60; tries += 1) {
    if ((await turn(watcher)) === 'resting') return;
    pass(2);
  }
  throw new Error('the network does not rest');
}

/** A session that its customer has only opened. */
function opened(fields: object = {}): Promise<{ id: string }> {
  return net.app.merchant.live.createSession({ payout_wallet_id: wallet.id, expires_in: 7200, ...fields });
}

async function state() {
  return (await findNetworkStates(net.ctx.db, net.now)).get('base');
}
const rests = async () => (await state())?.rests;

async function expire(): Promise<void> {
  await expiryJob.run(net.ctx, new AbortController().signal, () => {});
}

/** A started payment whose end is that many seconds from now. */
async function endingIn(seconds: number): Promise<FakeCheckout> {
  const checkout = await net.checkout(wallet);
  await endIn(checkout.id, seconds);
  return checkout;
}

/** A payment that has ended unpaid, on a network that rests. */
async function ended(): Promise<FakeCheckout> {
  const checkout = await endingIn(10);
  await turns(16);
  await expire();
  await untilRest();
  return checkout;
}

async function endIn(id: string, seconds: number): Promise<void> {
  const values = [id, later(net.now, seconds * SECOND_MS)];
  await net.ctx.db.query('test_end', 'update payments set expires_at = $2 where session_id = $1', values);
}

describe('a network on which no customer can pay', () => {
  test('is looked at every two minutes, and stays leased, offered and in progress meanwhile', async () => {
    await opened();
    await untilRest();
    // Each provider shows once a minute that it would answer.
    expect(await turns(110)).toBeLessThanOrEqual(2 * net.fake.providers.length);
    expect(await state()).toMatchObject({ rests: true, isStalled: false, isOffered: true });
    expect((await state())?.progressedAt?.getTime()).toBeGreaterThan(net.now.getTime() - 2 * SECOND_MS);
    expect(await findLeasedNetworks(net.ctx.db, net.now)).toEqual(['base']);
    expect((await readHealth(net.ctx)).networks.base).toMatchObject({ behind_seconds: null, stalled: false });
    const before = (await state())?.readUntil;
    await turns(20);
    expect((await state())?.readUntil?.getTime()).toBeGreaterThan((before?.getTime() ?? 0) + 100 * SECOND_MS);
  });

  test('is read from the next turn on once a customer chooses, until the payment is paid, and then rests again', async () => {
    await opened();
    await untilRest();
    const honest = await net.checkout(wallet);
    expect(await turn()).toBe('current');
    expect((await readHealth(net.ctx)).networks.base).toMatchObject({ behind_seconds: expect.any(Number) });
    net.send(net.transaction(wallet.address, honest.amountUnits));
    for (let tries = 0; tries < 10 && (await net.status(honest)) !== 'paid'; tries += 1) await turns(2);
    expect(await net.status(honest)).toBe('paid');
    await untilRest();
    expect(await turns(50)).toBeLessThanOrEqual(net.fake.providers.length);
  });

  test('is read for a minute after the last reason, because nodes show a block after its time', async () => {
    const { id } = await opened();
    await chooseDirect(net.ctx, await findPublicView(net.ctx, id), { sender: null, client: null, start: false });
    const held = await net.ctx.db.query<{ amountUnits: bigint }>('test_held', 'select * from reserved_amounts');
    await endIn(id, 3);
    net.send(net.transaction(wallet.address, held[0]?.amountUnits ?? 0n));
    pass(10, { shown: false }); // The block has a time before the end, and the nodes show it later.
    await turn();
    await expire();
    pass(2, { shown: false });
    await turn();
    expect((await net.app.merchant.live.get(`/checkout/sessions/${id}`)).status).toBe('expired');
    await turns(10);
    expect((await net.app.merchant.live.get(`/checkout/sessions/${id}`)).status).toBe('paid');
  });

  test('is read once a program has been given an address, although its payment has not begun', async () => {
    const { id } = await opened();
    await untilRest();
    expect(await findDemand(net.ctx.db, 'base', net.now)).toBeNull();
    await chooseDirect(net.ctx, await findPublicView(net.ctx, id), { sender: null, client: null, start: false });
    expect((await net.app.merchant.live.get(`/checkout/sessions/${id}`)).status).toBe('created');
    expect(await findDemand(net.ctx.db, 'base', net.now)).not.toBeNull();
    expect(await turn()).toBe('current');
  });

  test('is read while a routed payment waits for its payout there, wherever its customer pays', async () => {
    const { id } = await net.checkout(wallet);
    const become = (status: string) =>
      net.ctx.db.query(
        'test_become',
        `update payments set route = 'routed', pay_network = 'bitcoin', status = $2 where session_id = $1`,
        [id, status],
      );
    const needed = () =>
      Promise.all((['base', 'polygon'] as const).map((network) => findDemand(net.ctx.db, network, net.now)));
    for (const status of ['pending', 'routing', 'settling']) {
      await become(status);
      expect([status, ...(await needed())]).toEqual([status, 'open', null]);
    }
    await become('failed');
    expect(await needed()).toEqual([null, null]);
  });

  test('is looked at again by the next worker as soon as that one has the lease', async () => {
    await opened();
    await untilRest();
    await turns(40);
    const standby = createWatcher('standby');
    expect(await turn(standby)).toBe('elsewhere');
    // The first worker is killed.
    pass(11);
    expect(await turn(standby)).toBe('current');
    expect(await turn(standby)).toBe('resting');
    expect(await turn()).toBe('elsewhere');
    const honest = await net.checkout(wallet);
    net.send(net.transaction(wallet.address, honest.amountUnits));
    // So is the second one, while the network wakes.
    pass(2);
    expect(await turn(standby)).toBe('current');
    pass(11);
    await turns(20);
    expect(await net.status(honest)).toBe('paid');
  });

  test('becomes known as unreachable within a minute and a half, and as reachable again', async () => {
    await opened();
    await untilRest();
    const worker = () =>
      readOrStandBack(net.ctx, 'base', net.watcher, { failures: 0, pace: PACE, signal: AbortSignal.abort() }).catch(
        String,
      );
    for (const provider of net.fake.providers) provider.isDown = true;
    for (let passed = 0; passed < 92; passed += 2) {
      pass(2);
      await worker();
    }
    expect(await state()).toMatchObject({ isOffered: false, isStalled: true });
    for (const provider of net.fake.providers) removeFaults(provider);
    pass(16);
    await worker();
    expect(await state()).toMatchObject({ isOffered: true, isStalled: false, isReachable: true });
  });
});

describe('money and time while a network rests', () => {
  test('a payment that is due to end keeps its network awake until it has ended', async () => {
    const checkout = await endingIn(30);
    for (let passed = 0; passed < 40; passed += 2) {
      pass(2);
      expect(await turn()).not.toBe('resting');
    }
    await expire();
    expect(await net.status(checkout)).toBe('expired');
    await untilRest();
  });

  test('late money is found at the next look and judged by the time of its block', async () => {
    const [early, late] = [await endingIn(30), await endingIn(30)];
    await turns(20);
    net.send(net.transaction(wallet.address, early.amountUnits));
    await turns(16);
    await expire();
    expect([await net.status(early), await net.status(late)]).toEqual(['paid', 'expired']);
    await untilRest();
    await turns(20);
    net.send(net.transaction(wallet.address, late.amountUnits));
    await turns(20);
    expect(await net.status(late)).toBe('expired');
    await turns(130);
    expect(await net.status(late)).toBe('refund_required');
    await untilRest();
  });

  test('a session that ended without a choice is paid by a block in time that a later look reads', async () => {
    const { id } = await opened();
    await untilRest();
    const [session] = await net.ctx.db.query<{ reference: Buffer; amountMinor: bigint }>(
      'test_reference',
      'select reference, amount_minor from checkout_sessions where id = $1',
      [id],
    );
    await net.ctx.db.query('test_end', 'update payments set expires_at = $2 where session_id = $1', [
      id,
      later(net.now, 40 * SECOND_MS),
    ]);
    const paying = net.transaction(wallet.address, (session?.amountMinor ?? 0n) * 10_000n);
    for (const movement of paying.movements) movement.carried.push(session?.reference.subarray(0, 16) as Buffer);
    net.send(paying);
    await turns(20);
    pass(21);
    await turn();
    await expire();
    expect((await net.app.merchant.live.get(`/checkout/sessions/${id}`)).status).toBe('expired');
    await turns(130);
    expect((await net.app.merchant.live.get(`/checkout/sessions/${id}`)).status).toBe('paid');
  });

  test('a reorganization across a rest is followed at the next look', async () => {
    const late = await ended();
    pass(20);
    net.send(net.transaction(wallet.address, late.amountUnits));
    net.ledger.reorg(14);
    net.fake.sync();
    await turns(140);
    expect(await net.status(late)).toBe('refund_required');
  });

  test('a hint for a payment that has ended has its network read for ten minutes', async () => {
    const late = await ended();
    const transaction = net.transaction(wallet.address, late.amountUnits);
    const hinted = await net.app.inject('POST', `/v1/public/checkout/sessions/${late.id}/transactions`, {
      body: { tx_hash: transaction.hash },
    });
    expect(hinted.status).toBe(202);
    expect(await turn()).toBe('current');
    await turns(20);
    net.send(transaction);
    await turns(20);
    expect(await net.status(late)).toBe('refund_required');
    await turns(600);
    await untilRest();
  });

  test('an amount is given again only once both passes have read past its quarantine', async () => {
    const first = await endingIn(10);
    await turns(16);
    await expire();
    await untilRest();
    const [held] = await net.ctx.db.query<AmountPlace & { amountUnits: bigint; until: Date }>(
      'test_held_back',
      'select livemode, network, address, asset, amount_units, reserved_until as until from reserved_amounts',
    );
    if (!held) throw new Error('the payment holds no amount');
    const other = await net.app.merchant.live.createSession({ payout_wallet_id: wallet.id });
    const [payment] = await net.ctx.db.query<{ id: string }>(
      'test_payment',
      'select payment_id as id from checkout_sessions where id = $1',
      [other.id],
    );
    const holder = { paymentId: payment?.id ?? '', purpose: 'target' as const };
    const isGiven = async () => {
      const [seen] = await findReservedAmounts(net.ctx.db, held, [first.amountUnits]);
      const isFree = seen?.until != null && seen.until <= net.now;
      const isTaken = await tryReserveAmount(
        net.ctx.db,
        { place: held, amountUnits: first.amountUnits },
        holder,
        net.now,
      );
      expect(isTaken).toBe(isFree);
      return isTaken;
    };
    const second = (fields: string, name: string) =>
      net.ctx.db.query(`test_${name}`, `update chain_cursors set ${fields} where pass = 'second'`);

    pass((held.until.getTime() - net.now.getTime()) / SECOND_MS - 30);
    net.watcher.networks.clear();
    await untilRest();
    await turns(40);
    expect([held.until < net.now, await isGiven()]).toEqual([true, false]);
    await turns(130);
    await second("block_time = block_time - interval '1 hour'", 'behind');
    expect(await isGiven()).toBe(false);
    await second('waits_for_provider = true', 'waits');
    expect(await isGiven()).toBe(true);
  });
});

describe('transfers and a rest', () => {
  test('a contested transfer keeps its network awake for a day, and one that a payment waits for until it is final', async () => {
    const late = await ended();
    pass(119);
    net.send(net.transaction(wallet.address, late.amountUnits));
    pass(2);
    await turn();
    expect(await findDemand(net.ctx.db, 'base', net.now)).not.toBeNull();
    await turns(20);
    expect(await findDemand(net.ctx.db, 'base', net.now)).toBeNull();

    const contest = (since: Date) =>
      net.ctx.db.query(
        'test_contest',
        `update transfers set status = 'seen', payment_id = null, contested = $1::jsonb`,
        [JSON.stringify({ since, versions: [] })],
      );
    await contest(later(net.now, -23 * 60 * MINUTE_MS));
    expect(await findDemand(net.ctx.db, 'base', net.now)).not.toBeNull();
    await contest(later(net.now, -25 * 60 * MINUTE_MS));
    expect(await findDemand(net.ctx.db, 'base', net.now)).toBeNull();
  });
});

test('a choice made in another process wakes running workers within a second', async () => {
  await opened();
  const worker = startWatching(net.ctx);
  try {
    await expect.poll(rests, { timeout: 20_000 }).toBe(true);
    const asked = requests();
    await net.checkout(wallet);
    // A network at rest is looked at each two seconds without a signal.
    await expect.poll(() => requests() > asked, { timeout: 1_000, interval: 20 }).toBe(true);
    await expect.poll(rests).toBe(false);
  } finally {
    await worker.stop();
  }
});

test('a request to look wakes a network that goes on resting', async () => {
  await opened();
  const worker = startWatching(net.ctx);
  try {
    await expect.poll(rests, { timeout: 20_000 }).toBe(true);
    const asked = requests();
    signalDemand(net.app.ctx.db, 'base');
    await expect.poll(() => requests() > asked, { interval: 20 }).toBe(true);
    await expect.poll(rests).toBe(true);
  } finally {
    await worker.stop();
  }
});
