import { expect, test } from 'vitest';
import { plainText, webLink } from './plain-text.ts';

test.each([
  ['Two ferns', 'Two ferns'],
  ['refund\u202e001', 'refund001'],
  ['\u2067abc\u2069', 'abc'],
  ['zero\u200bwidth', 'zerowidth'],
  ['line\nbreak', 'line break'],
  ['خزامى', 'خزامى'],
  ['👩‍🌾 farm', '👩‍🌾 farm'],
])('%j is shown as %j', (text, expected) => {
  expect(plainText(text)).toBe(expected);
});

test.each([
  ['https://shop.example/ok?a=1', true],
  ['http://localhost:3000/', true],
  ['javascript:alert(1)', false],
  ['data:text/html,x', false],
  ['//evil.example', false],
  ['https://user:pass@evil.example', false],
  ['vbscript:x', false],
  ['', false],
])('%j may be linked: %s', (url, expected) => {
  expect(webLink(url) !== null).toBe(expected);
});
