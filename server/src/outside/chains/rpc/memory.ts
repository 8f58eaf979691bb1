import type { CheckMemory } from '../chain.ts';
import { ProviderError } from './errors.ts';
import type { Call, Provider } from './provider.ts';
import { MalformedAnswerError } from './shapes.ts';

/**
 * A provider whose answers are kept in `memory`, so that the transfers of one transaction are verified by one set of
 * questions. Kept as they came: the same question may be read in several ways. What failed is asked again.
 */
export function rememberAnswers(provider: Provider, memory: CheckMemory): Provider {
  const keyOf = ({ method, params }: Call<unknown>) => `${provider.name} ${method} ${JSON.stringify(params)}`;
  const unread = ({ method, params }: Call<unknown>): Call<unknown> => ({ method, params, parse: (value) => value });
  const keep = (call: Call<unknown>, answer: Promise<unknown>): Promise<unknown> => {
    const key = keyOf(call);
    memory.answers.set(key, answer);
    answer.catch(() => memory.answers.delete(key));
    return answer;
  };
  const read = <T>(call: Call<T>, value: unknown): T => {
    try {
      return call.parse(value);
    } catch (error) {
      if (error instanceof MalformedAnswerError)
        throw new ProviderError(`${provider.name}, ${call.method}: ${error.message}`, { cause: error });
      throw error;
    }
  };

  return {
    name: provider.name,
    get requests() {
      return provider.requests;
    },
    async call(call) {
      const known = memory.answers.get(keyOf(call));
      if (known) return read(call, await known);
      memory.calls += 1;
      return read(call, await keep(call, provider.call(unread(call))));
    },
    async batch(calls) {
      const missing = calls.filter((call) => !memory.answers.has(keyOf(call)));
      memory.calls += missing.length;
      if (missing.length > 0) {
        const answers = provider.batch(missing.map(unread));
        for (const [at, call] of missing.entries())
          keep(
            call,
            answers.then((all) => all[at]),
          );
      }
      const answers = await Promise.all(calls.map((call) => memory.answers.get(keyOf(call))));
      return calls.map((call, at) => read(call, answers[at])) as never;
    },
    attempt(calls) {
      memory.calls += calls.length;
      return provider.attempt(calls);
    },
    distrust: () => provider.distrust(),
    close: () => provider.close(),
  };
}
