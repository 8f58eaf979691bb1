import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createAnswerCache } from '../chain.ts';
import { ProviderError, RpcError } from './errors.ts';
import { cacheAnswers } from './answer-cache.ts';
import type { Call, Provider } from './provider.ts';
import { MalformedAnswerError } from './shapes.ts';

const log = pino({ level: 'silent' });
const call = (method: string): Call<string> => ({ method, params: [1], parse: String });

function counting() {
  const asked: string[] = [];
  let fails = false;
  let refused = '';
  const answer = async ({ method }: Call<unknown>) => {
    asked.push(method);
    if (fails) throw new Error('down');
    return `${method} as it came`;
  };
  const provider = {
    name: 'one',
    requests: 0,
    call: answer,
    batch: (calls: Call<unknown>[]) => Promise.all(calls.map(answer)),
    attempt: (calls: Call<unknown>[]) =>
      Promise.all(
        calls.map(async (one) => {
          const value = await answer(one);
          return one.method === refused ? { error: new RpcError(one.method, -32602, 'no such tag') } : { value };
        }),
      ),
  } as unknown as Provider;
  return {
    asked,
    provider,
    fail: (value: boolean) => {
      fails = value;
    },
    refuse: (method: string) => {
      refused = method;
    },
  };
}

test('the same call is sent once, alone or in a batch', async () => {
  const { asked, provider } = counting();
  const caching = cacheAnswers(provider, createAnswerCache(), log);
  expect(await caching.call(call('receipt'))).toBe('receipt as it came');
  expect(await caching.batch([call('receipt'), call('block')] as const)).toEqual([
    'receipt as it came',
    'block as it came',
  ]);
  expect(await caching.batch([call('block')] as const)).toEqual(['block as it came']);
  expect(await caching.call(call('receipt'))).toBe('receipt as it came');
  expect(asked).toEqual(['receipt', 'block']);
});

test('only calls that were sent are counted, not cached answers', async () => {
  const { provider } = counting();
  const cache = createAnswerCache();
  const caching = cacheAnswers(provider, cache, log);
  await caching.call(call('receipt'));
  await caching.batch([call('receipt'), call('block'), call('head')] as const);
  expect(cache.calls).toBe(3);
});

test('a failed call is sent again', async () => {
  const { asked, provider, fail } = counting();
  const caching = cacheAnswers(provider, createAnswerCache(), log);
  fail(true);
  await expect(caching.call(call('receipt'))).rejects.toThrow('down');
  fail(false);
  expect(await caching.call(call('receipt'))).toBe('receipt as it came');
  expect(asked).toEqual(['receipt', 'receipt']);
});

test('attempted calls are sent once and counted once, however they are repeated', async () => {
  const { asked, provider } = counting();
  const cache = createAnswerCache();
  const caching = cacheAnswers(provider, cache, log);
  const heads = [call('latest'), call('safe')];
  const read = [{ value: 'latest as it came' }, { value: 'safe as it came' }];
  expect(await caching.attempt(heads)).toEqual(read);
  expect(await caching.attempt(heads)).toEqual(read);
  expect(await caching.call(call('latest'))).toBe('latest as it came');
  expect(asked).toEqual(['latest', 'safe']);
  expect(cache.calls).toBe(2);
});

test('an attempted call that the node rejects is sent again, alone', async () => {
  const { asked, provider, refuse } = counting();
  const caching = cacheAnswers(provider, createAnswerCache(), log);
  refuse('safe');
  const [latest, safe] = await caching.attempt([call('latest'), call('safe')]);
  expect(latest).toEqual({ value: 'latest as it came' });
  expect(safe).toMatchObject({ error: { code: -32602 } });
  refuse('');
  expect(await caching.attempt([call('latest'), call('safe')])).toEqual([
    { value: 'latest as it came' },
    { value: 'safe as it came' },
  ]);
  expect(asked).toEqual(['latest', 'safe', 'safe']);
});

test('an attempt that fails as a whole is sent again as a whole', async () => {
  const { asked, provider, fail } = counting();
  const caching = cacheAnswers(provider, createAnswerCache(), log);
  fail(true);
  await expect(caching.attempt([call('latest'), call('safe')])).rejects.toThrow('down');
  fail(false);
  expect(await caching.attempt([call('latest'), call('safe')])).toHaveLength(2);
  expect(asked).toEqual(['latest', 'safe', 'latest', 'safe']);
});

test('one cached answer can be parsed in several ways, and an unreadable one is a provider failure', async () => {
  const { asked, provider } = counting();
  const caching = cacheAnswers(provider, createAnswerCache(), log);
  expect(await caching.call({ ...call('trace'), parse: () => 'frames' })).toBe('frames');
  expect(await caching.call({ ...call('trace'), parse: () => 'tagged calls' })).toBe('tagged calls');
  const unreadable = {
    ...call('trace'),
    parse: (): string => {
      throw new MalformedAnswerError('no trace');
    },
  };
  await expect(caching.call(unreadable)).rejects.toThrow(ProviderError);
  expect(asked).toEqual(['trace']);
});
