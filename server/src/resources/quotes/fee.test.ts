import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { feeFor } from '../../settlement/records/fee.ts';

describe('feeFor', () => {
  test.each([
    // amount, fee, net
    [1n, 0n, 1n],
    [33n, 0n, 33n],
    [34n, 1n, 33n],
    [100n, 2n, 98n],
    [300n, 5n, 295n],
    [4900n, 74n, 4826n],
    [10_000n, 150n, 9_850n],
    [99_999_999_999n, 1_500_000_000n, 98_499_999_999n],
  ])('a routed payment of %s cents costs %s and leaves %s', (amount, fee, net) => {
    expect(feeFor(amount, 'routed')).toEqual({ percent: 1.5, feeMinor: fee, netMinor: net });
  });

  test('a direct payment costs nothing', () => {
    fc.assert(
      fc.property(amounts, (amount) => {
        expect(feeFor(amount, 'direct')).toEqual({ percent: 0, feeMinor: 0n, netMinor: amount });
      }),
    );
  });

  test('fee and net add up to the amount, and the fee is the nearest cent to 1.5 %, halves up', () => {
    fc.assert(
      fc.property(amounts, (amount) => {
        const { feeMinor, netMinor } = feeFor(amount, 'routed');
        expect(feeMinor + netMinor).toBe(amount);
        // In thousandths of a cent the exact fee is amount × 15; the error lies in (−500, 500].
        const error = feeMinor * 1_000n - amount * 15n;
        expect(error > -500n && error <= 500n).toBe(true);
        expect(netMinor >= 0n).toBe(true);
      }),
      { numRuns: 5_000 },
    );
  });
});

const amounts = fc.bigInt({ min: 1n, max: 99_999_999_999n });
