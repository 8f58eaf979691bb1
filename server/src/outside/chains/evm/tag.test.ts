import fc from 'fast-check';
import { expect, test } from 'vitest';
import { memoBytes, memoOf, TRANSFER_WITH_MEMO } from '../pure/memo.ts';
import { buildTag, findTags, taggedHead } from './tag.ts';

const address = fc
  .uint8Array({ minLength: 20, maxLength: 20 })
  .map((bytes) => `0x${Buffer.from(bytes).toString('hex')}`);
const amount = fc.bigInt({ min: 1n, max: 2n ** 256n - 1n });
const reference = fc.uint8Array({ minLength: 16, maxLength: 32 });
const rubbish = fc
  .uint8Array({ maxLength: 80 })
  .map((bytes) => Buffer.from(bytes).toString('hex'))
  .filter((text) => !text.includes('51544e43') && !text.includes('95777d59'));

function call(to: string, units: bigint): string {
  return `a9059cbb${to.slice(2).padStart(64, '0')}${units.toString(16).padStart(64, '0')}`;
}

function callWithMemo(to: string, units: bigint, memo: string): string {
  return `${TRANSFER_WITH_MEMO}${call(to, units).slice(8)}${memo.slice(2)}`;
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}

test('a tag is 51544e43 and the first sixteen bytes of the reference', () => {
  expect(hex(buildTag(Uint8Array.from({ length: 32 }, (_, at) => at)))).toBe(
    '51544e43000102030405060708090a0b0c0d0e0f',
  );
  expect(() => buildTag(new Uint8Array(15))).toThrow('16 bytes');
});

test('a tag behind a transfer is found with its recipient and amount, regardless of the surrounding data', () => {
  fc.assert(
    fc.property(address, amount, reference, rubbish, rubbish, (to, units, bytes, before, after) => {
      const tags = findTags(`0x${before}${call(to, units)}${hex(buildTag(bytes))}${after}`);
      expect(tags.bound).toEqual([{ to, amountUnits: units, reference: Buffer.from(bytes.subarray(0, 16)) }]);
      expect(tags.loose).toEqual([]);
    }),
  );
});

test('a tag anywhere else is loose', () => {
  fc.assert(
    fc.property(reference, rubbish, rubbish, (bytes, before, after) => {
      expect(findTags(`0x${before}${hex(buildTag(bytes))}${after}`)).toEqual({
        bound: [],
        loose: [Buffer.from(bytes.subarray(0, 16))],
      });
    }),
  );
});

test('any calldata is read without an error, and at most 64 loose tags are used', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
      findTags(`0x${hex(bytes)}`);
    }),
  );
  expect(findTags(`0x${hex(buildTag(new Uint8Array(16))).repeat(1000)}`).loose).toHaveLength(64);
});

test('a tag that is truncated, or half a byte off, is ignored', () => {
  const tag = hex(buildTag(new Uint8Array(16).fill(9)));
  expect(findTags(`0x${tag.slice(0, -2)}`)).toEqual({ bound: [], loose: [] });
  expect(findTags(`0x0${tag}0`)).toEqual({ bound: [], loose: [] });
});

test('a tag behind a call is found regardless of other tags before it', () => {
  const to = `0x${'11'.repeat(20)}`;
  const own = `${call(to, 5n)}${hex(buildTag(new Uint8Array(16).fill(7)))}`;
  const others = `${hex(buildTag(new Uint8Array(16)))}${call(to, 6n)}${hex(buildTag(new Uint8Array(16)))}`.repeat(200);
  expect(findTags(`0x${others}${own}`).bound.at(-1)).toEqual({ to, amountUnits: 5n, reference: Buffer.alloc(16, 7) });
});

test("a memo is 32 characters, the same as text and as bytes, and is found as its transfer's tag", () => {
  fc.assert(
    fc.property(address, amount, reference, rubbish, rubbish, (to, units, bytes, before, after) => {
      const memo = memoOf(bytes);
      expect(memo).toMatch(/^[0-9a-f]{32}$/);
      const data = `${callWithMemo(to, units, memoBytes(memo))}`;
      const found = { to, amountUnits: units, reference: Buffer.from(bytes.subarray(0, 16)) };
      expect(findTags(`0x${before}${data}${after}`)).toEqual({ bound: [found], loose: [] });
      expect(findTags(`0x${callWithMemo(to, units, memoBytes(memo.toUpperCase()))}`).bound).toEqual([found]);
      expect(taggedHead(`0x${data}${after}`)).toBe(`0x${data}`);
      expect(findTags(`0x${data.slice(0, -2)}`).bound).toEqual([]);
    }),
  );
});

test('a memo that is not a text of this service is read as it is: it may be a whole reference', () => {
  const to = `0x${'11'.repeat(20)}`;
  for (const memo of [Buffer.alloc(32, 200), Buffer.from('INV-12345'.padEnd(32, '\0')), Buffer.alloc(32)])
    expect(findTags(`0x${callWithMemo(to, 5n, `0x${hex(memo)}`)}`).bound).toEqual([
      { to, amountUnits: 5n, reference: memo },
    ]);
});

test('of a traced call only the tag and the data before it are stored', () => {
  const to = `0x${'11'.repeat(20)}`;
  const tag = hex(buildTag(new Uint8Array(16).fill(7)));
  expect(taggedHead(`0x${call(to, 5n)}${tag}${'ff'.repeat(1000)}`)).toBe(`0x${call(to, 5n)}${tag}`);
  expect(taggedHead(`0x${tag}`)).toBe(`0x${tag}`);
  expect(taggedHead(`0x${call(to, 5n)}`)).toBeUndefined();
  expect(taggedHead(`0x00${tag}`)).toBeUndefined();
});
