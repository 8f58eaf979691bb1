import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { removeFaults } from '../../programs/simulation/fake-provider.ts';
import { FakeNetwork } from '../../support/fake-network.ts';

// What only one provider reports, or reports differently, is decided by the quorum. Neither strangers nor a liar may
// cause questions without a limit.
let net: FakeNetwork;
let checks: number;
/** The transfers to this address are counted: others may still be asked about. */
let address: string;

beforeAll(async () => {
  net = await FakeNetwork.start();
});
afterAll(() => net[Symbol.asyncDispose]());
beforeEach(() => {
  checks = 0;
  net.use({
    check: (...asked) => {
      if (asked[0].to === address) checks += 1;
      return net.fake.chain.check(...asked);
    },
  });
});
afterEach(() => {
  for (const provider of net.fake.providers) removeFaults(provider);
  net.use({});
});

test('transfers of strangers that both passes report cost none', async () => {
  const wallet = await net.wallet();
  address = wallet.address;
  await net.checkout(wallet);
  await net.blocks(1);
  net.send(
    ...Array.from({ length: 40 }, (_, at) => net.transaction(wallet.address, 1_000_000n + BigInt(at))),
    net.transaction(wallet.address, 1n),
  );
  await net.blocks(8);
  expect([await heldBetween(wallet.address, 1_000_000n, 1_000_039n), checks]).toEqual([40, 0]);
});

test('a transfer that a provider invents costs one, and ever fewer from then on, and becomes no money', async () => {
  const wallet = await net.wallet();
  address = wallet.address;
  const honest = await net.checkout(wallet);
  const [, liar] = net.fake.providers;
  if (!liar) throw new Error('there is no second provider');
  await net.blocks(1);
  for (let at = 0; at < 50; at += 1) liar.invents.push(net.transaction(wallet.address, 1_000_000n + BigInt(at)));
  await net.blocks(8);
  expect(await heldBetween(wallet.address, 1_000_000n, 1_000_049n)).toBeGreaterThan(30);
  expect(checks).toBeLessThanOrEqual(50);

  checks = 0;
  await net.minutes(5);
  expect(checks).toBeLessThanOrEqual(50 * 10);
  net.send(net.transaction(wallet.address, honest.amountUnits));
  await net.blocks(5);
  expect(await net.status(honest)).toBe('paid');
});

test("a stranger's transfer that honest providers show differently costs ever fewer", async () => {
  const wallet = await net.wallet();
  address = wallet.address;
  await net.checkout(wallet);
  const [, other] = net.fake.providers;
  if (!other) throw new Error('there is no second provider');
  other.changes = { field: 'reference', digits: '0123456789abcdef' };
  await net.blocks(1);
  const tagged = net.transaction(wallet.address, 2_000_000n);
  for (const movement of tagged.movements) movement.carried = [Buffer.from(net.random.hex(16).slice(2), 'hex')];
  net.send(tagged);
  await net.blocks(8);
  await net.minutes(10);
  expect(checks).toBeGreaterThan(1);
  // Each version is a question: two each time, after a quarter of the time that has passed.
  expect(checks).toBeLessThanOrEqual(2 * 20);
  const before = checks;
  await net.minutes(1);
  expect(checks).toBeLessThanOrEqual(before + 2);
});

/** How many transfers of these amounts an address holds. */
async function heldBetween(address: string, least: bigint, most: bigint): Promise<number> {
  const rows = await net.app.ctx.db.query(
    'test_held',
    'select 1 from transfers where to_address = $1 and amount_units between $2 and $3',
    [address, least, most],
  );
  return rows.length;
}
