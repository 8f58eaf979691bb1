import { expect, test } from 'vitest';
import { rememberAnswers } from './memory.ts';
import type { Call, Provider } from './provider.ts';

const call = (method: string): Call<string> => ({ method, params: [1], parse: String });

function counting() {
  const asked: string[] = [];
  let fails = false;
  const answer = async ({ method }: Call<unknown>) => {
    asked.push(method);
    if (fails) throw new Error('down');
    return method;
  };
  const provider = { name: 'one', requests: 0, call: answer, batch: (calls: Call<unknown>[]) => Promise.all(calls.map(answer)) } as unknown as Provider;
  return { asked, provider, fail: (value: boolean) => { fails = value; } };
}

test('the same question is asked once, alone or in a batch', async () => {
  const { asked, provider } = counting();
  const remembering = rememberAnswers(provider, new Map());
  expect(await remembering.call(call('receipt'))).toBe('receipt');
  expect(await remembering.batch([call('receipt'), call('block')] as const)).toEqual(['receipt', 'block']);
  expect(await remembering.batch([call('block')] as const)).toEqual(['block']);
  expect(asked).toEqual(['receipt', 'block']);
});

test('what failed is asked again', async () => {
  const { asked, provider, fail } = counting();
  const remembering = rememberAnswers(provider, new Map());
  fail(true);
  await expect(remembering.call(call('receipt'))).rejects.toThrow('down');
  fail(false);
  expect(await remembering.call(call('receipt'))).toBe('receipt');
  expect(asked).toEqual(['receipt', 'receipt']);
});
