import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { later, MINUTE_MS, SECOND_MS } from '../../../src/platform/time.ts';
import { findNetworkStates } from '../../../src/settlement/reading/network-health-store.ts';
import { tick } from '../../../src/settlement/watching/turns.ts';
import { startWatching } from '../../../src/watch.ts';
import { type FakeCheckout, FakeNetwork } from '../../support/fake-network.ts';

const PACE = { restMs: 2 * MINUTE_MS, openMs: 8 * SECOND_MS, secondMs: 30 * SECOND_MS };
let net: FakeNetwork;
let wallet: { id: string; address: string };
let checkout: FakeCheckout;
let aheadMs: number;

beforeEach(async () => {
  net = await FakeNetwork.start({ confirmations: 10 });
  net.fake.sync();
  wallet = await net.wallet();
  checkout = await net.checkout(wallet);
  aheadMs = 0;
  const nowMs = performance.now.bind(performance);
  vi.spyOn(performance, 'now').mockImplementation(() => nowMs() + aheadMs);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await net[Symbol.asyncDispose]();
});

/** Turns each two seconds; how many of them read. */
async function turns(seconds: number): Promise<number> {
  let reads = 0;
  for (let passed = 0; passed < seconds; passed += 2) {
    net.now = later(net.now, 2 * SECOND_MS);
    aheadMs += 2 * SECOND_MS;
    net.ledger.mineUntil(net.now);
    net.fake.sync();
    if ((await tick(net.ctx, 'base', net.watcher, PACE)) !== 'resting') reads += 1;
  }
  return reads;
}

function requests(): number {
  return net.fake.providers.reduce((sum, provider) => sum + provider.requests, 0);
}

const POLLED = '/v1/public/checkout/sessions';

/** Looks at a session, as its page does that polls, or a browser that loads it again and again. */
function look(path = POLLED): Promise<unknown> {
  return net.app.inject('GET', `${path}/${checkout.id}`);
}

describe('an open payment that no customer waits for', () => {
  test('is read for each eight seconds, by a lease that lasts and with progress', async () => {
    await turns(2);
    expect(await turns(40)).toBe(5);
    const state = (await findNetworkStates(net.ctx.db, net.now)).get('base');
    expect(state).toMatchObject({ rests: false, isStalled: false, isOffered: true });
    expect(state?.progressedAt?.getTime()).toBeGreaterThan(net.now.getTime() - 2 * SECOND_MS);
  });

  test('is read for in each turn once its money is seen, until it is paid', async () => {
    await turns(10);
    net.send(net.transaction(wallet.address, checkout.amountUnits));
    await turns(10);
    expect(await net.status(checkout)).toBe('pending');
    expect(await turns(8)).toBe(4);
    await turns(20);
    expect(await net.status(checkout)).toBe('paid');
  });
});

describe('a customer who waits', () => {
  test.each([POLLED, '/checkout'])('is noticed by a worker of another process at once (%s)', async (path) => {
    const worker = startWatching(net.ctx);
    try {
      // The time of this shop stands still, so that nothing is read again.
      let asked = 0;
      const isQuiet = () => {
        const before = asked;
        asked = requests();
        return asked > 0 && asked === before;
      };
      await expect.poll(isQuiet, { timeout: 20_000, interval: 500 }).toBe(true);
      await look(path);
      await expect.poll(() => requests() > asked, { interval: 20 }).toBe(true);
    } finally {
      await worker.stop();
    }
  });

  test('causes a signal each ten seconds, however many look, and none before they chose', async () => {
    const heard: string[] = [];
    const stop = await net.app.ctx.db.listen('demand', (network) => heard.push(network));
    const unstarted = await net.app.merchant.live.createSession({ payout_wallet_id: wallet.id });
    await net.app.inject('GET', `/v1/public/checkout/sessions/${unstarted.id}`);
    await look();
    await expect.poll(() => heard).toEqual(['base']);
    checkout = await net.checkout(wallet);
    await expect.poll(() => heard).toEqual(['base', 'base']);
    await look();
    aheadMs += 11 * SECOND_MS;
    await look();
    await expect.poll(() => heard).toEqual(['base', 'base', 'base']);
    await stop();
  });
});
