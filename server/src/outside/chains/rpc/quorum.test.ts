import { describe, expect, test } from 'vitest';
import { MINUTE_MS } from '../../../platform/time.ts';
import type { Transfer, VerdictHead } from '../chain.ts';
import { decide, isDecided, mostReported, shownInstead, type Report } from './quorum.ts';

const transfer = (hash = 'h', time = new Date(0)): Transfer =>
  ({ block: { number: 100n, hash, time }, carried: [] as Uint8Array[] }) as Transfer;
const head = (number: bigint, safe: bigint | null = null, finalized: bigint | null = null): VerdictHead => ({
  number,
  safe,
  finalized,
});

const stands = (provider: string, at: bigint | VerdictHead = 110n, hash = 'h'): Report => ({
  type: 'stands',
  provider,
  transfer: transfer(hash),
  head: typeof at === 'bigint' ? head(at) : at,
});
const dated = (provider: string, minutes: number): Report => ({
  type: 'stands',
  provider,
  transfer: transfer('h', new Date(minutes * MINUTE_MS)),
  head: head(110n),
});
const gone = (provider: string): Report => ({ type: 'gone', provider, details: `${provider}: gone` });
const differs = (provider: string): Report => ({ type: 'differs', provider, details: `${provider}: differs` });
const notYet = (provider: string): Report => ({
  type: 'not_yet',
  provider,
  details: `${provider}: behind`,
  head: head(90n),
});
const unreachable = (provider: string, minutes: number): Report => ({
  type: 'unreachable',
  provider,
  forMs: minutes * MINUTE_MS,
  details: `${provider}: down`,
});

describe.each<[string, number, [string, Report[], string][]]>([
  [
    'one configured provider',
    1,
    [
      ['stands', [stands('a')], 'stands a'],
      ['gone', [gone('a')], 'gone'],
      ['differs', [differs('a')], 'disagree'],
      ['is behind', [notYet('a')], 'wait'],
      ['is unreachable', [unreachable('a', 60)], 'unknown'],
    ],
  ],
  [
    'two configured providers',
    2,
    [
      ['both report that it stands', [stands('a'), stands('b')], 'stands a,b'],
      ['one is behind the block', [stands('a'), notYet('b')], 'wait'],
      ['one is behind the block, the other reports that it is gone', [gone('a'), notYet('b')], 'wait'],
      ['one is behind the block, the other differs', [differs('a'), notYet('b')], 'wait'],
      ['one has just failed', [stands('a'), unreachable('b', 0)], 'stands a alone b=0'],
      ['one has been unreachable for long', [stands('a'), unreachable('b', 11)], 'stands a alone b=11'],
      ['one reports that it is gone', [stands('a'), gone('b')], 'disagree'],
      ['one reports a difference', [stands('a'), differs('b')], 'disagree'],
      ['one reports a difference, the other is unreachable', [differs('a'), unreachable('b', 60)], 'disagree'],
      ['they report different blocks', [stands('a'), stands('b', 110n, 'other')], 'disagree'],
      ['one dates the same block earlier', [dated('a', -10), stands('b')], 'disagree'],
      ['one dates the same block later', [dated('a', 60), stands('b')], 'disagree'],
      ['both report that it is gone', [gone('a'), gone('b')], 'gone'],
      ['one reports that it is gone, the other fails for 9 minutes', [gone('a'), unreachable('b', 9)], 'unknown'],
      ['one reports that it is gone, the other fails for 10 minutes', [gone('a'), unreachable('b', 10)], 'gone'],
      ['both are unreachable', [unreachable('a', 60), unreachable('b', 60)], 'unknown'],
    ],
  ],
  [
    'three configured providers',
    3,
    [
      ['all report that it stands', [stands('a'), stands('b'), stands('c')], 'stands a,b,c'],
      ['one lies that it is gone', [stands('a'), gone('b'), stands('c')], 'stands a,c'],
      ['one lies that something differs', [stands('a'), differs('b'), stands('c')], 'stands a,c'],
      ['one invented it', [stands('a'), gone('b'), gone('c')], 'gone'],
      ['one is behind the block', [stands('a'), stands('b'), notYet('c')], 'stands a,b'],
      ['one reports another block', [stands('a'), stands('b', 110n, 'other'), stands('c')], 'stands a,c'],
      ['one dates the same block earlier', [dated('a', -10), stands('b'), stands('c')], 'stands b,c'],
      ['one dates the same block later', [stands('a'), dated('b', 60), stands('c')], 'stands a,c'],
      ['each dates the same block differently', [stands('a'), dated('b', 60), dated('c', -10)], 'disagree'],
      ['one invented it, the others are behind the block', [stands('a'), notYet('b'), notYet('c')], 'wait'],
      ['one is unreachable', [stands('a'), stands('b'), unreachable('c', 0)], 'stands a,b'],
      [
        'only one answers, the others are unreachable for an hour',
        [stands('a'), unreachable('b', 60), unreachable('c', 60)],
        'unknown',
      ],
      [
        'only one answers with gone, the others are unreachable for an hour',
        [gone('a'), unreachable('b', 60), unreachable('c', 60)],
        'unknown',
      ],
      ['one against one, the third is unreachable', [stands('a'), gone('b'), unreachable('c', 60)], 'disagree'],
      ['one against one, the third is behind', [stands('a'), gone('b'), notYet('c')], 'wait'],
      ['all differ', [differs('a'), differs('b'), differs('c')], 'disagree'],
      ['all are unreachable', [unreachable('a', 1), unreachable('b', 1), unreachable('c', 1)], 'unknown'],
    ],
  ],
  [
    'four configured providers',
    4,
    [
      [
        'two of them are not a majority',
        [stands('a'), stands('b'), unreachable('c', 60), unreachable('d', 60)],
        'unknown',
      ],
      ['two against two', [stands('a'), stands('b'), gone('c'), gone('d')], 'disagree'],
      ['three of them are a majority', [stands('a'), stands('b'), stands('c'), gone('d')], 'stands a,b,c'],
    ],
  ],
])('%s', (_, configured, cases) => {
  test.each(cases)('%s', (_name, reports, expected) => {
    const verdict = decide(reports, configured);
    const alone =
      verdict.type === 'stands' && verdict.alone
        ? ` alone ${verdict.alone.unreachable.map((one) => `${one.provider}=${one.forMs / MINUTE_MS}`).join()}`
        : '';
    expect(`${verdict.type}${verdict.type === 'stands' ? ` ${verdict.providers.join()}` : ''}${alone}`).toBe(expected);
  });
});

describe('the head that decides finality', () => {
  test.each<[string, VerdictHead[], VerdictHead]>([
    ['is the lower one of two providers', [head(120n), head(105n)], head(105n)],
    ['has the lower tag of two', [head(9n, 5n, 3n), head(9n, 4n, 4n)], head(9n, 4n, 3n)],
    ['has the only tag reported', [head(9n), head(9n, 4n, 2n)], head(9n, 4n, 2n)],
    ['has no tag if no provider reports one', [head(9n), head(9n)], head(9n)],
    [
      'is the one that a majority of three has reached, so that a frozen provider does not count',
      [head(120n, 110n, 100n), head(101n, 90n, 80n), head(119n, 109n, 99n)],
      head(119n, 109n, 99n),
    ],
    [
      'is the one that a majority of three has reached, so that an invented head does not count',
      [head(9_000n, 9_000n, 9_000n), head(118n, 108n, 98n), head(119n, 109n, 99n)],
      head(119n, 109n, 99n),
    ],
  ])('%s', (_, heads, expected) => {
    expect(
      decide(
        heads.map((one, at) => stands(`p${at}`, one)),
        heads.length,
      ),
    ).toMatchObject({ type: 'stands', head: expected });
  });

  test.each<[string, VerdictHead[], boolean]>([
    ['two of two know it', [head(9n, 4n, 2n), head(9n, 4n, 3n)], false],
    ['one of two knows it', [head(9n), head(9n, 4n, 2n)], true],
    ['one of three knows it', [head(9n), head(9n, 9n, 9n), head(9n)], true],
    [
      'one of three knows the one, and all know the other',
      [head(9n, null, 2n), head(9n, 4n, 2n), head(9n, null, 2n)],
      true,
    ],
    ['two of three know it', [head(9n), head(9n, 4n, 2n), head(9n, 4n, 2n)], false],
    ['none knows it', [head(9n), head(9n), head(9n)], false],
  ])('has a tag of too few to decide alone, or not: %s', (_, heads, expected) => {
    const verdict = decide(
      heads.map((one, at) => stands(`p${at}`, one)),
      heads.length,
    );
    expect(verdict.type === 'stands' && (verdict.head.hasTagOfFew ?? false)).toBe(expected);
  });
});

describe('waiting for further reports', () => {
  test.each<[string, Report[], number, boolean]>([
    ['a majority that agrees', [stands('a'), stands('b')], 3, true],
    ['a majority that reports gone', [gone('a'), gone('b')], 3, true],
    ['one of three', [stands('a')], 3, false],
    ['one against one of three', [stands('a'), gone('b')], 3, false],
    ['one of two', [stands('a')], 2, false],
    ['both of two', [stands('a'), notYet('b')], 2, true],
  ])('%s', (_, reports, configured, expected) => expect(isDecided(reports, configured)).toBe(expected));
});

test('of the replacements of a transfer, the one that most providers report counts', () => {
  const moved = (amountUnits: bigint, index = 0) => ({ ...transfer(), index, amountUnits });
  expect(mostReported([[moved(9n)], [moved(5n), moved(7n, 1)], [], [moved(5n)]])).toEqual([moved(5n), moved(7n, 1)]);
});

describe('what comes instead of a transfer that is gone', () => {
  const lost = { ...transfer(), index: 0, amountUnits: 5n };
  const moved = { ...lost, block: { ...lost.block, number: 99n, hash: '0x99' } };
  const other = { ...moved, amountUnits: 7n };
  test.each<[string, Transfer[][], number, Transfer[]]>([
    ['three show it', [[other], [other], [other]], 3, [other]],
    ['two of three show it', [[other], [], [other]], 3, [other]],
    ['one of three shows it, and the others know nothing of it', [[other], [], []], 3, []],
    ['one of three shows it, and one that answers does not', [[other], []], 3, []],
    ['the only one of three that answers shows it', [[other]], 3, [other]],
    ['one of two shows it, and the other may lag', [[other], []], 2, [other]],
    ['the only provider shows it', [[other]], 1, [other]],
    ['two of three show the same money in another block', [[moved], [moved], []], 3, [moved]],
    ['one of three names another block for the same money', [[moved], [], []], 3, []],
    ['the only one of three that answers names another block for it', [[moved]], 3, []],
    ['one of two names another block for it', [[moved], []], 2, []],
    ['one of two names another block and another sender for it', [[{ ...moved, from: '0xe' }], []], 2, []],
    ['both of two name the same other block for it', [[moved], [moved]], 2, [moved]],
    ['one of two names another block for it, and the other shows another transfer', [[moved], [other]], 2, [other]],
    ['one of two insists on it', [[lost], [other]], 2, [other]],
    ['both of two insist on it', [[lost], [lost]], 2, []],
  ])('%s', (_, answers, configured, expected) => expect(shownInstead(answers, lost, configured)).toEqual(expected));

  test('is what one of three that deny it says only if as many as decide say so', () => {
    const instead = (provider: string, ...transfers: Transfer[]): Report => ({
      type: 'gone',
      provider,
      details: '',
      instead: transfers,
    });
    expect(decide([instead('a', other), gone('b')], 3)).toEqual({ type: 'gone', named: [other] });
    expect(decide([instead('a', other), instead('b')], 3)).toEqual({ type: 'gone', named: [other] });
    expect(decide([instead('a', other), instead('b', other)], 3)).toEqual({ type: 'gone', instead: [other] });
    expect(decide([instead('a'), instead('b')], 3)).toEqual({ type: 'gone', instead: [] });
    expect(decide([instead('a', other), gone('b')], 2)).toEqual({ type: 'gone', instead: [other] });
  });
});
