import { expect, test } from 'vitest';
import { createShares } from './client-share.ts';
import { Client } from './http/admission/client.ts';

const client = (range: number, number: number) => Client.at(`2001:db8:${range}:${number.toString(16)}::1`);

test('all clients of an IPv6 /48 together hold four times the share of one, and give it back', () => {
  const shares = createShares({ limit: 1_000, perClient: 10 });
  const taken = Array.from({ length: 1_000 }, (_, number) => client(1, number)).filter((one) => shares.acquire(one));
  expect(taken).toHaveLength(40);
  expect(shares.acquire(client(2, 1))).toBe(true);
  for (const one of taken) shares.release(one);
  expect(shares.acquire(client(1, 999))).toBe(true);
});

test('the fuller the budget is, the fewer of it one client holds, and a client without an address is limited by the budget alone', () => {
  const shares = createShares({ limit: 100, perClient: 10 });
  const hold = (name: string) => {
    let held = 0;
    while (shares.acquire(Client.at(name))) held += 1;
    return held;
  };
  expect(hold('203.0.113.1')).toBe(10);
  expect(hold('203.0.113.2')).toBe(9);
  let rest = 0;
  while (shares.acquire(null)) rest += 1;
  expect(rest).toBe(81);
});
