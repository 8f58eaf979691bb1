import { RouteRefusedError } from '../../../src/outside/routers/router.ts';
import { PermanentError, TemporaryError } from '../../../src/platform/errors.ts';
import type { Provider } from './desk.ts';
import { type Mutation, NESTED } from './mutation.ts';
import { oneClickMutations } from './one-click-mutations.ts';
import { relayMutations } from './relay-mutations.ts';

/** Every mutation of an honest answer that must be rejected, in a fixed order. */
export function allMutations(): Mutation[] {
  return [...wholeAnswers('one-click'), ...wholeAnswers('relay'), ...oneClickMutations(), ...relayMutations()];
}

/** Those that the adapter of a provider must reject by itself. */
export function adapterMutations(provider: Provider): Mutation[] {
  return allMutations().filter((mutation) => mutation.provider === provider && !mutation.isForService);
}

/** Whether an order failed as an answer of the provider fails, and not by a bug of the reader. */
export function isOfProvider(said: unknown): boolean {
  return [PermanentError, TemporaryError, RouteRefusedError].some((kind) => said instanceof kind);
}

/** This number of mutations, chosen by a seed, in proportion to providers and kinds. */
export function someMutations(count: number, seed: number): Mutation[] {
  const all = allMutations();
  let state = seed;
  const next = () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32;
  return all
    .map((mutation) => ({ mutation, rank: next() }))
    .sort((a, b) => a.rank - b.rank)
    .slice(0, count)
    .map(({ mutation }) => mutation);
}

function wholeAnswers(provider: Provider): Mutation[] {
  const texts: [string, string][] = [
    ['null', 'null'],
    ['a list', '[]'],
    ['a number', '7'],
    ['a text', '"quote"'],
    ['an empty object', '{}'],
    ['nothing', ''],
    ['a web page', '<html></html>'],
    ['half an answer', '{"quote":'],
    ['deep nesting alone', NESTED],
    ['a byte that is not text', '{"quote":"\u0000"}'],
    ['prototypes', '{"__proto__":{"quote":{},"steps":[]}}'],
  ];
  return texts
    .map(([name, text]) => ({
      provider,
      name: `the whole answer: ${name}`,
      ordersOnly: false,
      change: () => ({ text }),
    }))
    .concat(
      [201, 200].map((status) => ({
        provider,
        name: `status ${status} with an error`,
        ordersOnly: false,
        change: () => ({ status, text: '{"message":"no"}' }),
      })),
    );
}
