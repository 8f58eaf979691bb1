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

test('every page that customers open counts like five requests, and what pages poll like two', async () => {
  await using app = await startApp({ env: { RATE_LIMIT_PER_SECOND: '100' } });
  const { id } = await app.merchant.createSession();
  const link = await app.merchant.createLink();
  const paths = {
    [`/checkout/${id}`]: 5,
    [`/receipt/${id}`]: 5,
    [`/pay/${link.id}`]: 5,
    '/refund/unknown': 5,
    [`/v1/public/checkout/sessions/${id}`]: 2,
    '/unknown': 1,
  };
  const counted: Record<string, number> = {};
  for (const [at, path] of Object.keys(paths).entries()) {
    const { headers } = await app.inject('GET', path, { from: `203.0.113.${at + 1}` });
    counted[path] = Number(headers['x-ratelimit-limit']) - Number(headers['x-ratelimit-remaining']);
  }
  expect(counted).toEqual(paths);
});
