import { expect, describe, test } from 'vitest';
import { type Evidence, type Movement, needsTrace, referencesOf } from './references.ts';
import { buildTag } from './tag.ts';

const W = '0x00000000000000000000000000000000000a11ce';
const V = '0x0000000000000000000000000000000000000b0b';
const PAYER = '0x00000000000000000000000000000000000000aa';
const RELAYER = '0x00000000000000000000000000000000000000bb';
const TOKEN = '0x00000000000000000000000000000000000000cc';
const ZERO = `0x${'00'.repeat(20)}`;
const [one, two] = [1, 2].map((byte) => '0'.repeat(1).concat(String(byte)).repeat(16)) as [string, string];
const tag = (reference: string) => Buffer.from(buildTag(Buffer.from(reference, 'hex'))).toString('hex');
const call = (to: string, units: bigint) =>
  `a9059cbb${to.slice(2).padStart(64, '0')}${units.toString(16).padStart(64, '0')}`;
const toW = (amountUnits = 5n, changes: Partial<Movement> = {}): Movement => ({
  from: PAYER,
  to: W,
  amountUnits,
  token: TOKEN,
  ...changes,
});
const toV = (amountUnits = 5n): Movement => ({ from: PAYER, to: V, amountUnits, token: TOKEN });

function read(
  movements: Movement[],
  input: string,
  { sender = PAYER, executed = [] }: { sender?: string; executed?: Evidence['executed'] } = {},
) {
  return referencesOf(movements, {
    transaction: { from: sender, to: TOKEN, input },
    receipt: { logs: [] },
    executed: executed ?? [],
  }).map(({ carried, unproven }) => ({ carried: carried.map(hex), unproven: unproven.map(hex) }));
}
const carried = (movements: Movement[], input: string) =>
  read(movements, input).map((references) => references.carried);
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

describe('in a transaction sent by the payer', () => {
  test.each<[string, Movement[], string, string[][]]>([
    ['no tag', [toW()], `0x${call(W, 5n)}`, [[]]],
    ['its own tag', [toW()], `0x${call(W, 5n)}${tag(one)}`, [[one]]],
    ['a loose tag of a single transfer', [toW()], `0x${tag(one)}`, [[one]]],
    ['a loose tag beside two transfers', [toW(), toV()], `0x${tag(one)}`, [[], []]],
    [
      'one each, in a bundle',
      [toW(), toV(6n)],
      `0x${call(V, 6n)}${tag(two)}00${call(W, 5n)}${tag(one)}`,
      [[one], [two]],
    ],
    [
      'equal transfers with a tag each',
      [toW(), toW()],
      `0x${call(W, 5n)}${tag(one)}${call(W, 5n)}${tag(two)}`,
      [[one], [two]],
    ],
    ['equal transfers with one tag', [toW(), toW()], `0x${call(W, 5n)}${tag(one)}`, [[one], []]],
    [
      'two tags for one call that was executed once',
      [toW()],
      `0x${call(W, 5n)}${tag(one)}${call(W, 5n)}${tag(two)}`,
      [[one, two]],
    ],
    [
      "a tag bound to another amount, beside a victim's transfer",
      [toW(), toV(6n)],
      `0x${call(W, 9n)}${tag(one)}`,
      [[], []],
    ],
    [
      'a fee-on-transfer token that credits less than the call says',
      [toW(99n)],
      `0x${call(W, 100n)}${tag(one)}`,
      [[one]],
    ],
    [
      'its own tag beside an equal transfer from another sender',
      [toW(5n, { from: RELAYER }), toW()],
      `0x${call(W, 5n)}${tag(one)}`,
      [[], [one]],
    ],
  ])('%s', (_case, movements, input, expected) => expect(carried(movements, input)).toEqual(expected));
});

test('at most 64 tags are carried', () => {
  const many = Array.from({ length: 500 }, (_, at) => at.toString(16).padStart(32, '0'));
  expect(carried([toW()], `0x${many.map((reference) => `${call(W, 5n)}${tag(reference)}`).join('')}`)[0]).toEqual(
    many.slice(0, 64),
  );
  expect(carried([toW()], `0x${many.map((reference) => `${call(W, 6n)}${tag(reference)}`).join('')}`)[0]).toEqual(
    many.slice(0, 64),
  );
});

describe('in a transaction sent by another account', () => {
  test.each([
    ['a loose tag', `0x${tag(one)}`],
    ['a tag bound to another amount', `0x${call(W, 9n)}${tag(one)}`],
    ['a tag bound to this very transfer', `0x00${call(W, 5n)}${tag(one)}00`],
  ])('%s is unproven', (_case, input) => {
    expect(read([toW()], input, { sender: RELAYER })).toEqual([{ carried: [], unproven: [one] }]);
  });

  test('at most four unproven references are stored, those bound to this transfer first', () => {
    const many = Array.from({ length: 20 }, (_, at) => (at + 10).toString(16).padStart(2, '0').repeat(16));
    const input = `0x${many.map(tag).join('')}${call(W, 5n)}${tag(one)}`;
    expect(read([toW()], input, { sender: RELAYER })).toEqual([{ carried: [], unproven: [one, ...many.slice(0, 3)] }]);
  });

  test('a tagged call by the payer counts if token, recipient and amount match the transfer', () => {
    const input = `0x00${call(W, 5n)}${tag(one)}`;
    const ran = { from: PAYER, to: TOKEN, valueWei: 0n, input: `0x${call(W, 5n)}${tag(one)}` };
    const proves = (changes: Partial<typeof ran>) =>
      read([toW()], input, { sender: RELAYER, executed: [{ ...ran, ...changes }] })[0]?.carried;
    expect(proves({})).toEqual([one]);
    expect(proves({ from: RELAYER })).toEqual([]);
    expect(proves({ to: V })).toEqual([]);
    expect(proves({ input: `0x${call(W, 6n)}${tag(one)}` })).toEqual([]);
    expect(proves({ input: `0x${call(V, 5n)}${tag(one)}` })).toEqual([]);
  });
});

test('minted money carries no reference, regardless of the sender', () => {
  const input = `0x${call(W, 5n)}${tag(one)}`;
  const executed = [{ from: ZERO, to: TOKEN, valueWei: 0n, input }];
  expect(read([toW(5n, { from: ZERO })], input, { sender: ZERO, executed })).toEqual([
    { carried: [], unproven: [one] },
  ]);
  expect(read([toW(5n, { from: null })], input)).toEqual([{ carried: [], unproven: [one] }]);
});

test('a trace is needed only if a tag bound to the transfer is not proven by the sender', () => {
  const needs = (input: string, changes: Partial<Movement> = {}, sender = RELAYER) =>
    needsTrace([toW(5n, changes)], { transaction: { from: sender, to: V, input }, receipt: { logs: [] } });
  expect(needs(`0x${call(W, 5n)}${tag(one)}`)).toBe(true);
  expect(needs(`0x${call(W, 5n)}${tag(one)}`, {}, PAYER)).toBe(false);
  expect(needs(`0x${call(W, 6n)}${tag(one)}`)).toBe(false);
  expect(needs(`0x${call(W, 5n)}`)).toBe(false);
  expect(needs(`0x${call(W, 5n)}${tag(one)}`, { from: ZERO })).toBe(false);
  expect(needs(`0x${tag(one)}`, { token: null })).toBe(true);
});
