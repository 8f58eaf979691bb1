import type { FastifyRequest } from 'fastify';
import { expect, test } from 'vitest';
import type { BuiltPages } from './built.ts';
import { viewOf } from './read-page.ts';

const pages = { renderer: { locales: ['en'] } } as unknown as BuiltPages;
const view = (query: object) => viewOf(pages, { query, headers: {} } as FastifyRequest);

test.each([
  { view: 'x1' },
  { view: '' },
  { view: ['choose', 'choose'] },
  { asset: 'USDC' },
  { network: 'bitcoin' },
  { asset: 'BTC', network: 'base' },
  { asset: 'x1', network: 'x2' },
])('%j chooses nothing, so the page is the one of all', (query) => expect(view(query)).toBe(view({})));

test('each view and each coin is a page of its own', () => {
  const bitcoin = { asset: 'BTC', network: 'bitcoin' };
  const queries = [{}, { view: 'choose' }, { view: 'noticed' }, bitcoin, { view: 'choose', ...bitcoin }];
  expect(new Set(queries.map(view)).size).toBe(queries.length);
});
