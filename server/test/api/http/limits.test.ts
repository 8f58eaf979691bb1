import { afterEach, describe, expect, test } from 'vitest';
import { newId } from '../../../src/platform/ids.ts';
import { type Answer, type Ground, startGround } from './ground.ts';

let ground: Ground;
afterEach(() => ground.stop());

const LIMIT = 100;
/** Longer than any burst takes on a busy machine. `rate-limit.test.ts` moves the clock through windows of a second. */
const windowSeconds = 60;
const start = async (requestsPerSecond = LIMIT) => {
  ground = await startGround({ requestsPerSecond, windowSeconds });
};
const burst = (as: string | undefined, many: number, path = '/v1/notes', headers = {}) =>
  Promise.all(Array.from({ length: many }, () => ground.call('GET', path, { as, headers })));
const tally = (answers: Answer[]) => {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
};

describe('requests', () => {
  test('exactly 100 pass in the window that the first one opens, the rest are 429', async () => {
    await start();
    const answers = await burst(ground.key(), 130);
    expect(tally(answers)).toEqual({ 200: 100, 429: 30 });

    const remaining = answers
      .filter(({ status }) => status === 200)
      .map(({ headers }) => Number(headers.get('x-ratelimit-remaining')));
    expect(remaining.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 100 }, (_, index) => index));
    const refused = answers.find(({ status }) => status === 429) as Answer;
    expect(refused.json.error).toEqual({ code: 'rate_limited', message: expect.any(String), param: null });
    expect([refused.headers.get('x-ratelimit-limit'), refused.headers.get('x-ratelimit-remaining')]).toEqual([
      '100',
      '0',
    ]);
    const retryAfter = Number(refused.headers.get('retry-after'));
    expect(retryAfter).toBeGreaterThan(0);
    expect(retryAfter).toBeLessThanOrEqual(windowSeconds);
    const reset = Number(refused.headers.get('x-ratelimit-reset'));
    expect(reset).toBeGreaterThanOrEqual(Math.floor(Date.now() / 1_000));
    expect(reset).toBeLessThanOrEqual(Math.ceil(Date.now() / 1_000) + windowSeconds);
  });

  test("the bucket is the account's and mode's, whatever its key, and logins have their own", async () => {
    await start(20);
    const id = newId('acc');
    const [first, second, test, login] = [
      ground.key({ id }),
      ground.key({ id }),
      ground.key({ id, livemode: false }),
      ground.token({ id }),
    ];
    const answers = await Promise.all([first, second, test, login].map((as) => burst(as, 12)));
    expect(tally(answers.slice(0, 2).flat())).toEqual({ 200: 20, 429: 4 });
    expect(tally(answers.slice(2).flat())).toEqual({ 200: 24 });
  });

  test("without a credential the client's address is counted, with 404, 405, 401 and pages among it", async () => {
    await start();
    const answers = (
      await Promise.all([
        burst(undefined, 20),
        burst(undefined, 20, '/v1/nowhere'),
        burst('nonsense', 20),
        burst(undefined, 20, '/page'),
        burst(undefined, 60, '/page'),
      ])
    ).flat();
    expect(answers.filter(({ status }) => status === 429).length).toBeGreaterThan(20);
    for (const { headers } of answers) expect(headers.get('x-ratelimit-limit')).toBe('100');
    // An account has its own counts, whatever other accounts at this address do.
    expect((await ground.call('GET', '/v1/notes', { as: ground.key() })).status).toBe(200);
    expect((await ground.call('GET', '/healthz')).status).toBe(200);
  });

  test("an account's large bodies are limited by their bytes, and the others' and small ones are not", async () => {
    await start(1_000);
    const id = newId('acc');
    const post = (as: string, bytes: number) =>
      ground.call('POST', '/v1/notes', {
        as,
        text: JSON.stringify({ text: 'fern' }).padEnd(bytes),
        headers: { 'content-type': 'application/json' },
      });
    const largest = 256 * 1024;
    const allowed = Math.floor((64 * 1024 ** 2) / (largest - 4 * 1024));
    const keys = [ground.key({ id }), ground.key({ id, livemode: false })];
    const answers: Answer[] = [];
    for (let at = 0; at < allowed + 5; at += 1) answers.push(await post(keys[at % 2] as string, largest));
    expect(tally(answers)).toEqual({ 201: allowed, 429: 5 });
    expect(answers.at(-1)?.json.error.message).toContain('64 MiB');
    expect((await post(keys[0] as string, 4 * 1024)).status).toBe(201);
    expect((await post(ground.key(), largest)).status).toBe(201);
  });

  test('a replay counts like any request', async () => {
    await start();
    const as = ground.key();
    const answers = await Promise.all(
      Array.from({ length: 110 }, () =>
        ground.call('POST', '/v1/notes', { as, body: { text: 'x' }, headers: { 'idempotency-key': 'one' } }),
      ),
    );
    expect(tally(answers)).toEqual({ 201: 100, 429: 10 });
  });

  test('without a trusted proxy a forwarded address is not believed', async () => {
    await start();
    const answers = await Promise.all(
      Array.from({ length: 110 }, (_, index) =>
        ground.call('GET', '/page', { headers: { 'x-forwarded-for': `10.0.0.${index}` } }),
      ),
    );
    expect(tally(answers)[429]).toBeGreaterThanOrEqual(10);
  });

  test('from a trusted one it is', async () => {
    ground = await startGround({ requestsPerSecond: LIMIT, windowSeconds, trustedProxies: ['127.0.0.0/8'] });
    const answers = await Promise.all(
      Array.from({ length: 150 }, (_, index) =>
        ground.call('GET', '/page', { headers: { 'x-forwarded-for': `9.9.9.9, 10.0.0.${index}` } }),
      ),
    );
    expect(tally(answers)).toEqual({ 200: 150 });
  });
});
