import { pino } from 'pino';
import { expect, test } from 'vitest';
import { clientQuota, objectQuota } from './client-quota.ts';
import { Client, WIDER_ALLOWANCE } from './client.ts';
import { createLimiter } from './rate-limit.ts';

const QUOTA = { name: 'open', perMinute: 40, perClient: 10, message: 'all', messageToClient: 'one' };

function counter(profile: 'development' | 'production') {
  const limiter = createLimiter({ requestsPerSecond: 100, redisUrl: null, log: pino({ level: 'silent' }) });
  const count = objectQuota({ limiter, profile }, QUOTA);
  return async (id: string, ip: string) => {
    try {
      await count?.(id, Client.at(ip));
      return 'counted';
    } catch (error) {
      return (error as Error).message;
    }
  };
}

test('the more often an object is asked for, the less one client may ask, and a new client may until the limit is reached', async () => {
  const ask = counter('production');
  const askAll = async (ip: string) => {
    let counted = 0;
    while ((await ask('pl_1', ip)) === 'counted') counted += 1;
    return counted;
  };
  const first = await askAll('203.0.113.1');
  // A client's own requests do not reduce its share.
  expect(first).toBe(QUOTA.perClient);
  expect(await ask('pl_1', '203.0.113.1')).toBe('one');

  let all = first;
  for (let client = 2; all < QUOTA.perMinute; client += 1) {
    const counted = await askAll(`203.0.113.${client}`);
    expect(counted).toBeGreaterThan(0);
    all += counted;
  }
  expect(all).toBe(QUOTA.perMinute);
  expect(await ask('pl_1', '203.0.113.200')).toBe('all');
  expect(await ask('pl_2', '203.0.113.1')).toBe('counted');
});

test('the developer is not limited to a share', async () => {
  const ask = counter('development');
  for (let asked = 0; asked < QUOTA.perMinute; asked += 1) expect(await ask('pl_1', '127.0.0.1')).toBe('counted');
  expect(await ask('pl_1', '127.0.0.1')).toBe('all');
});

test('all clients of an IPv6 /48 together may ask four times as often as one of them', async () => {
  const limiter = createLimiter({ requestsPerSecond: 100, redisUrl: null, log: pino({ level: 'silent' }) });
  const count = clientQuota({ limiter, profile: 'production' }, 'ask', 10);
  const ask = (ip: string) =>
    count(Client.at(ip)).then(
      () => true,
      () => false,
    );
  const ofNewClients = [];
  for (let client = 1; client <= 50; client += 1) ofNewClients.push(await ask(`2001:db8:1:${client}::1`));
  expect(ofNewClients.filter(Boolean)).toHaveLength(10 * WIDER_ALLOWANCE);
  expect(await ask('2001:db8:2:1::1')).toBe(true);

  // What one client is refused for itself does not count for its neighbors.
  for (let asked = 0; asked < 200; asked += 1) await ask('2001:db8:3:1::1');
  expect(await ask('2001:db8:3:2::1')).toBe(true);
});
