import { expect, test } from 'vitest';
import { isProof } from './verify-proof.ts';

const address = `0x${'a1'.repeat(20)}`;
const other = `0x${'b2'.repeat(20)}`;
const createdAt = new Date('2026-01-01T12:00:00Z');
const challenge = {
  network: 'base',
  address,
  asset: 'USDC',
  amountUnits: 12_345n,
  createdAt,
  expiresAt: new Date('2026-01-04T12:00:00Z'),
} as const;
const proof = {
  network: 'base',
  from: address,
  to: address,
  asset: 'USDC',
  amountUnits: 12_345n,
  block: { number: 1n, hash: '0x1', time: new Date('2026-01-02T12:00:00Z') },
} as const;

test('a transfer of the given amount from the address to itself in time proves the address', () => {
  expect(isProof(proof, challenge)).toBe(true);
});

test.each([
  ['another sender', { from: other }],
  ['no known sender', { from: null }],
  ['another recipient', { to: other }],
  ['another amount', { amountUnits: 12_346n }],
  ['another asset', { asset: 'USDT' }],
  ['another network', { network: 'ethereum' }],
  ['a block before the challenge', { block: { ...proof.block, time: new Date('2026-01-01T11:58:00Z') } }],
  ['a block after its end', { block: { ...proof.block, time: new Date('2026-01-04T12:00:01Z') } }],
] as const)('a transfer with %s proves nothing', (_case, change) => {
  expect(isProof({ ...proof, ...change }, challenge)).toBe(false);
});
