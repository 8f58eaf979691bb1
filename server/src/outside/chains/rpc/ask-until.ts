import { TemporaryError } from '../../../platform/errors.ts';
import type { Provider } from './provider.ts';
import type { Providers } from './providers.ts';

/** How many providers have to say the same, because one alone may be wrong or lie. */
export const neededOf = ({ names }: Providers): number => Math.min(2, names.length);

/**
 * Asks providers one after the other, the best first, until their answers are enough or no further one can be asked.
 * Throws if none can. A failure pauses no provider, because strangers cause these requests.
 */
export async function askUntil<T>(
  providers: Providers,
  ask: (provider: Provider) => Promise<T>,
  isEnough: (answers: readonly T[]) => boolean,
): Promise<T[]> {
  const answers: T[] = [];
  for (let unasked = providers.names; unasked.length > 0 && !isEnough(answers); ) {
    try {
      const { name, answer } = await providers.use(
        async (provider) => ({ name: provider.name, answer: await ask(provider.proven) }),
        { only: unasked, ignoreFailures: true },
      );
      answers.push(answer);
      unasked = unasked.filter((other) => other !== name);
    } catch (error) {
      if (!(error instanceof TemporaryError) || answers.length === 0) throw error;
      break;
    }
  }
  return answers;
}

/** Whether a provider would carry it out. One that would not may be mistaken for a moment, so another one is asked. */
export async function askBeforeNo(
  providers: Providers,
  ask: (provider: Provider) => Promise<boolean>,
): Promise<boolean> {
  const isEnough = (answers: readonly boolean[]) => answers.includes(true) || answers.length >= neededOf(providers);
  return (await askUntil(providers, ask, isEnough)).includes(true);
}
