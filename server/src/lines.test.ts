import { expect, test, vi } from 'vitest';
import { createLines } from './lines.ts';
import { Client } from './platform/http/admission/client.ts';

test("a request that has waited ten seconds for an account's sandbox is refused, and others are done", async () => {
  vi.useFakeTimers();
  try {
    const { sandboxes } = createLines();
    const moving = Promise.withResolvers<string>();
    const first = sandboxes.inTurn('acct_1', () => moving.promise);
    const waiting = sandboxes.inTurn('acct_1', async () => 'paid').catch((error) => error.code);
    await vi.advanceTimersByTimeAsync(10_000);
    moving.resolve('moved');
    expect(await Promise.all([first, waiting])).toEqual(['moved', 'rate_limited']);
    expect(await sandboxes.inTurn('acct_1', async () => 'paid')).toBe('paid');
  } finally {
    vi.useRealTimers();
  }
});

test('a client has a share of the places in which programs are verified, and leaves the others to others', async () => {
  const { credentials } = createLines();
  const hanging = Promise.withResolvers<string>();
  const verify = (client: Client | null) =>
    credentials.inTurn('base', () => hanging.promise, client).catch((error) => error.code);
  const flood = Array.from({ length: 20 }, () => verify(Client.at('203.0.113.7')));
  const others = [Client.at('203.0.113.8'), null].map(verify);
  const another = await credentials.inTurn('polygon', async () => 'done', Client.at('203.0.113.7'));
  hanging.resolve('verified');
  const ends = await Promise.all(flood);
  expect([ends.filter((end) => end === 'verified').length, another]).toEqual([4, 'done']);
  expect([await Promise.all(others), await verify(Client.at('203.0.113.7'))]).toEqual([
    ['verified', 'verified'],
    'verified',
  ]);
});
