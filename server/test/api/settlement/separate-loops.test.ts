import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startWatching } from '../../../src/watch.ts';
import { type FakeCheckout, FakeNetwork } from '../../support/fake-network.ts';

// The loops as they run in production, on a network whose calls may never return.
let net: FakeNetwork;
let hanging: PromiseWithResolvers<never>;

beforeEach(async () => {
  net = await FakeNetwork.start();
  hanging = Promise.withResolvers();
  // It rejects at the end of a test, when nothing may wait for it any more.
  hanging.promise.catch(() => {});
  const { config } = net.ctx;
  const base = { ...config.networks.base, chainId: 31_337 };
  net.ctx = { ...net.ctx, config: { ...config, networks: { ...config.networks, base } } };
});
afterEach(() => net[Symbol.asyncDispose]());

const WAIT = { timeout: 20_000, interval: 50 };

test('a verification that hangs does not stop the reading and attribution of other payments', async () => {
  const wallet = await net.wallet();
  const [first, ...others] = [await net.checkout(wallet), await net.checkout(wallet), await net.checkout(wallet)];
  let checks = 0;
  net.use({
    check: () => {
      checks += 1;
      return hanging.promise;
    },
  });
  const watching = startWatching(net.ctx);
  try {
    await mine(1);
    net.send(net.transaction(wallet.address, first.amountUnits));
    await vi.waitFor(async () => {
      await mine(1);
      expect(checks).toBeGreaterThan(0);
    }, WAIT);

    // One after the other: a turn of reading may have begun before.
    for (const other of others) {
      net.send(net.transaction(wallet.address, other.amountUnits));
      await vi.waitFor(async () => {
        await mine(1);
        expect(await isAttributed(other)).toBe(true);
      }, WAIT);
    }
    expect(await net.status(first)).toBe('pending');
  } finally {
    hanging.reject(new Error('the test is over'));
    await watching.stop();
  }
});

test('a read that hangs does not stop the verification of payments that were read', async () => {
  const wallet = await net.wallet();
  const meant = await net.checkout(wallet);
  let [isReading, checks] = [true, 0];
  net.use({
    check: (...args) => {
      checks += 1;
      return isReading ? Promise.resolve({ type: 'unknown', details: 'no answer' }) : net.fake.chain.check(...args);
    },
    read: (...args) => (isReading ? net.fake.chain.read(...args) : hanging.promise),
  });
  const watching = startWatching(net.ctx);
  try {
    await mine(1);
    net.send(net.transaction(wallet.address, meant.amountUnits));
    await vi.waitFor(async () => {
      await mine(1);
      expect(checks).toBeGreaterThan(0);
    }, WAIT);
    expect(await net.status(meant)).toBe('pending');

    isReading = false;
    await vi.waitFor(async () => {
      await mine(1);
      expect(await net.status(meant)).toBe('paid');
    }, WAIT);
  } finally {
    hanging.reject(new Error('the test is over'));
    await watching.stop();
  }
});

async function isAttributed({ wallet, amountUnits }: FakeCheckout): Promise<boolean> {
  const rows = await net.app.ctx.db.query(
    'test_attributed',
    'select 1 from transfers where to_address = $1 and amount_units = $2 and payment_id is not null',
    [wallet, amountUnits.toString()],
  );
  return rows.length === 1;
}

/** Mines blocks that the providers know. The loops notice by themselves. */
async function mine(count: number): Promise<void> {
  await net.blocks(count, 0);
}
