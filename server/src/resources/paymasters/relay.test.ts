import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createLimiter } from '../../platform/http/admission/rate-limit.ts';
import { countRelay } from './relay.ts';

test("all checkouts of an account together ask its paymaster at most 600 times an hour, and another account's go on", async () => {
  const limiter = createLimiter({ requestsPerSecond: 100, redisUrl: null, log: pino({ level: 'silent' }) });
  for (let time = 0; time < 600; time += 1) await countRelay(limiter, `cs_${time % 60}`, 'acct_1');
  await expect(countRelay(limiter, 'cs_new', 'acct_1')).rejects.toMatchObject({ code: 'rate_limited' });
  await countRelay(limiter, 'cs_other', 'acct_2');
  await limiter.close();
});
