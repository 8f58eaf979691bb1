import { expect, test } from 'vitest';
import { arrivalOf } from './arrival.ts';

const open = { status: 'pending', route: 'direct', expected_output: '25.500000' } as const;

test.each([
  ['a part', open, '12.750000', 'part'],
  ['all of it, which is not final yet', open, '25.500000', 'whole'],
  ['more than that', open, '25.508591', 'whole'],
  ['nothing', open, '0.000000', undefined],
  ['a part where nothing is known to be due', { ...open, expected_output: null }, '12.750000', 'part'],
  ['nothing of a conversion', { ...open, route: 'routed' } as const, '12.750000', undefined],
  ['nothing once it is paid', { ...open, status: 'paid' } as const, '25.500000', undefined],
])('an open payment shows %s', (_name, payment, detected, arrival) => {
  expect(arrivalOf(payment, { detected })).toBe(arrival);
});
