import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { TemporaryError } from '../../../src/platform/errors.ts';
import { later } from '../../../src/platform/time.ts';
import { expiryJob } from '../../../src/settlement/outcome/expire.ts';
import { advance } from '../../../src/settlement/outcome/lifecycle.ts';
import { findPaymentOfSession, saveSteps } from '../../../src/settlement/records/payment-store.ts';
import type { FakeChain } from '../../programs/simulation/fake-chain.ts';
import type { FakeProvider } from '../../programs/simulation/fake-provider.ts';
import type { Tx } from '../../programs/simulation/ledger.ts';
import { referenceOf } from '../../support/payments.ts';
import { ChainPerTest, withAmount } from './chain-per-test.ts';

let shop: ChainPerTest;
beforeAll(async () => {
  shop = await ChainPerTest.start();
});
afterAll(() => shop[Symbol.asyncDispose]());
beforeEach(() => shop.begin(2));

test.each([1, 2])(
  'the same transaction that comes back with another amount is attributed again (reported by %i)',
  async (providers) => {
    await shop.begin(providers);
    const [one, other] = [await shop.checkout(), await shop.checkout()];
    const tx = shop.transfer(one.amountUnits);
    shop.ledger.send(tx);
    await shop.blocks(2);
    expect(await shop.seen(one)).toBe(one.amountUnits);

    await shop.fork(2, [withAmount(tx, other.amountUnits)]);
    await shop.blocks(8);
    expect([await shop.status(one), await shop.status(other)]).toEqual(['pending', 'paid']);
  },
);

test('the same transaction that comes back with another amount after it was dropped is attributed again', async () => {
  const [one, other] = [await shop.checkout(), await shop.checkout()];
  const tx = shop.transfer(one.amountUnits);
  shop.ledger.send(tx);
  await shop.blocks(2);
  await shop.fork(2, []);
  await shop.blocks(8);
  expect(await shop.seen(one)).toBe(0n);

  shop.ledger.send(withAmount(tx, other.amountUnits));
  await shop.blocks(8);
  expect([await shop.status(one), await shop.status(other)]).toEqual(['pending', 'paid']);
});

test('a transaction that came back with another amount is read once, and that is enough', async () => {
  const [one, other] = [await shop.checkout(), await shop.checkout()];
  const tx = shop.transfer(one.amountUnits);
  shop.ledger.send(tx);
  await shop.blocks(2);
  expect(await shop.seen(one)).toBe(one.amountUnits);

  // No provider is asked for the transaction again.
  shop.ctx = {
    ...shop.ctx,
    chains: new Map([['base', { ...shop.fake.chain, replacements: async () => [] }]]),
  };
  await shop.fork(2, [withAmount(tx, other.amountUnits)]);
  await shop.blocks(8);
  expect([await shop.status(one), await shop.status(other)]).toEqual(['pending', 'paid']);
});

describe('a transfer that a fork puts into a block of another time is judged by that time', () => {
  test('in time before, late now', async () => {
    const one = await shop.checkout({ expires_in: 100 });
    const tx = shop.transfer(one.amountUnits);
    shop.ledger.send(tx);
    await shop.blocks(3);
    expect(await shop.seen(one)).toBe(one.amountUnits);

    shop.ledger.replace(3, []);
    await shop.blocks(1, { unseen: 3, sent: tx });
    await shop.blocks(7);
    expect(await shop.walk(one)).toEqual(['created', 'pending', 'expired', 'refund_required']);
  });

  test('late before, in time now', async () => {
    const one = await shop.checkout({ expires_in: 100 });
    const tx = shop.transfer(one.amountUnits);
    await shop.blocks(1, { unseen: 5, sent: tx });
    await shop.blocks(1);
    expect(await shop.seen(one)).toBe(one.amountUnits);

    await shop.fork(6, [tx]);
    await shop.blocks(7);
    expect(await shop.walk(one)).toEqual(['created', 'pending', 'paid']);
  });

  test('of the session before, from before the session now', async () => {
    const one = await shop.checkout();
    const tx = shop.transfer(one.amountUnits);
    shop.ledger.send(tx);
    await shop.blocks(1);
    expect(await shop.seen(one)).toBe(one.amountUnits);

    await shop.fork(12, [tx]);
    expect(await shop.seen(one)).toBe(0n);
    await shop.blocks(8);
    expect([await shop.walk(one), await shop.whose(tx)]).toEqual([
      ['created', 'pending'],
      { by: null, reason: 'no_match', status: 'final' },
    ]);
  });

  test('from before the session before, of the session now', async () => {
    const one = await shop.checkout();
    const tx = shop.transfer(one.amountUnits);
    await shop.app.ctx.db.query(
      'test_open_later',
      `update payments set created_at = created_at + interval '10 s' where session_id = $1`,
      [one.id],
    );
    await shop.fork(4, [tx]);
    expect([await shop.seen(one), await shop.whose(tx)]).toEqual([
      0n,
      { by: null, reason: 'no_match', status: 'seen' },
    ]);

    shop.ledger.replace(4, []);
    await shop.blocks(1, { unseen: 0, sent: tx });
    expect(await shop.seen(one)).toBe(one.amountUnits);
    await shop.blocks(7);
    expect(await shop.walk(one)).toEqual(['created', 'pending', 'paid']);
  });

  test('a transfer that a merchant has assigned stays assigned', async () => {
    const one = await shop.checkout();
    const tx = shop.transfer(one.amountUnits + 5n);
    shop.ledger.send(tx);
    await shop.blocks(1);
    const [row] = await shop.app.ctx.db.query<{ id: string }>(
      'test_transfer_id',
      'select id from transfers where tx_hash = $1',
      [tx.hash],
    );
    const payment = await findPaymentOfSession(shop.app.ctx.db, one.id);
    await shop.app.merchant.live.dashboard.post(`/transfers/${row?.id}/assign`, { payment: payment?.id });
    expect((await shop.whose(tx)).by).toBe('hand');

    shop.ledger.replace(1, []);
    await shop.blocks(1, { unseen: 0, sent: tx });
    expect((await shop.whose(tx)).by).toBe('hand');
    await shop.blocks(7);
    expect(await shop.status(one)).toBe('paid');
  });
});

test('a tag that stood alone before a fork and beside another transfer after it pays nothing', async () => {
  const one = await shop.checkout();
  const reference = await referenceOf(shop.app.ctx.db, one.id);
  const tagged = { ...shop.transfer(49_900_000n) };
  tagged.movements = tagged.movements.map((movement) => ({
    ...movement,
    carried: [reference],
  }));
  shop.ledger.send(tagged);
  await shop.blocks(1);
  expect(await shop.seen(one)).toBe(49_900_000n);

  const [movement] = tagged.movements as [Tx['movements'][number]];
  await shop.fork(1, [
    {
      ...tagged,
      movements: [
        { ...movement, carried: [] },
        { ...movement, carried: [], index: 1, amountUnits: 7n },
      ],
    },
  ]);
  expect(await shop.seen(one)).toBe(0n);
  await shop.blocks(8);
  expect(await shop.status(one)).toBe('pending');
});

test('a transaction that its customer named fails a payment; one that reverted only on an abandoned branch, or that a stranger sent, does not', async () => {
  const ends: (string | null)[] = [];
  for (const [isNamed, isAbandoned] of [
    [true, false],
    [true, true],
    // A stranger knows the tag and the amount from an earlier transaction of the customer.
    [false, false],
  ]) {
    await shop.begin(2);
    const one = await shop.checkout({ expires_in: 100 });
    const reference = await referenceOf(shop.app.ctx.db, one.id);
    const tx = shop.transfer(one.amountUnits);
    if (isNamed)
      await shop.app.inject('POST', `/v1/public/checkout/sessions/${one.id}/transactions`, {
        body: { tx_hash: tx.hash },
      });
    shop.ledger.send({
      ...tx,
      reverted: true,
      movements: tx.movements.map((movement) => ({
        ...movement,
        carried: [reference],
      })),
    });
    await shop.blocks(2);
    if (isAbandoned) await shop.fork(2, []);
    await shop.blocks(6);
    while ((await expiryJob.run(shop.ctx, new AbortController().signal, () => {})) === 'more');
    ends.push(await shop.status(one));
  }
  expect(ends).toEqual(['failed', 'expired', 'expired']);
});

test('a head below the cursor on another branch is noticed before it has grown past it', async () => {
  const one = await shop.checkout();
  shop.ledger.send(shop.transfer(one.amountUnits));
  await shop.blocks(4);
  expect(await shop.seen(one)).toBe(one.amountUnits);

  await shop.fork(4, [], 2);
  await shop.watch();
  expect(await shop.seen(one)).toBe(0n);
});

test('a head that only lags changes nothing', async () => {
  const one = await shop.checkout();
  shop.ledger.send(shop.transfer(one.amountUnits));
  await shop.blocks(3);
  const before = await shop.cursors();
  for (const provider of shop.fake.providers) provider.view = provider.view.slice(0, -2);
  await shop.watch();
  expect(await shop.cursors()).toEqual(before);
  expect(await shop.seen(one)).toBe(one.amountUnits);
});

describe('a reorganization that one of three providers claims', () => {
  const claim = (shorter: number) => {
    const [liar] = shop.fake.providers as [FakeProvider];
    liar.isFrozen = true;
    liar.view = shop.ledger.blocks.slice(0, -shorter).map((block) => ({ ...block, hash: shop.random.hex(32) }));
  };

  test('moves no pass, however low the head is that it names', async () => {
    for (const shorter of [1, 2, 80]) {
      await shop.begin(3);
      const one = await shop.checkout();
      await shop.blocks(4, { unseen: shorter, sent: shop.transfer(one.amountUnits) });
      const before = await shop.cursors();
      const starts = new Set<bigint>();
      const read: FakeChain['chain']['read'] = (step) => {
        starts.add(step.after.number);
        return shop.fake.chain.read(step);
      };
      shop.ctx = { ...shop.ctx, chains: new Map([['base', { ...shop.fake.chain, read }]]) };
      claim(shorter);
      await shop.watch();
      // A process that starts has no head to compare with.
      shop.fake.restart();
      await shop.watch();
      expect(await shop.cursors()).toEqual(before);
      expect([...starts].filter((after) => after < (before[0]?.blockNumber ?? 0n))).toEqual([]);
    }
  });

  test('does not hold the passes either, though it claims another one with each block', async () => {
    await shop.begin(3);
    await shop.checkout();
    await shop.blocks(4);
    for (let round = 0; round < 5; round += 1) {
      shop.now = later(shop.now, 20_000);
      shop.ledger.mineUntil(shop.now);
      claim(2);
      await shop.watch();
    }
    const head = BigInt(shop.ledger.blocks.length - 1);
    expect((await shop.cursors()).map(({ blockNumber }) => blockNumber)).toEqual([head, head]);
  });

  test('goes back over no block that the others have, where a real one is followed', async () => {
    await shop.begin(3);
    await shop.checkout();
    await shop.blocks(8);
    const { chain } = shop.fake;
    const asked = new Set<bigint>();
    // The provider that is asked first denies each stored block while the chain is reorganized for all of them.
    const block: FakeChain['chain']['block'] = async (number, by) => {
      asked.add(number);
      const found = await chain.block(number, by);
      return found && { ...found, hash: shop.random.hex(32) };
    };
    shop.ctx = { ...shop.ctx, chains: new Map([['base', { ...chain, block }]]) };
    const kept = BigInt(shop.ledger.blocks.length - 3);
    await shop.fork(2, []);
    expect([...asked].filter((number) => number < kept)).toEqual([]);
    expect((await shop.cursors())[0]).toMatchObject({ pass: 'first', blockNumber: kept + 2n });
  });

  test('is followed once another provider shows it', async () => {
    await shop.begin(3);
    await shop.checkout();
    await shop.blocks(4);
    const [, , behind] = shop.fake.providers as [FakeProvider, FakeProvider, FakeProvider];
    behind.isFrozen = true;
    await shop.fork(4, [], 2);
    const head = BigInt(shop.ledger.blocks.length - 1);
    expect((await shop.cursors())[0]).toMatchObject({ pass: 'first', blockNumber: head });
  });
});

test('the last block in common is found with few questions, however deep a reorganization is', async () => {
  shop.fake.widestWindow = 1;
  await shop.checkout();
  await shop.blocks(1, { unseen: 110, sent: shop.transfer(1n) });
  let asked = 0;
  const { chain } = shop.fake;
  const block: FakeChain['chain']['block'] = (...of) => {
    asked += 1;
    return chain.block(...of);
  };
  shop.ctx = { ...shop.ctx, chains: new Map([['base', { ...chain, block }]]) };
  const kept = BigInt(shop.ledger.blocks.length - 1 - 100);
  await shop.fork(100, []);
  await shop.watch();
  const [stored] = await shop.app.ctx.db.query<{ number: bigint }>(
    'test_common_block',
    `select max(number) as number from chain_blocks where pass = 'first' and number <= $1`,
    [kept],
  );
  expect(stored).toEqual({ number: kept });
  expect((await shop.cursors()).map(({ blockNumber }) => blockNumber)).toEqual([kept + 100n, kept + 100n]);
  // Two passes, of which each would ask for a hundred.
  expect(asked).toBeLessThan(40);
});

test('the second look reads a new branch from where it begins, however far the first has gone on it already', async () => {
  shop.fake.widestWindow = 1;
  const one = await shop.checkout();
  await shop.blocks(4);
  for (const provider of shop.fake.providers.slice(0, 1)) provider.omits = 1;
  await shop.fork(4, [shop.transfer(one.amountUnits)]);
  await shop.blocks(8);
  expect(await shop.status(one)).toBe('paid');
});

test('a final transfer that has disappeared is reported, though no provider answered while the fork passed', async () => {
  const paid = [await shop.checkout(), await shop.checkout()];
  const sent = paid.map((one) => shop.transfer(one.amountUnits));
  for (const tx of sent) shop.ledger.send(tx);
  await shop.blocks(8);
  expect(await Promise.all(paid.map((one) => shop.status(one)))).toEqual(['paid', 'paid']);

  let isSilent = true;
  const check: FakeChain['chain']['check'] = async (...asked) => {
    if (isSilent) throw new TemporaryError('no provider answers');
    return shop.fake.chain.check(...asked);
  };
  shop.ctx = { ...shop.ctx, chains: new Map([['base', { ...shop.fake.chain, check }]]) };
  await shop.fork(12, []);
  const reported = () =>
    shop.lines
      .filter((line) => line.alarm === 'gone_after_final' && sent.some((tx) => tx.hash === line.txHash))
      .map((line) => line.txHash);
  expect(reported()).toEqual([]);

  isSilent = false;
  await shop.blocks(3);
  expect(reported().sort()).toEqual(sent.map((tx) => tx.hash).sort());
});

test('a payment that has moved on meanwhile is not written over', async () => {
  const one = await shop.checkout();
  const before = await findPaymentOfSession(shop.app.ctx.db, one.id);
  if (!before) throw new Error('payment not found');
  const at = { created: shop.now, recorded: shop.now };
  const refund = { amountMinor: 100n, address: null, reason: null, createdAt: shop.now };
  const save = () =>
    shop.app.ctx.db.transaction((db) =>
      saveSteps(
        { ctx: shop.app.ctx, db, at },
        before,
        advance(before, { type: 'refund_recorded', at: shop.now, refund }),
      ),
    );
  await save();
  await expect(save()).rejects.toThrow(`payment ${before.id} is locked at sequence ${before.sequence}`);
});
