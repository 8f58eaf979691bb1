import { expect, test } from 'vitest';
import { readCsv } from './read-csv.ts';

const fields = (csv: string) => readCsv(csv).map((line) => ('fields' in line ? line.fields : line.problem));

test.each([
  ['a,b,c', [['a', 'b', 'c']]],
  ['a;b,5;c', [['a', 'b,5', 'c']]],
  ['a\tb\tc', [['a', 'b', 'c']]],
  [' a , b ,', [['a', 'b', '']]],
  ['a,"b, ""c"" d"', [['a', 'b, "c" d']]],
  ['a,"", b', [['a', '', 'b']]],
  ['\ufeffa,b', [['a', 'b']]],
])('%j is %j', (csv, expected) => {
  expect(fields(csv)).toEqual(expected);
});

test('a line keeps its number, whatever ends the lines and however many are empty', () => {
  expect(readCsv('\na,b\r\n\r\n  \nc,d\re,f').map(({ line }) => line)).toEqual([2, 5, 6]);
});

test.each(['a,"b', 'a,b"c', 'a,"b"c'])('the quotes of %j are a problem of its line', (csv) => {
  expect(fields(`x,y\n${csv}`)).toEqual([['x', 'y'], expect.stringContaining('quote')]);
});

test('a line that is as long as a request and nearly all spaces is read at once', () => {
  const start = performance.now();
  expect(fields(`a,${' '.repeat(200_000)}b"`)).toEqual([expect.stringContaining('quote')]);
  expect(performance.now() - start).toBeLessThan(1_000);
});

test.each(['a\t\t5\t', '"a"\t\t "5" \t'])('an empty cell does not take the value of the next one in %j', (csv) => {
  expect(fields(csv)).toEqual([['a', '', '5', '']]);
});
