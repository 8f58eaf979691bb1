import { expect, test } from 'vitest';
import { colored, print, say, type Terminal } from './terminal.ts';

function terminal(isTTY = false): Terminal & { written: string } {
  const made = {
    written: '',
    stdout: { isTTY, write: (text: string) => void (made.written += text) },
    stderr: { write: (text: string) => void (made.written += text) },
    stdin: process.stdin,
    env: {},
  };
  return made;
}

test.each([
  ['\u001b[2J\u001b]0;title\u0007order', '\\u001b[2J\\u001b]0;title\\u0007order'],
  ['\u009b31m', '\\u009b31m'],
  ['refund\u202e001', 'refund\\u202e001'],
  ['over\rwritten\b', 'over\\u000dwritten\\u0008'],
  ['hidden\u{e0041}', 'hidden\\udb40\\udc41'],
  ['two\nlines\tand a tab', 'two\nlines\tand a tab'],
  ['أمل 👩🏽‍🌾 می‌خواهم', 'أمل 👩🏽‍🌾 می‌خواهم'],
])('%j reaches a terminal as %j', (text, shown) => {
  for (const write of [print, say]) {
    const to = terminal();
    write(to, text);
    expect(to.written).toBe(`${shown}\n`);
  }
});

test('JSON stays the same value', () => {
  const value = { order_id: '\u001b[2J\u009b\u202e\u{e0041}\u200d' };
  const to = terminal();
  print(to, JSON.stringify(value));
  expect(to.written.trim()).not.toMatch(/[\p{Cc}\u202e]/u);
  expect(JSON.parse(to.written)).toEqual(value);
});

test('colors are left', () => {
  const to = terminal(true);
  print(to, colored(to, 'green', 'ok'));
  expect(to.written).toBe('\u001b[32mok\u001b[0m\n');
});
