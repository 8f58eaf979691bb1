import { expect, test } from 'vitest';
import { type Finding, groupByCause } from './finding.ts';

const failed = (subject: string, details: string): Finding => ({ state: 'failed', subject, details });

test('what fails for one reason is one line that says what to do, and failures come before warnings', () => {
  const found = groupByCause([
    { state: 'warning', subject: 'mail', details: 'SMTP_URL is not set' },
    failed('base one.example', 'one.example did not answer: getaddrinfo ENOTFOUND one.example'),
    failed('base', 'no provider works'),
    failed('solana two.example', 'two.example did not answer: getaddrinfo EAI_AGAIN two.example'),
    failed('solana', 'no provider works'),
    failed('Redis', 'is a replica'),
  ]);
  expect(found).toEqual([
    failed(
      '2 checks',
      'no name resolution: allow outgoing DNS and HTTPS, or correct the names (base one.example, solana two.example)',
    ),
    failed('2 checks', 'no provider works (base, solana)'),
    failed('Redis', 'is a replica'),
    { state: 'warning', subject: 'mail', details: 'SMTP_URL is not set' },
  ]);
});

test('an error that stands alone keeps its own words', () => {
  const alone = failed('base one.example', 'one.example answered HTTP 403');
  expect(groupByCause([alone])).toEqual([alone]);
});

test.each([
  ['fetch failed: connect ETIMEDOUT 192.0.2.1:443', 'not reached'],
  ['the operation was aborted due to timeout', 'not reached'],
  ['unable to verify the first certificate', 'the certificate is not trusted'],
  ['answered HTTP 401', 'the key is refused'],
  ['answered HTTP 429', 'calls are refused as too many'],
])('%s: %s', (details, cause) => {
  const [group] = groupByCause([failed('base one.example', details), failed('base two.example', details)]);
  expect(group?.details).toMatch(new RegExp(`^${cause}: .* \\(base one\\.example, base two\\.example\\)$`));
});
