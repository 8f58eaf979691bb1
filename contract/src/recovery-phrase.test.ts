import { expect, test } from 'vitest';
import { isRecoveryPhrase } from './recovery-phrase.ts';

const words = 'abandon ability able about above absent absorb abstract absurd abuse access accident'.split(' ');

test.each([
  words.join(' '),
  ` ${words.join('  ')}\n`,
  words.join('\n'),
  words.join(', '),
  words.map((word, at) => `${at + 1}. ${word}`).join(' '),
  words.join(' ').toUpperCase(),
  [...words, ...words].join(' '),
  Array(12).fill('ábaco').join(' '),
  Array(15).fill('的').join(' '),
  Array(12).fill('あいこくしん').join('\u3000'),
])('%j looks like a recovery phrase', (text) => {
  expect(isRecoveryPhrase(text)).toBe(true);
});

test.each([
  '',
  words.slice(1).join(' '),
  [...words, ...words, 'one'].join(' '),
  '0x52908400098527886E0F7030069857D2E4169EE7',
  '7vfCXTUXx5WJV5JADk17DUJ4ksgau7utNKj4b963voxs',
  Array(12).fill('0x52908400098527886E0F7030069857D2E4169EE7').join(' '),
])('%j does not', (text) => {
  expect(isRecoveryPhrase(text)).toBe(false);
});
