import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { HOUR_MS, MINUTE_MS } from '../../../platform/time.ts';
import { ProviderBehindError, ProviderError } from './errors.ts';
import { narrowing } from './narrowing.ts';
import type { Provider } from './provider.ts';
import { createProviders } from './providers.ts';
import { requireWanted } from './stop.ts';
import { createWindow } from './window.ts';

let node: Server;
let nodeUrl: string;

beforeAll(async () => {
  node = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () =>
      response.end(JSON.stringify({ jsonrpc: '2.0', id: JSON.parse(body).id, result: 'answer' })),
    );
  });
  await new Promise<void>((resolve) => node.listen(0, '127.0.0.1', resolve));
  nodeUrl = `http://127.0.0.1:${(node.address() as AddressInfo).port}`;
});
afterAll(() => {
  node.close();
});

function start() {
  const clock = { nowMs: 0 };
  const options = {
    pin: { method: 'chain', expected: 'answer', parse: String },
    pauseMs: { first: 0, longest: 0 },
    nowMs: () => clock.nowMs,
  };
  const providers = createProviders([nodeUrl, 'http://two.invalid'], options, pino({ level: 'silent' }));
  const only = [new URL(nodeUrl).host];
  const fail = (error: Error, options = {}) =>
    providers.use(() => Promise.reject(error), { only, ...options }).catch(() => {});
  const answer = (options = {}) =>
    providers.use((provider) => provider.call({ method: 'any', params: [], parse: String }), { only, ...options });
  const remember = () => providers.use(() => Promise.resolve('from memory'), { only });
  return { clock, providers, fail, answer, remember, forMs: () => providers.unreachableMs(only[0] as string) };
}

test('a cached answer does not show that a provider is alive', async () => {
  const { clock, fail, remember, forMs } = start();
  await fail(new ProviderError('down'));
  clock.nowMs += MINUTE_MS;
  await remember();
  expect(forMs()).toBe(MINUTE_MS);
});

test('a provider is unreachable since its first failure after its last answer', async () => {
  const { clock, fail, answer, forMs } = start();
  for (let minute = 0; minute < 5; minute += 1) {
    await fail(new ProviderError('down'));
    clock.nowMs += MINUTE_MS;
  }
  expect(forMs()).toBe(5 * MINUTE_MS);
  await answer();
  expect(forMs()).toBe(0);
  await fail(new ProviderError('down'));
  expect(forMs()).toBe(0);
});

test('the health of a provider says when it last answered, also while it fails', async () => {
  const { clock, providers, fail, answer } = start();
  const lastAnsweredAt = () => providers.health()[0]?.lastAnsweredAt;
  await fail(new ProviderError('down'));
  expect(lastAnsweredAt()).toBeNull();
  await answer();
  const at = new Date(clock.nowMs);
  clock.nowMs += MINUTE_MS;
  await fail(new ProviderError('down'));
  expect(lastAnsweredAt()).toEqual(at);
});

test('a provider that is behind is alive, however long it stays behind', async () => {
  const { clock, providers, fail, forMs } = start();
  await fail(new ProviderError('down'));
  for (let minute = 0; minute < 30; minute += 1) {
    clock.nowMs += MINUTE_MS;
    await fail(new ProviderBehindError('at block 5'));
    expect(forMs()).toBe(0);
  }
  expect(providers.health()[0]).toMatchObject({ healthy: true });
});

test('failures that are further apart than calls normally are do not count as one run', async () => {
  const { clock, fail, forMs } = start();
  await fail(new ProviderError('down'));
  clock.nowMs += 60 * MINUTE_MS;
  expect(forMs()).toBe(0);
  await fail(new ProviderError('down'));
  expect(forMs()).toBe(0);
  clock.nowMs += MINUTE_MS;
  expect(forMs()).toBe(MINUTE_MS);
});

test('a provider that asks not to be queried for an hour is unreachable meanwhile, and from one hour to the next', async () => {
  const { clock, fail, forMs } = start();
  vi.useFakeTimers();
  try {
    const pass = (minutes: number) => {
      clock.nowMs += minutes * MINUTE_MS;
      vi.advanceTimersByTime(minutes * MINUTE_MS);
    };
    await fail(new ProviderError('over its quota', { retryAfterMs: HOUR_MS }));
    pass(11);
    expect(forMs()).toBe(11 * MINUTE_MS);
    pass(50);
    await fail(new ProviderError('over its quota', { retryAfterMs: HOUR_MS }));
    pass(30);
    expect(forMs()).toBe(91 * MINUTE_MS);
    // A pause that no call follows ends the run, as a time without calls does.
    pass(33);
    expect(forMs()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});

test('an answer to what was asked before a pause begins the time again, and the rest of the pause counts', async () => {
  const { clock, providers, fail, forMs } = start();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const before = providers.use(
    async (provider) => {
      await released;
      return provider.call({ method: 'any', params: [], parse: String });
    },
    { only: [new URL(nodeUrl).host] },
  );
  await fail(new ProviderError('over its quota', { retryAfterMs: HOUR_MS }));
  clock.nowMs += 5 * MINUTE_MS;
  release();
  await before;
  expect(forMs()).toBe(0);
  clock.nowMs += 11 * MINUTE_MS;
  expect(forMs()).toBe(11 * MINUTE_MS);
});

test('a clock that goes back makes no provider unreachable', async () => {
  const { clock, fail, forMs } = start();
  await fail(new ProviderError('down'));
  clock.nowMs -= 60 * MINUTE_MS;
  expect(forMs()).toBe(0);
});

test("a failure caused by a stranger's request does not count, but a successful answer does", async () => {
  const { clock, fail, answer, forMs } = start();
  await fail(new ProviderError('cannot be read'), { ignoreFailures: true });
  clock.nowMs += MINUTE_MS;
  expect(forMs()).toBe(0);
  await fail(new ProviderError('down'));
  clock.nowMs += MINUTE_MS;
  await answer({ ignoreFailures: true });
  expect(forMs()).toBe(0);
});

describe('a provider that answers late', () => {
  afterEach(() => vi.useRealTimers());

  /** Providers that answer after these times. `asked` has the names in the order of the requests. */
  function startTimed(delaysMs: Record<string, number>) {
    vi.useFakeTimers();
    const asked: string[] = [];
    const open = (name: string) => {
      const provider = {
        name,
        requests: 0,
        recheckChain() {},
        call: async () => {
          requireWanted();
          provider.requests += 1;
          asked.push(name);
          await new Promise((resolve) => setTimeout(resolve, delaysMs[name]));
          return name;
        },
      };
      return provider as unknown as Provider;
    };
    const options = { pin: { method: 'chain', expected: 'answer', parse: String }, open };
    const providers = createProviders(Object.keys(delaysMs), options, pino({ level: 'silent' }));
    const call = { method: 'any', params: [], parse: String };
    const ask = async () => {
      const beganMs = performance.now();
      const answer = providers.use((provider) => provider.call(call));
      await vi.advanceTimersByTimeAsync(Math.max(...Object.values(delaysMs)));
      return { by: await answer, beganMs };
    };
    return { asked, ask, providers, call };
  }

  test('is overtaken by the next one after a second, and is not asked first again', async () => {
    const { asked, ask } = startTimed({ slow: 5_000, fast: 20 });
    expect((await ask()).by).toBe('fast');
    expect(asked).toEqual(['slow', 'fast']);
    for (let turn = 0; turn < 5; turn += 1) expect((await ask()).by).toBe('fast');
    expect(asked.slice(2)).toEqual(Array(5).fill('fast'));
  });

  test('is overtaken only a few times if all of them are as late', async () => {
    const { asked, ask } = startTimed({ one: 3_000, two: 3_000, three: 3_000 });
    for (let turn = 0; turn < 100; turn += 1) await ask();
    expect(asked.length).toBeLessThan(115);
  });

  test('costs a network no second call while it is healthy, also if it needs most of a second', async () => {
    const { asked, ask } = startTimed({ one: 900, two: 20 });
    for (let turn = 0; turn < 100; turn += 1) expect((await ask()).by).toBe('one');
    expect(asked).toHaveLength(100);
  });

  /** Work of this number of calls, one after the other. */
  const many = (calls: number) => async (provider: Provider) => {
    let name = '';
    for (let at = 0; at < calls; at += 1) name = await provider.call({ method: 'any', params: [], parse: String });
    return name;
  };

  test('is overtaken after ten seconds if each of many answers comes just in time, and is not asked first again', async () => {
    const { asked, providers } = startTimed({ slow: 900, fast: 20 });
    for (let turn = 0; turn < 5; turn += 1) {
      const answer = providers.use(many(200));
      await vi.advanceTimersByTimeAsync(turn === 0 ? 14_500 : 4_500);
      expect(await Promise.race([answer, 'still waits'])).toBe('fast');
    }
    expect(asked.filter((name) => name === 'slow').length).toBeLessThan(20);
  });

  test('is overtaken only a few times if all of them need many calls: hardly more are made than without', async () => {
    const { asked, providers } = startTimed({ one: 300, two: 300 });
    for (let turn = 0; turn < 100; turn += 1) {
      const answer = providers.use(many(60));
      await vi.advanceTimersByTimeAsync(60 * 300);
      await answer;
    }
    expect(asked.length).toBeLessThan(100 * 60 * 1.1);
  });

  test('has failed at the limit of the work, and is asked no more; one that was asked in its last seconds has not', async () => {
    const { asked, providers } = startTimed({ slow: 900, next: 900 });
    const answer = providers.use(many(1_000), { limitMs: 15_000 }).catch((error: Error) => error.message);
    await vi.advanceTimersByTimeAsync(15_000);
    expect(await Promise.race([answer, 'still waits'])).toBe(
      'slow had not finished after 15 s; next had not finished after 15 s',
    );
    await vi.advanceTimersByTimeAsync(15_000);
    expect(providers.health().map(({ healthy }) => healthy)).toEqual([false, true]);
    expect(asked.length).toBeLessThan(25);
  });

  test('is asked for half of the blocks after a step that was stopped at the limit', async () => {
    const { providers } = startTimed({ slow: 900 });
    const window = createWindow(100, 100);
    const answer = providers.use((provider) => narrowing(window, 100, () => many(1_000)(provider)), {
      limitMs: 15_000,
    });
    await Promise.all([vi.advanceTimersByTimeAsync(16_000), expect(answer).rejects.toThrow('had not finished')]);
    expect(window.blocks).toBe(50);
  });

  test('is not overtaken by a failure: the late answer counts', async () => {
    const { providers, call } = startTimed({ late: 4_000, broken: 20 });
    const answer = providers.use(async (provider) => {
      const name = await provider.call(call);
      if (name === 'broken') throw new ProviderError('down');
      return name;
    });
    await vi.advanceTimersByTimeAsync(4_000);
    expect(await answer).toBe('late');
  });
});
