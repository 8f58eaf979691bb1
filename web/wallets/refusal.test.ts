import { expect, test } from 'vitest';
import { refusalOf } from './refusal.ts';

test.each([
  [4001, 'rejected'],
  [4100, 'locked'],
  [4200, 'unable'],
  [-32601, 'unable'],
  [-32602, 'unable'],
  [5700, 'unable'],
  [5710, 'unable'],
  [5740, 'unable'],
  [5750, 'rejected'],
  [5760, 'unable'],
  // The calls were sent before.
  [5720, 'unknown'],
  [-32000, 'unknown'],
  [-32603, 'unknown'],
  [4900, 'unknown'],
])('the code %i means %s', (code, refusal) => {
  expect(refusalOf({ code, message: 'Something.' })).toBe(refusal);
});

test.each([-32601, -32602, 4200])(
  'the code %i of the chain, behind the wallet, says nothing about what was sent',
  (code) => {
    expect(refusalOf({ code: -32603, data: { originalError: { code } } })).toBe('unknown');
  },
);
