import { afterAll, expect, test, vi } from 'vitest';

vi.stubGlobal('localStorage', { getItem: () => null });
afterAll(() => vi.unstubAllGlobals());

test.each([
  ['Too many test deliveries. Try again after `Retry-After` seconds.', '12', 'Try again in 12 s.'],
  ['Poll instead, or try again after `Retry-After` seconds.', null, 'or try again later.'],
])('a person reads when to try again, and no name of a header', async (message, retryAfter, end) => {
  const { forPeople } = await import('./api.ts');
  const shown = forPeople(message, retryAfter);
  expect(shown.endsWith(end)).toBe(true);
  expect(shown).not.toContain('Retry-After');
});
