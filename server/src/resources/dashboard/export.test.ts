import { expect, test } from 'vitest';
import { csvLine } from './export.ts';

test.each([
  ['plain', 'plain'],
  ['49.00', '49.00'],
  ['', ''],
  [null, ''],
  ['a,b', '"a,b"'],
  ['say "hi"', '"say ""hi"""'],
  ['two\nlines', '"two\nlines"'],
  ['=1+1', "'=1+1"],
  ['+44 20', "'+44 20"],
  ['-5', "'-5"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\t=1', "'\t'=1"],
  [' =1', "' =1"],
  ['\uFF1D1', "'\uFF1D1"],
  ['\r=1', `"'\r'=1"`],
  ['A-7;=HYPERLINK("http://x")', `"A-7;'=HYPERLINK(""http://x"")"`],
  ['A-7; -1', "A-7;' -1"],
  ['A-7\t@SUM(A1)', "A-7\t'@SUM(A1)"],
  ['two\n+1', `"two\n'+1"`],
  ['one, - two; three - four', '"one, - two; three - four"'],
  ['{"note":"a;=1"}', `"{""note"":""a;'=1""}"`],
  ['=HYPERLINK("http://x","y")', `"'=HYPERLINK(""http://x"",""y"")"`],
])('the cell %j is written so that it stays text', (cell, written) => {
  expect(csvLine([cell])).toBe(`${written}\r\n`);
});

/** What spreadsheets begin a formula with, in Japan also in full width. */
const FORMULAS = ['=', '+', '-', '@', '\uFF1D', '\uFF0B', '\uFF0D', '\uFF20'];

test.each([
  ['commas', ','],
  ['semicolons', ';'],
  ['tabs', '\t'],
])('no cell is a formula for a reader that separates by %s', (_name, separator) => {
  const letters = [...FORMULAS, ';', ',', '\t', '\r', '\n', '"', "'", ' ', '\uFEFF', 'a', '1'];
  const random = createRandom(7);
  const text = () => Array.from({ length: random.below(7) }, () => letters[random.below(letters.length)]).join('');
  for (let round = 0; round < 20_000; round += 1) {
    const line = csvLine(['pay_1', text(), text(), null, text()]);
    const formulas = cellsOf(line, separator).filter((cell) =>
      FORMULAS.includes(cell.replace(/^[\s\uFEFF]+/, '').charAt(0) || 'none'),
    );
    expect(formulas, JSON.stringify(line)).toEqual([]);
  }
});

/** A reader as spreadsheets have: quotes count at the beginning of a cell only, and a line break ends a row. */
function cellsOf(text: string, separator: string): string[] {
  const cells: string[] = [];
  let cell = '';
  let isQuoted = false;
  let isFresh = true;
  for (let at = 0; at < text.length; at += 1) {
    const letter = text[at] as string;
    if (isQuoted) {
      if (letter !== '"') cell += letter;
      else if (text[at + 1] === '"') cell += text[(at += 1)];
      else isQuoted = false;
    } else if (letter === '"' && isFresh) {
      isQuoted = true;
      isFresh = false;
    } else if (letter === separator || letter === '\r' || letter === '\n') {
      cells.push(cell);
      cell = '';
      isFresh = true;
    } else {
      cell += letter;
      isFresh = false;
    }
  }
  return [...cells, cell];
}

function createRandom(seed: number): { below(end: number): number } {
  let state = seed;
  return {
    below(end) {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return Math.floor((state / 2 ** 32) * end);
    },
  };
}
