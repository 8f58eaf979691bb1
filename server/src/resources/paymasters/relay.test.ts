import { pino } from 'pino';
import { expect, test } from 'vitest';
import { Client } from '../../platform/http/admission/client.ts';
import { createLimiter } from '../../platform/http/admission/rate-limit.ts';
import { countRelay } from './relay.ts';

const address = (at: number) => `203.${Math.floor(at / 250)}.${at % 250}.1`;

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

test('one client leaves the paymaster of an account to the others, the more so the less of its hour is left', async () => {
  const limiter = createLimiter({ requestsPerSecond: 100, redisUrl: null, log: pino({ level: 'silent' }) });
  let at = 0;
  const isCounted = (client: Client) => {
    at += 1;
    return countRelay(limiter, { sessionId: `cs_${at}`, accountId: 'acct_1', client }).then(
      () => true,
      () => false,
    );
  };
  const count = async (client: Client) => {
    let own = 0;
    while (await isCounted(client)) own += 1;
    return own;
  };
  const counts: number[] = [];
  for (let stranger = 0; stranger < 40; stranger += 1) counts.push(await count(Client.at(`203.0.${stranger}.1`)));
  expect(counts[0]).toBe(60);
  expect(Math.min(...counts)).toBeGreaterThan(0);
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
