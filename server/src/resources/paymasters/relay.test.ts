import { pino } from 'pino';
import { expect, test } from 'vitest';
import { Client } from '../../platform/http/admission/client.ts';
import { createLimiter } from '../../platform/http/admission/rate-limit.ts';
import { countRelay } from './relay.ts';

const address = (at: number) => `203.0.${Math.floor(at / 50)}.1`;

test("all checkouts of an account together ask its paymaster at most 600 times an hour, and another account's go on", async () => {
  const limiter = createLimiter({ requestsPerSecond: 100, redisUrl: null, log: pino({ level: 'silent' }) });
  for (let time = 0; time < 600; time += 1)
    await countRelay(limiter, { sessionId: `cs_${time % 60}`, accountId: 'acct_1', client: Client.at(address(time)) });
  const client = Client.at('198.51.100.1');
  const refused = countRelay(limiter, { sessionId: 'cs_new', accountId: 'acct_1', client });
  await expect(refused).rejects.toMatchObject({ code: 'rate_limited' });
  await countRelay(limiter, { sessionId: 'cs_other', accountId: 'acct_2', client });
  await limiter.close();
});

test('one client asks for paymasters at most 60 times an hour, over all checkouts, and another one goes on', async () => {
  const limiter = createLimiter({ requestsPerSecond: 100, redisUrl: null, log: pino({ level: 'silent' }) });
  const relay = (at: number, ip: string) =>
    countRelay(limiter, { sessionId: `cs_${at}`, accountId: `acct_${at}`, client: Client.at(ip) });
  for (let time = 0; time < 60; time += 1) await relay(time, `2001:db8:1:2::${time}`);
  await expect(relay(61, '2001:db8:1:2::ffff')).rejects.toMatchObject({ code: 'rate_limited' });
  await relay(61, '2001:db8:2:2::1');
  await limiter.close();
});

test('all clients of one IPv6 /48 together ask four times as often, and another one goes on', async () => {
  const limiter = createLimiter({ requestsPerSecond: 100, redisUrl: null, log: pino({ level: 'silent' }) });
  const relay = (at: number, ip: string) =>
    countRelay(limiter, { sessionId: `cs_${at}`, accountId: `acct_${at}`, client: Client.at(ip) });
  for (let time = 0; time < 240; time += 1) await relay(time, `2001:db8:1:${time % 24}::${time}`);
  await expect(relay(241, '2001:db8:1:ffff::1')).rejects.toMatchObject({ code: 'rate_limited' });
  await relay(241, '2001:db8:2:ffff::1');
  await limiter.close();
});
