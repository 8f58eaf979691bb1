import { expect, test } from 'vitest';
import { orderLines } from './order-lines.ts';

const fern = { name: 'Fern', quantity: 2 };
const discount = { name: 'Discount', quantity: 1, amount: '-5.00' };
const pot = { name: 'Pot', quantity: 1, amount: '5.00' };

test('a unit price is shown beside the total of its line', () => {
  expect(orderLines([{ ...fern, unit_amount: '24.50', amount: '49.00' }, pot], '54.00')).toEqual({
    lines: [
      { ...fern, unit: '24.50', amount: '49.00' },
      { ...pot, unit: null },
    ],
    rest: null,
  });
});

test('amounts that add up as totals are totals', () => {
  expect(orderLines([{ ...fern, amount: '49.00' }], '49.00')).toEqual({
    lines: [{ ...fern, unit: null, amount: '49.00' }],
    rest: null,
  });
});

test('amounts that only add up as unit prices are unit prices', () => {
  const { lines, rest } = orderLines([{ ...fern, amount: '24.50' }, pot, discount], '49.00');
  expect(lines[0]).toEqual({ ...fern, unit: '24.50', amount: '49.00' });
  expect(rest).toBeNull();
});

test.each([
  ['60.00', '11.00'],
  ['40.00', '-9.00'],
])('lines that do not add up to %s leave a rest of %s', (amount, rest) => {
  expect(orderLines([{ ...fern, amount: '49.00' }], amount)).toMatchObject({ lines: [{ unit: null }], rest });
});
