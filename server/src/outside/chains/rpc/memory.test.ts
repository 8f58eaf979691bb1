import { expect, test } from 'vitest';
import { createCheckMemory } from '../chain.ts';
import { ProviderError } from './errors.ts';
import { rememberAnswers } from './memory.ts';
import type { Call, Provider } from './provider.ts';
import { MalformedAnswerError } from './shapes.ts';

const call = (method: string): Call<string> => ({ method, params: [1], parse: String });

function counting() {
  const asked: string[] = [];
  let fails = false;
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
  } as unknown as Provider;
  return {
    asked,
    provider,
    fail: (value: boolean) => {
      fails = value;
    },
  };
}

test('the same question is asked once, alone or in a batch', async () => {
  const { asked, provider } = counting();
  const remembering = rememberAnswers(provider, createCheckMemory());
  expect(await remembering.call(call('receipt'))).toBe('receipt as it came');
  expect(await remembering.batch([call('receipt'), call('block')] as const)).toEqual([
    'receipt as it came',
    'block as it came',
  ]);
  expect(await remembering.batch([call('block')] as const)).toEqual(['block as it came']);
  expect(await remembering.call(call('receipt'))).toBe('receipt as it came');
  expect(asked).toEqual(['receipt', 'block']);
});

test('the calls that were sent are counted, and not what was answered from memory', async () => {
  const { provider } = counting();
  const memory = createCheckMemory();
  const remembering = rememberAnswers(provider, memory);
  await remembering.call(call('receipt'));
  await remembering.batch([call('receipt'), call('block'), call('head')] as const);
  expect(memory.calls).toBe(3);
});

test('what failed is asked again', async () => {
  const { asked, provider, fail } = counting();
  const remembering = rememberAnswers(provider, createCheckMemory());
  fail(true);
  await expect(remembering.call(call('receipt'))).rejects.toThrow('down');
  fail(false);
  expect(await remembering.call(call('receipt'))).toBe('receipt as it came');
  expect(asked).toEqual(['receipt', 'receipt']);
});

test('one answer is read in as many ways as it is asked for, and an unreadable one is a failure of the provider', async () => {
  const { asked, provider } = counting();
  const remembering = rememberAnswers(provider, createCheckMemory());
  expect(await remembering.call({ ...call('trace'), parse: () => 'frames' })).toBe('frames');
  expect(await remembering.call({ ...call('trace'), parse: () => 'tagged calls' })).toBe('tagged calls');
  const unreadable = {
    ...call('trace'),
    parse: (): string => {
      throw new MalformedAnswerError('no trace');
    },
  };
  await expect(remembering.call(unreadable)).rejects.toThrow(ProviderError);
  expect(asked).toEqual(['trace']);
});
