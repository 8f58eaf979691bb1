import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { assess, type Credit, type DirectTarget, type Terms } from './assess.ts';

const start = new Date('2026-01-01T12:00:00Z');
const dollars: Terms = { amountMinor: 4900n, expiresAt: at(3600), toleranceBps: null, pegged: true };
const ether: Terms = { ...dollars, pegged: false };
const usdcTarget = target({ amountUnits: 49_000_017n, requiredUnits: 49_000_000n });

describe('dollar stablecoins', () => {
  test.each<[string, Partial<Terms>, Partial<Credit>[], object]>([
    [
      'no transfer',
      {},
      [],
      { seenUnits: 0n, receivedUnits: 0n, dueUnits: 49_000_017n, complete: false, completeLate: false },
    ],
    [
      'the exact amount',
      {},
      [{}],
      { receivedUnits: 49_000_017n, dueUnits: 0n, complete: true, completedBy: '0xa', txHashes: ['0xa'] },
    ],
    ['the amount without its suffix', {}, [{ amountUnits: 49_000_000n }], { complete: true }],
    [
      'not final yet',
      {},
      [{ final: false }],
      {
        seenUnits: 49_000_017n,
        receivedUnits: 0n,
        dueUnits: 0n,
        complete: false,
        completedBy: null,
        unfinal: true,
        txHashes: [],
      },
    ],
    ['a part', {}, [{ amountUnits: 20_000_000n }], { dueUnits: 29_000_017n, complete: false }],
    [
      'two parts',
      {},
      [{ amountUnits: 20_000_000n }, { txHash: '0xb', amountUnits: 29_000_017n, blockTime: at(60) }],
      { dueUnits: 0n, complete: true, completedBy: '0xb', txHashes: ['0xa', '0xb'] },
    ],
    [
      'one of two parts final',
      {},
      [{ amountUnits: 20_000_000n }, { txHash: '0xb', amountUnits: 29_000_017n, final: false }],
      { dueUnits: 0n, complete: false, unfinal: true },
    ],
    ['half a percent short', {}, [{ amountUnits: 48_755_000n }], { complete: true, dueUnits: 0n }],
    [
      'one unit more than half a percent short',
      {},
      [{ amountUnits: 48_754_999n }],
      { complete: false, dueUnits: 245_018n },
    ],
    ['short, with a tolerance of zero', { toleranceBps: 0 }, [{ amountUnits: 48_999_999n }], { complete: false }],
    [
      'five percent short, with a tolerance of five percent',
      { toleranceBps: 500 },
      [{ amountUnits: 46_550_000n }],
      { complete: true },
    ],
    ['overpaid', {}, [{ amountUnits: 60_000_000n }], { receivedUnits: 60_000_000n, dueUnits: 0n, complete: true }],
    ['at the last moment', {}, [{ blockTime: at(3600) }], { complete: true, completeLate: false }],
    ['a second late', {}, [{ blockTime: at(3601) }], { complete: false, completeLate: true, inTimeUnits: 0n }],
    [
      'a part in time and the rest late',
      {},
      [{ amountUnits: 20_000_000n }, { txHash: '0xb', amountUnits: 29_000_017n, blockTime: at(3601) }],
      { complete: false, completeLate: true, inTimeUnits: 20_000_000n },
    ],
    [
      'a transfer without a transaction',
      {},
      [{ traced: false }],
      { complete: false, completeLate: false, untraced: true, receivedUnits: 49_000_017n },
    ],
  ])('%s', (_, terms, credits, expected) => {
    expect(
      assess(
        { ...dollars, ...terms },
        [usdcTarget],
        credits.map((changes) => credit(changes)),
      ),
    ).toMatchObject(expected);
  });
});

describe('volatile assets', () => {
  const first = target({
    id: 'tgt_1',
    amountUnits: 2_010n,
    requiredUnits: 2_000n,
    createdAt: at(0),
    lockedUntil: at(900),
  });
  const second = target({
    id: 'tgt_2',
    amountUnits: 2_205n,
    requiredUnits: 2_200n,
    createdAt: at(1000),
    lockedUntil: at(1900),
  });

  test.each<[string, DirectTarget[], Partial<Credit>[], object]>([
    [
      'within the lock, its price counts although the market has moved',
      [first],
      [{ amountUnits: 2_010n, blockTime: at(900), sampledRequiredUnits: 4_000n }],
      { complete: true },
    ],
    [
      'after the lock, the price of the minute counts',
      [first],
      [{ amountUnits: 2_010n, blockTime: at(901), sampledRequiredUnits: 4_000n }],
      { complete: false, dueUnits: 1_005n, rateUnknown: false },
    ],
    [
      'after the lock, a better price counts too',
      [first],
      [{ amountUnits: 1_000n, blockTime: at(901), sampledRequiredUnits: 1_000n }],
      { complete: true },
    ],
    [
      'after the lock, the value is unknown without a price',
      [first],
      [{ amountUnits: 2_010n, blockTime: at(901) }],
      { complete: false, rateUnknown: true },
    ],
    [
      'a transfer without a price that is not final yet does not make the rate unknown',
      [first],
      [{ amountUnits: 2_010n, blockTime: at(901), final: false }],
      { complete: false, rateUnknown: false },
    ],
    [
      'an old exact amount keeps its price, beside a newer one',
      [first, second],
      [{ amountUnits: 2_010n, blockTime: at(850) }],
      { complete: true },
    ],
    [
      'a price quoted after the transfer does not count: the price of the minute does',
      [first, second],
      [{ amountUnits: 2_205n, blockTime: at(939), sampledRequiredUnits: 4_000n }],
      { complete: false, dueUnits: 992n },
    ],
    [
      'a price quoted after the transfer does not count even if no other is known',
      [second],
      [{ amountUnits: 2_205n, blockTime: at(939) }],
      { complete: false, rateUnknown: true },
    ],
    [
      "a chain clock one minute behind the server's is tolerated",
      [second],
      [{ amountUnits: 2_205n, blockTime: at(940), sampledRequiredUnits: 4_000n }],
      { complete: true },
    ],
    [
      'parts at the old price and at the new price add up',
      [first, second],
      [
        { amountUnits: 1_000n, blockTime: at(500) },
        { txHash: '0xb', amountUnits: 1_100n, blockTime: at(1500) },
      ],
      { complete: true, completedBy: '0xb' },
    ],
    [
      'without a target, the price of the minute counts',
      [],
      [{ amountUnits: 2_000n, sampledRequiredUnits: 2_000n }],
      { complete: true, requiredUnits: 2_000n },
    ],
    [
      'without a target and without a price, the rate is unknown',
      [],
      [{ amountUnits: 2_000n }],
      { complete: false, rateUnknown: true, dueUnits: null },
    ],
  ])('%s', (_, targets, credits, expected) => {
    expect(
      assess(
        ether,
        targets,
        credits.map((changes) => credit(changes)),
      ),
    ).toMatchObject(expected);
  });
});

test('a payment is never complete below the tolerance, for any parts in any order', () => {
  const anyCredit = fc.record({
    amountUnits: fc.bigInt({ min: 0n, max: 60_000_000n }),
    blockTime: fc.integer({ min: -60, max: 7200 }).map(at),
    final: fc.boolean(),
    traced: fc.boolean(),
    txHash: fc.constantFrom('0xa', '0xb', '0xc'),
  });
  fc.assert(
    fc.property(fc.array(anyCredit, { maxLength: 6 }), fc.constantFrom(null, 0, 100, 500), (changes, toleranceBps) => {
      const credits = changes.map((change) => credit(change));
      const found = assess({ ...dollars, toleranceBps }, [usdcTarget], credits);
      const counts = credits.filter((one) => one.final && one.traced);
      const inTime = counts
        .filter((one) => one.blockTime <= dollars.expiresAt)
        .reduce((total, one) => total + one.amountUnits, 0n);
      const minimum = toleranceBps === null ? 48_755_000n : (49_000_000n * BigInt(10_000 - toleranceBps)) / 10_000n;
      expect(found.complete).toBe(inTime >= minimum);
      expect(found.completeLate).toBe(
        inTime < minimum && counts.reduce((total, one) => total + one.amountUnits, 0n) >= minimum,
      );
      expect(found.receivedUnits).toBeLessThanOrEqual(found.seenUnits);
      expect(assess({ ...dollars, toleranceBps }, [usdcTarget], [...credits].reverse()).complete).toBe(found.complete);
    }),
  );
});

function target(changes: Partial<DirectTarget>): DirectTarget {
  return { id: 'tgt_1', amountUnits: 1n, requiredUnits: 1n, createdAt: start, lockedUntil: at(3600), ...changes };
}

function credit(changes: Partial<Credit>): Credit {
  return {
    txHash: '0xa',
    amountUnits: 49_000_017n,
    blockTime: at(30),
    final: true,
    traced: true,
    sampledRequiredUnits: null,
    ...changes,
  };
}

function at(seconds: number): Date {
  return new Date(start.getTime() + seconds * 1000);
}
