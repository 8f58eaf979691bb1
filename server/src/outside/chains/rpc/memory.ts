import type { CheckMemory } from '../chain.ts';
import type { Call, Provider } from './provider.ts';

/**
 * A provider whose answers are kept in `memory`, so that the transfers of one transaction are verified by one set of
 * questions. What failed is asked again.
 */
export function rememberAnswers(provider: Provider, memory: CheckMemory): Provider {
  const keyOf = ({ method, params }: Call<unknown>) => `${provider.name} ${method} ${JSON.stringify(params)}`;
  const keep = <T>(call: Call<T>, answer: Promise<T>): Promise<T> => {
    const key = keyOf(call);
    memory.set(key, answer);
    answer.catch(() => memory.delete(key));
    return answer;
  };
  const known = <T>(call: Call<T>) => memory.get(keyOf(call)) as Promise<T> | undefined;

  return {
    name: provider.name,
    get requests() { return provider.requests; },
    call: (call) => known(call) ?? keep(call, provider.call(call)),
    async batch(calls) {
      const missing = calls.filter((call) => known(call) === undefined);
      if (missing.length > 0) {
        const answers = provider.batch(missing) as Promise<unknown[]>;
        for (const [at, call] of missing.entries()) keep(call, answers.then((all) => all[at]));
      }
      return await Promise.all(calls.map((call) => known(call))) as never;
    },
    attempt: (calls) => provider.attempt(calls),
    distrust: () => provider.distrust(),
    close: () => provider.close(),
  };
}
