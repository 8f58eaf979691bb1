import fc from 'fast-check';
import { expect, test } from 'vitest';
import { buildTag, carriedBy, findTags } from './tag.ts';

const address = fc.uint8Array({ minLength: 20, maxLength: 20 }).map((bytes) => `0x${Buffer.from(bytes).toString('hex')}`);
const amount = fc.bigInt({ min: 1n, max: 2n ** 256n - 1n });
const reference = fc.uint8Array({ minLength: 16, maxLength: 32 });
const rubbish = fc.uint8Array({ maxLength: 80 }).map((bytes) => Buffer.from(bytes).toString('hex')).filter((text) => !text.includes('51544e43'));

function call(to: string, units: bigint): string {
  return `a9059cbb${to.slice(2).padStart(64, '0')}${units.toString(16).padStart(64, '0')}`;
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}

test('a tag is 51544e43 and the first sixteen bytes of the reference', () => {
  expect(hex(buildTag(Uint8Array.from({ length: 32 }, (_, at) => at)))).toBe('51544e43000102030405060708090a0b0c0d0e0f');
  expect(() => buildTag(new Uint8Array(15))).toThrow('16 bytes');
});

test('a tag behind a transfer is found with its recipient and amount, whatever is wrapped around it', () => {
  fc.assert(fc.property(address, amount, reference, rubbish, rubbish, (to, units, bytes, before, after) => {
    const tags = findTags(`0x${before}${call(to, units)}${hex(buildTag(bytes))}${after}`);
    expect(tags.bound).toEqual([{ to, amountUnits: units, reference: Buffer.from(bytes.subarray(0, 16)) }]);
    expect(tags.loose).toEqual([]);
  }));
});

test('a tag anywhere else is loose', () => {
  fc.assert(fc.property(reference, rubbish, rubbish, (bytes, before, after) => {
    expect(findTags(`0x${before}${hex(buildTag(bytes))}${after}`)).toEqual({ bound: [], loose: [Buffer.from(bytes.subarray(0, 16))] });
  }));
});

test('whatever bytes stand in calldata, reading them does not fail, and at most 64 tags are taken', () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
    findTags(`0x${hex(bytes)}`);
  }));
  expect(findTags(`0x${hex(buildTag(new Uint8Array(16))).repeat(1000)}`).loose).toHaveLength(64);
});

test('a tag that is cut short, or half a byte off, is none', () => {
  const tag = hex(buildTag(new Uint8Array(16).fill(9)));
  expect(findTags(`0x${tag.slice(0, -2)}`)).toEqual({ bound: [], loose: [] });
  expect(findTags(`0x0${tag}0`)).toEqual({ bound: [], loose: [] });
});

const W = '0x00000000000000000000000000000000000a11ce';
const V = '0x0000000000000000000000000000000000000b0b';
const one = new Uint8Array(16).fill(1);
const two = new Uint8Array(16).fill(2);
const PAYER = '0x00000000000000000000000000000000000000aa';
const carried = (transfers: { to: string; amountUnits: bigint }[], input: string, sender = PAYER) =>
  carriedBy(transfers.map((transfer) => ({ ...transfer, from: PAYER })), { from: sender, input }).map((list) => list.map(hex));

test.each([
  ['no tag', [{ to: W, amountUnits: 5n }], `0x${call(W, 5n)}`, [[]]],
  ['its own tag', [{ to: W, amountUnits: 5n }], `0x${call(W, 5n)}${hex(buildTag(one))}`, [[hex(one)]]],
  ['a loose tag, standing alone', [{ to: W, amountUnits: 5n }], `0x${hex(buildTag(one))}`, [[hex(one)]]],
  ['a loose tag beside two transfers', [{ to: W, amountUnits: 5n }, { to: V, amountUnits: 5n }], `0x${hex(buildTag(one))}`, [[], []]],
  ['each its own, in a bundle', [{ to: W, amountUnits: 5n }, { to: V, amountUnits: 6n }], `0x${call(V, 6n)}${hex(buildTag(two))}00${call(W, 5n)}${hex(buildTag(one))}`, [[hex(one)], [hex(two)]]],
  ['twins with a tag each', [{ to: W, amountUnits: 5n }, { to: W, amountUnits: 5n }], `0x${call(W, 5n)}${hex(buildTag(one))}${call(W, 5n)}${hex(buildTag(two))}`, [[hex(one)], [hex(two)]]],
  ['twins with one tag', [{ to: W, amountUnits: 5n }, { to: W, amountUnits: 5n }], `0x${call(W, 5n)}${hex(buildTag(one))}`, [[hex(one)], []]],
  ['two tags for one call that ran once', [{ to: W, amountUnits: 5n }], `0x${call(W, 5n)}${hex(buildTag(one))}${call(W, 5n)}${hex(buildTag(two))}`, [[hex(one), hex(two)]]],
  ['a tag bound to another amount beside a victim', [{ to: W, amountUnits: 5n }, { to: V, amountUnits: 6n }], `0x${call(W, 9n)}${hex(buildTag(one))}`, [[], []]],
  ['a fee-on-transfer token: less arrives than the call says', [{ to: W, amountUnits: 99n }], `0x${call(W, 100n)}${hex(buildTag(one))}`, [[hex(one)]]],
])('%s', (_case, transfers, input, expected) => {
  expect(carried(transfers, input)).toEqual(expected);
});

// With `transferWithAuthorization`, or an allowance, whoever sends the transaction composes its calldata.
test.each([
  ['a loose tag is not the payer\'s', `0x${hex(buildTag(one))}`, []],
  ['nor is a tag bound to another amount', `0x${call(W, 9n)}${hex(buildTag(one))}`, []],
  ['a bound tag counts, as the call of a smart wallet in a bundle', `0x00${call(W, 5n)}${hex(buildTag(one))}00`, [hex(one)]],
])('in a transaction that somebody else sent %s', (_case, input, expected) => {
  expect(carried([{ to: W, amountUnits: 5n }], input, V)).toEqual([expected]);
  expect(carried([{ to: W, amountUnits: 5n }], input, PAYER.toUpperCase().replace('0X', '0x'))).toEqual([[hex(one)]]);
});
