import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Chain, Pass } from '../../../src/outside/chains/chain.ts';
import { TemporaryError } from '../../../src/platform/errors.ts';
import { DAY_MS, later, MINUTE_MS } from '../../../src/platform/time.ts';
import { findFirstRead, pruneBlocks } from '../../../src/settlement/reading/cursor-store.ts';
import { lookAgainJob } from '../../../src/settlement/reading/look-again.ts';
import { expiryJob } from '../../../src/settlement/outcome/expire.ts';
import { tryReserveAmount } from '../../../src/settlement/records/reserved-amount-store.ts';
import { type FakeProvider, removeFaults, runAhead } from '../../programs/simulation/fake-provider.ts';
import { ChainPerTest } from './chain-per-test.ts';

/** What one provider says while it alone answers must not last once the others answer again. */
let shop: ChainPerTest;
beforeAll(async () => {
  shop = await ChainPerTest.start();
});
afterAll(() => shop[Symbol.asyncDispose]());
beforeEach(() => shop.begin(2));

const providers = () => shop.fake.providers as [FakeProvider, FakeProvider];
const lookAgain = () => lookAgainJob.run(shop.ctx, new AbortController().signal, () => {});
const expire = () => expiryJob.run(shop.ctx, new AbortController().signal, () => {});

/** Blocks that come at once, as to a reader that was away. */
async function leap(ms: number): Promise<void> {
  // A ledger mines some blocks at once, further apart the longer it waits.
  for (let left = ms; left > 0; left -= 10 * MINUTE_MS) {
    shop.now = later(shop.now, Math.min(left, 10 * MINUTE_MS));
    shop.ledger.mineUntil(shop.now);
  }
  await shop.watch();
}

function instead(of: Partial<Chain>): void {
  shop.ctx = { ...shop.ctx, chains: new Map([['base', { ...shop.fake.chain, ...of }]]) };
}

/** After which block each read of a pass starts, and how far the pass had read before. */
function watchPasses() {
  const reached = new Map<Pass, bigint>();
  const starts: { pass: Pass; after: bigint; before: bigint }[] = [];
  const { chain } = shop.fake;
  instead({
    read: async (step) => {
      const { pass, after } = step;
      const before = reached.get(pass) ?? after.number;
      starts.push({ pass, after: after.number, before });
      const reading = await chain.read(step);
      reached.set(pass, reading.covered.number > before ? reading.covered.number : before);
      return reading;
    },
  });
  return { starts, reached };
}

test('a transfer that the provider that is left denies is back once the one that reported it is', async () => {
  const one = await shop.checkout({ expires_in: 86_400 });
  await shop.blocks(2);
  shop.ledger.send(shop.transfer(one.amountUnits));
  await shop.blocks(2);
  const [liar, honest] = providers();
  honest.isDown = true;
  liar.changes = { field: 'out', digits: '0123456789abcdef' };
  await shop.blocks(40);
  await lookAgain();
  expect(await shop.seen(one)).toBe(0n);
  removeFaults(honest);
  await shop.blocks(4);
  await lookAgain();
  expect(await shop.seen(one)).toBe(one.amountUnits);
  removeFaults(liar);
  await shop.blocks(20);
  expect(await shop.status(one)).toBe('paid');
});

const EVERY_HASH = '0123456789abcdef';

test.each([
  ['time', 4, 'earlier'],
  ['block', 4, 'block'],
  ['time', 40, 'earlier'],
  ['block', 40, 'block'],
] as const)(
  'a provider that names another %s while the other one fails for %i blocks moves no money',
  async (_, count, field) => {
    const one = await shop.checkout({ expires_in: 1_800 });
    const tx = shop.transfer(one.amountUnits);
    await shop.blocks(2);
    shop.ledger.send(tx);
    await shop.blocks(2);
    const [liar, honest] = providers();
    liar.changes = { field, digits: EVERY_HASH, onlyReports: true };
    honest.isDown = true;
    await shop.blocks(count);
    expect(await shop.whose(tx)).toMatchObject({ by: 'amount', status: 'seen' });
    removeFaults(liar);
    removeFaults(honest);
    await shop.blocks(4);
    expect(await shop.walk(one)).toEqual(['created', 'pending', 'paid']);
  },
);

test('a provider that names another block alone moves no transfer without a payment', async () => {
  const tx = shop.transfer(77_000_000n);
  await shop.blocks(2);
  shop.ledger.send(tx);
  await shop.blocks(2);
  const stored = () =>
    shop.ctx.db.query<{ hash: string; time: Date; confirmed: boolean; status: string }>(
      'test_stored',
      'select block_hash as hash, block_time as time, confirmed, status from transfers where tx_hash = $1',
      [tx.hash],
    );
  const [before] = await stored();
  expect(before).toMatchObject({ confirmed: true, status: 'seen' });
  const [liar, honest] = providers();
  liar.changes = { field: 'block', digits: EVERY_HASH, onlyReports: true };
  honest.isDown = true;
  instead({ block: async (number) => ({ number, hash: shop.random.hex(32), time: shop.now }) });
  await shop.blocks(4);
  expect(await stored()).toEqual([before]);
  removeFaults(liar);
  removeFaults(honest);
  instead({});
  await shop.blocks(4);
  expect(await stored()).toEqual([{ ...before, status: 'final' }]);
});

test('the only provider of a network is believed when it names another block', async () => {
  await shop.begin(1);
  const one = await shop.checkout({ expires_in: 1_800 });
  const tx = shop.transfer(one.amountUnits);
  await shop.blocks(2);
  shop.ledger.send(tx);
  await shop.blocks(2);
  const [provider] = providers();
  provider.changes = { field: 'block', digits: EVERY_HASH, onlyReports: true };
  await shop.blocks(4);
  expect(await shop.whose(tx)).toMatchObject({ by: null, reason: 'no_match' });
});

test('a wallet that is new between the load of the wallets and a head is read for, though another head was too high', async () => {
  await shop.checkout();
  await shop.blocks(3);
  const [liar] = providers();
  const other = await shop.app.newMerchant({ mode: 'live' });
  const address = '0x8617E340B3D01FA5F11F306F4090FD50E238070D';
  await other.live.createWallet({ asset: 'USDC', network: 'base', address });
  liar.omits = 1;
  runAhead(liar, shop.ledger, shop.random, { leaves: false, count: 3, txs: [] });
  const { chain } = shop.fake;
  let late: { id: string; amountUnits: bigint } | undefined;
  const head: Chain['head'] = async (pass, options) => {
    if (pass === 'second' && !late) {
      // While the first pass reads: a customer comes, and pays in the next block.
      const session = await other.live.createSession({ expires_in: 7200 });
      const { body } = await shop.app.inject('POST', `/v1/public/checkout/sessions/${session.id}/pay`, {
        body: { pay_asset: 'USDC', pay_network: 'base' },
      });
      late = { id: session.id, amountUnits: BigInt(body.data.payment.amount.replace('.', '')) };
      const tx = shop.transfer(late.amountUnits);
      shop.ledger.send({ ...tx, movements: tx.movements.map((one) => ({ ...one, to: address })) });
      shop.now = later(shop.now, 20_000);
      shop.ledger.mineUntil(shop.now);
      shop.fake.sync();
    }
    return chain.head(pass, options);
  };
  const finders = new Set<Pass>();
  const read: Chain['read'] = async (step) => {
    const found = await chain.read(step);
    if (found.transfers.some(({ to }) => to === address)) finders.add(step.pass);
    return found;
  };
  instead({ head, read });
  await shop.blocks(17);
  removeFaults(liar);
  await shop.blocks(20);
  expect(late && (await shop.status(late))).toBe('paid');
  // What one pass does not find, the other one does; but each of them looks for the new wallet.
  expect(finders).toEqual(new Set(['first', 'second']));
});

test('a reader that catches up after three days is not moved forward by an invented reorganization', async () => {
  const [honest, liar] = providers();
  const { starts, reached } = watchPasses();
  const one = await shop.checkout({ expires_in: 20 * 86_400 });
  await shop.blocks(2);
  const seen = shop.ledger.blocks.length;
  const pass = (days: number) => shop.ledger.mineUntil((shop.now = later(shop.now, days * DAY_MS)));
  pass(1);
  shop.ledger.send(shop.transfer(one.amountUnits));
  pass(2);
  const real = shop.ledger.blocks;
  const invented = (from: number, to: number, time: (at: number) => Date) =>
    real.slice(from, to).map((block) => ({ ...block, hash: shop.random.hex(32), time: time(block.number), txs: [] }));
  honest.isDown = true;
  liar.isFrozen = true;
  // Three blocks that are dated now, and then none of those that are stored.
  liar.view = [...real.slice(0, seen), ...invented(seen, seen + 3, () => shop.now)];
  await shop.watch();
  liar.view = invented(0, real.length, (at) => real[at]?.time as Date);
  honest.isDown = false;
  await shop.watch();
  liar.view = real.slice();
  await shop.watch();
  await shop.blocks(6);
  removeFaults(liar);
  await shop.blocks(20);
  expect(await shop.status(one)).toBe('paid');
  // What one pass leaves out, the other one finds; but neither leaves anything out.
  expect(starts.filter(({ after, before }) => after > before)).toEqual([]);
  expect([...reached.keys()].toSorted()).toEqual(['first', 'second']);
});

test('a first provider of three that stands still above the payment does not keep it from being paid', async () => {
  await shop.begin(3);
  const one = await shop.checkout();
  await shop.blocks(2);
  shop.ledger.send(shop.transfer(one.amountUnits));
  await shop.blocks(2);
  const [frozen] = providers();
  frozen.isFrozen = true;
  await shop.blocks(10);
  expect(await shop.status(one)).toBe('paid');
});

test('a provider of three that dates its blocks in the past keeps no payment from expiring', async () => {
  await shop.begin(3);
  const unpaid = await shop.checkout({ expires_in: 1_800 });
  await shop.blocks(2);
  const [liar] = providers();
  liar.isFrozen = true;
  for (let at = 0; at < 5; at += 1) {
    shop.now = later(shop.now, 10 * MINUTE_MS);
    shop.ledger.mineUntil(shop.now);
    liar.view = shop.ledger.blocks.map((block) => ({ ...block, time: later(block.time, -DAY_MS) }));
    await shop.watch();
  }
  await expire();
  expect(await shop.status(unpaid)).toBe('expired');
});

test('a provider of three that dates a block too late keeps the others from reading nothing', async () => {
  await shop.begin(3);
  const one = await shop.checkout({ expires_in: 86_400 });
  await shop.blocks(2);
  shop.ledger.send(shop.transfer(one.amountUnits));
  shop.now = later(shop.now, DAY_MS / 2);
  shop.ledger.mineUntil(shop.now);
  const [, liar] = providers();
  liar.isFrozen = true;
  // Its head is an old block that is dated now, while the others' blocks after it are read.
  liar.view = shop.ledger.blocks.slice(0, 24).map((block) => ({ ...block, time: shop.now }));
  await shop.blocks(20);
  expect(await shop.status(one)).toBe('paid');
});

test('a payment that waits for the head of its providers raises an alarm after ten minutes', async () => {
  const one = await shop.checkout();
  await shop.blocks(2);
  shop.ledger.send(shop.transfer(one.amountUnits));
  await shop.blocks(2);
  const [, frozen] = providers();
  frozen.isFrozen = true;
  await shop.blocks(40);
  expect(await shop.status(one)).toBe('pending');
  expect(shop.lines.map(({ alarm }) => alarm)).toContain('verification_waits');
});

const FUTURE = { field: 'future', digits: EVERY_HASH } as const;

test.each<[string, Partial<FakeProvider>]>([
  ['answers nothing', { isDown: true }],
  ['dates its block in the future', { changes: FUTURE }],
  ['dates its block in the future where the quorum asks for it', { changes: { ...FUTURE, onlyReports: true } }],
])('an alarm names the provider without which a payment waits: one that %s', async (_, fault) => {
  const one = await shop.checkout({ amount: '1500.00' });
  await shop.blocks(2);
  const [, liar] = providers();
  Object.assign(liar, fault);
  const sent = shop.transfer(one.amountUnits);
  shop.ledger.send(sent);
  await shop.blocks(50);
  expect(await shop.status(one)).toBe('pending');
  expect(shop.lines).toContainEqual(
    expect.objectContaining({
      alarm: 'verification_waits',
      txHash: sent.hash,
      details: expect.stringContaining(liar.name),
    }),
  );
});

test('tags of the first of three providers that stand still keep no payment from being asked about', async () => {
  await shop.begin(3);
  const { networks } = shop.ctx.config;
  const base = { ...networks.base, confirmations: null };
  shop.ctx = { ...shop.ctx, config: { ...shop.ctx.config, networks: { ...networks, base } } };
  const one = await shop.checkout({ amount: '5000.00', expires_in: 86_400 });
  await shop.blocks(2);
  shop.ledger.send(shop.transfer(one.amountUnits));
  const { chain } = shop.fake;
  instead({ head: async (pass, options) => ({ ...(await chain.head(pass, options)), safe: 1n, finalized: 1n }) });
  await shop.blocks(10);
  expect(await shop.status(one)).toBe('pending');
  // At the network's depth for a provider without tags.
  await leap(900 * 20_000);
  await shop.blocks(3);
  expect(await shop.status(one)).toBe('paid');
});

test('a provider that answers and cannot say where reading begins holds payments open for ten minutes', async () => {
  const unpaid = await shop.checkout({ expires_in: 1_800 });
  const { chain } = shop.fake;
  const blockAt: Chain['blockAt'] = async (time, start) => {
    if (start?.pass === 'second') throw new TemporaryError('provider 1 has no old blocks');
    return chain.blockAt(time, start);
  };
  instead({ blockAt });
  await shop.blocks(2);
  await leap(11 * MINUTE_MS);
  await leap(25 * MINUTE_MS);
  await expire();
  expect(await shop.status(unpaid)).toBe('expired');
});

test('an amount is not given again while the second pass has not begun', async () => {
  const one = await shop.checkout({ expires_in: 1_800 });
  const { db } = shop.app.ctx;
  const now = await db.now();
  const holders = (amountUnits: bigint) =>
    db.query<{ address: string; paymentId: string }>(
      'test_holders',
      'select address, payment_id from reserved_amounts where amount_units = $1 order by taken_at desc limit 1',
      [amountUnits],
    );
  const [before] = await holders(one.amountUnits);
  await db.query(
    'test_cursors_of_one_pass',
    `insert into chain_cursors (network, pass, token, block_number, block_hash, block_time)
     values ('base', 'first', 1, 10, '0x1', $1), ('base', 'second', 1, null, null, null)`,
    [now],
  );
  await db.query('test_quarantine_ends', 'update reserved_amounts set reserved_until = $2 where payment_id = $1', [
    before?.paymentId,
    later(now, -MINUTE_MS),
  ]);
  const other = await shop.checkout({ expires_in: 1_800 });
  const [after] = await holders(other.amountUnits);
  const place = { livemode: true, network: 'base', address: before?.address as string, asset: 'USDC' } as const;
  const holder = { paymentId: after?.paymentId as string, purpose: 'target' } as const;
  expect(await tryReserveAmount(db, { place, amountUnits: one.amountUnits }, holder, now)).toBe(false);
});

test('it is remembered who read blocks that a provider dated as it liked', async () => {
  const { db } = shop.app.ctx;
  const now = await db.now();
  await db.query(
    'test_cursors_far_apart',
    `insert into chain_cursors (network, pass, token, block_number, block_hash, block_time)
     values ('base', 'first', 1, 40000, '0x1', $1), ('base', 'second', 1, 100, '0x1', $1)`,
    [now],
  );
  await db.query(
    'test_dated_blocks',
    `insert into chain_blocks (network, pass, number, hash, time, provider)
     values ('base', 'first', 200, '0x2', $1, 'liar'), ('base', 'first', 40000, '0x3', $2, 'honest')`,
    [new Date(0), now],
  );
  await pruneBlocks(db, 'base', { number: 40_000n });
  expect(await findFirstRead(db, 'base', 100n)).toMatchObject({ provider: 'liar', end: { number: 200n } });
});
