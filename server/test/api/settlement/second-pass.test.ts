import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Pass } from '../../../src/outside/chains/chain.ts';
import { later, SECOND_MS } from '../../../src/platform/time.ts';
import { expiryJob } from '../../../src/settlement/outcome/expire.ts';
import { tick } from '../../../src/settlement/watching/turns.ts';
import { removeFaults } from '../../programs/simulation/fake-provider.ts';
import { type FakeCheckout, FakeNetwork } from '../../support/fake-network.ts';

// A second pass each half minute, on a network that customers pay on.
const PACE = { restMs: 0, openMs: 0, secondMs: 30 * SECOND_MS };
let net: FakeNetwork;
let wallet: { id: string; address: string };
/** The passes that read, in order, with the time. */
let reads: { pass: Pass; at: Date }[];

beforeEach(async () => {
  net = await FakeNetwork.start();
  net.fake.sync();
  wallet = await net.wallet();
  reads = [];
  const { chain } = net.fake;
  net.use({
    read: async (step) => {
      const reading = await chain.read(step);
      reads.push({ pass: step.pass, at: net.now });
      return reading;
    },
  });
});
afterEach(() => net[Symbol.asyncDispose]());

/** A turn each two seconds, and the expiry job after it. */
async function turns(seconds: number): Promise<void> {
  for (let passed = 0; passed < seconds; passed += 2) {
    net.now = later(net.now, 2 * SECOND_MS);
    net.ledger.mineUntil(net.now);
    net.fake.sync();
    await tick(net.ctx, 'base', net.watcher, PACE);
    await expiryJob.run(net.ctx, new AbortController().signal, () => {});
  }
}

/** How many turns of a pass have read. */
function turnsOf(pass: Pass): number {
  return new Set(reads.filter((one) => one.pass === pass).map(({ at }) => at.getTime())).size;
}

async function endAt(checkout: FakeCheckout, end: Date): Promise<void> {
  await net.ctx.db.query('test_end', 'update payments set expires_at = $2 where session_id = $1', [checkout.id, end]);
}

test('the second pass reads each half minute', async () => {
  await net.checkout(wallet);
  await turns(8);
  reads = [];
  await turns(120);
  expect([turnsOf('first'), turnsOf('second')]).toEqual([60, 4]);
});

test('a payment ends within a turn of its end, because the second pass reads past it at once', async () => {
  const checkout = await net.checkout(wallet);
  await turns(40);
  for (const seconds of [5, 17, 29]) {
    const one = seconds === 5 ? checkout : await net.checkout(wallet);
    const end = later(net.now, seconds * SECOND_MS);
    await endAt(one, end);
    while (net.now < end) await turns(2);
    await turns(2);
    expect([seconds, await net.status(one)]).toEqual([seconds, 'expired']);
  }
});

test('the second pass reads at once when the first one has changed its provider', async () => {
  await net.checkout(wallet);
  await turns(40);
  reads = [];
  await turns(4);
  expect(turnsOf('second')).toBe(0);
  const [first] = net.fake.providers;
  if (first) first.isDown = true;
  await turns(2);
  if (first) removeFaults(first);
  await turns(2);
  expect(turnsOf('second')).toBeGreaterThan(0);
});

test('what the first pass leaves out is found by the second one within half a minute', async () => {
  const honest = await net.checkout(wallet);
  await turns(40);
  const [liar] = net.fake.providers;
  if (liar) liar.omits = 1;
  net.send(net.transaction(wallet.address, honest.amountUnits));
  await turns(4);
  if (liar) removeFaults(liar);
  expect(await net.status(honest)).toBe('pending');
  await turns(30);
  expect(await net.status(honest)).toBe('paid');
});

test('a head is asked for its tags only while a transfer waits for them, and by the first pass alone', async () => {
  const asked = byTheChainsTags();
  const since = () => [...new Set(asked.splice(0))].sort();

  const honest = await net.checkout(wallet, net.app.merchant.live, { amount: '15000.00' });
  await turns(40);
  expect(since()).toEqual(['first', 'second']);
  net.send(net.transaction(wallet.address, honest.amountUnits));
  await turns(4);
  since();
  await turns(100);
  expect([since(), await net.status(honest)]).toEqual([['first with tags', 'second'], 'pending']);
  // The finalized block is 66 blocks below the head.
  await turns(40);
  expect(await net.status(honest)).toBe('paid');
  since();
  await turns(40);
  expect(since()).toEqual(['first', 'second']);
});

test('a small payment, which is final by a count of blocks, asks for no tags, neither in the head nor in a report', async () => {
  const asked = byTheChainsTags();
  const honest = await net.checkout(wallet);
  await turns(40);
  net.send(net.transaction(wallet.address, honest.amountUnits));
  await turns(40);
  expect(await net.status(honest)).toBe('paid');
  expect([...new Set(asked)].sort()).toEqual(['first', 'report', 'second']);
});

test('while no payment waits for tags they are asked for once a minute, until every transfer is final', async () => {
  const asked = byTheChainsTags();
  await net.checkout(wallet);
  await turns(40);
  net.send(net.transaction(wallet.address, 1_234_567n));
  asked.length = 0;
  await turns(120);
  const tagged = asked.filter((one) => one === 'first with tags').length;
  expect([tagged >= 2, tagged <= 3]).toEqual([true, true]);
  await turns(120);
  const transfers = await net.ctx.db.query('test_statuses', 'select status from transfers');
  expect(transfers).toEqual([{ status: 'final' }]);
  asked.length = 0;
  await turns(120);
  expect(asked).not.toContain('first with tags');
});

test('a second pass that fails is tried again in the next turn', async () => {
  await net.checkout(wallet);
  await turns(40);
  const [, second] = net.fake.providers;
  if (second) second.isDown = true;
  await turns(32);
  if (second) removeFaults(second);
  reads = [];
  await turns(4);
  expect(turnsOf('second')).toBeGreaterThan(0);
});

/** The network's own rules of finality, and what is asked for with tags. */
function byTheChainsTags(): string[] {
  const { config } = net.ctx;
  const base = { ...config.networks.base, confirmations: null };
  net.ctx = { ...net.ctx, config: { ...config, networks: { ...config.networks, base } } };
  const asked: string[] = [];
  const note = (who: string, tags: boolean | undefined) => asked.push(`${who}${tags === false ? '' : ' with tags'}`);
  const { chain } = net.fake;
  net.use({
    head: (pass, options) => {
      note(pass, options?.tags);
      return chain.head(pass, options);
    },
    check: (...question) => {
      note('report', question[3]?.tags);
      return chain.check(...question);
    },
  });
  return asked;
}
