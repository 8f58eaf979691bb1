import type { AnswerCache } from '../chain.ts';
import { RpcError } from './errors.ts';
import { type BugLog, evaluate } from './failures.ts';
import type { Call, Provider } from './provider.ts';

/**
 * Wraps a provider with a cache, so that the transfers of one transaction are verified with one set of calls, the head
 * included. The cache lives for a turn at most, so a head in it is seconds old and only makes a transfer wait. Raw answers
 * are cached, because a call may be parsed in several ways. Failures are not cached.
 */
export function cacheAnswers(provider: Provider, cache: AnswerCache, log: BugLog): Provider {
  const keyOf = ({ method, params }: Call<unknown>) => `${provider.name} ${method} ${JSON.stringify(params)}`;
  const unread = ({ method, params }: Call<unknown>): Call<unknown> => ({ method, params, parse: (value) => value });
  const keep = (call: Call<unknown>, answer: Promise<unknown>): Promise<unknown> => {
    const key = keyOf(call);
    cache.answers.set(key, answer);
    answer.catch(() => cache.answers.delete(key));
    return answer;
  };
  const read = <T>(call: Call<T>, value: unknown): T =>
    evaluate(call, { provider: provider.name, log }, () => call.parse(value));

  return {
    name: provider.name,
    get requests() {
      return provider.requests;
    },
    get proven() {
      return cacheAnswers(provider.proven, cache, log);
    },
    async call(call) {
      const known = cache.answers.get(keyOf(call));
      if (known) return read(call, await known);
      cache.calls += 1;
      return read(call, await keep(call, provider.call(unread(call))));
    },
    async batch(calls) {
      const missing = calls.filter((call) => !cache.answers.has(keyOf(call)));
      cache.calls += missing.length;
      if (missing.length > 0) {
        const answers = provider.batch(missing.map(unread));
        for (const [at, call] of missing.entries())
          keep(
            call,
            answers.then((all) => all[at]),
          );
      }
      const answers = await Promise.all(calls.map((call) => cache.answers.get(keyOf(call))));
      return calls.map((call, at) => read(call, answers[at])) as never;
    },
    async attempt(calls) {
      const missing = calls.filter((call) => !cache.answers.has(keyOf(call)));
      cache.calls += missing.length;
      if (missing.length > 0) {
        const answers = provider.attempt(missing.map(unread));
        for (const [at, call] of missing.entries())
          keep(
            call,
            answers.then((all) => valueOrThrow(all[at])),
          );
      }
      return Promise.all(
        calls.map(async (call) => {
          try {
            return { value: read(call, await cache.answers.get(keyOf(call))) };
          } catch (error) {
            if (error instanceof RpcError) return { error };
            throw error;
          }
        }),
      );
    },
    recheckChain: () => provider.recheckChain(),
    close: () => provider.close(),
  };
}

function valueOrThrow(answer: { value: unknown } | { error: RpcError } | undefined): unknown {
  if (answer && 'error' in answer) throw answer.error;
  return answer?.value;
}
