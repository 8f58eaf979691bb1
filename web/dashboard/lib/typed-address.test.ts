import { expect, test } from 'vitest';
import { addressProblem } from './typed-address.ts';
import { translator } from '../i18n/messages.ts';
import { plurals } from '../i18n/en.ts';

const phrase = 'abandon ability able about above absent absorb abstract absurd abuse access accident';

test.each([
  ['0x52908400098527886E0F7030069857D2E4169EE7', null],
  [' 0x5290 ', null],
  ['', null],
  // It is being typed.
  ['abandon ability', 'An address has no spaces.'],
  [phrase, expect.stringMatching(/^This looks like a recovery phrase\./)],
  [` ${phrase} `, expect.stringMatching(/^This looks like a recovery phrase\./)],
])('of %j, nothing is sent where it says %s', (typed, said) => {
  expect(addressProblem(typed, translator('en', plurals))).toEqual(said);
});
