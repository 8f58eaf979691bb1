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

test('what is created again after a lost answer has the key of the first request, and after an answer or a login another', async () => {
  const keys: (string | undefined)[] = [];
  const answers = ['lost', 'lost', 'made', 'made'];
  vi.stubGlobal('fetch', async (_path: string, { headers }: { headers: Record<string, string> }) => {
    keys.push(headers['idempotency-key']);
    if (answers.shift() === 'lost') throw new TypeError('Failed to fetch');
    return Response.json({ data: {} });
  });
  const { create, forgetUnanswered } = await import('./api.ts');
  const refund = (amount: string) => create('/v1/payments/pay_1/refunds', { coin_amount: amount });
  await expect(refund('1.00')).rejects.toThrow('Can’t reach the server.');
  await expect(refund('2.00')).rejects.toThrow('Can’t reach the server.');
  await refund('1.00');
  await refund('1.00');
  answers.unshift('lost');
  await expect(refund('1.00')).rejects.toThrow();
  forgetUnanswered();
  await refund('1.00');
  const [first, other, again, later, lost, ofNextLogin] = keys;
  expect(first).toMatch(/^[0-9a-z]{8,40}$/);
  expect(again).toBe(first);
  expect(new Set([first, other, later, lost, ofNextLogin]).size).toBe(5);
});
