import { expect, test, vi } from 'vitest';
import { AnswerNotEvaluatedError } from './errors.ts';
import { notEvaluated, oncePerMinute } from './failures.ts';

test('a bug that answers trigger is logged once a minute for each provider and method, and fails each time', () => {
  const error = vi.fn();
  const log = oncePerMinute({ error });
  const clock = vi.spyOn(performance, 'now').mockReturnValue(0);
  const fail = (provider: string, method: string) => notEvaluated(new TypeError('a bug'), { provider, log }, method);
  for (const [provider, method] of [
    ['one', 'eth_call'],
    ['one', 'eth_call'],
    ['one', 'eth_getLogs'],
    ['two', 'eth_call'],
  ] as const)
    expect(fail(provider, method)).toBeInstanceOf(AnswerNotEvaluatedError);
  expect(error).toHaveBeenCalledTimes(3);
  clock.mockReturnValue(60_000);
  fail('one', 'eth_call');
  expect(error).toHaveBeenCalledTimes(4);
  clock.mockRestore();
});
