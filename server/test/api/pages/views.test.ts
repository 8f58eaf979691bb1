import { expect, test } from 'vitest';
import { startApp } from '../../support/index.ts';

const VIEWS_PER_SECOND = 20;

test('one client opens at most twenty pages a second, and others open theirs meanwhile', async () => {
  await using app = await startApp({ env: { RATE_LIMIT_PER_SECOND: '100' } });
  const { id } = await app.merchant.createSession();
  const open = (from: string) => app.inject('GET', `/checkout/${id}`, { from });
  const startedAt = performance.now();
  const answers = await Promise.all(Array.from({ length: 5 * VIEWS_PER_SECOND }, () => open('203.0.113.9')));
  // Each second has its own allowance, and a busy machine may need several.
  const seconds = Math.ceil((performance.now() - startedAt) / 1_000);
  const shown = answers.filter(({ status }) => status === 200);
  const refused = answers.filter(({ status }) => status === 429);
  expect(shown.length).toBeGreaterThanOrEqual(VIEWS_PER_SECOND);
  expect(shown.length + refused.length).toBe(answers.length);
  expect(shown.length).toBeLessThanOrEqual(VIEWS_PER_SECOND * seconds);
  for (const { headers } of refused) expect(headers['retry-after']).toBe('1');
  for (const { headers } of shown) expect(Number(headers['x-ratelimit-remaining']) % 5).toBe(0);
  expect((await open('203.0.113.10')).status).toBe(200);
  // Pages of the developer's own machine are not counted.
  const own = await Promise.all(Array.from({ length: 2 * VIEWS_PER_SECOND }, () => open('127.0.0.1')));
  expect(own.every(({ status }) => status === 200)).toBe(true);
});
