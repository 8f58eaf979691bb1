import { TemporaryError } from '../../../platform/errors.ts';
import { SECOND_MS } from '../../../platform/time.ts';
import { ReorgError } from '../chain.ts';
import { LocalError, ProviderBehindError, ProviderError, RateLimitError, UnansweredError } from './errors.ts';
import type { Window } from './window.ts';

/** After this long the failure counts, and the next step is narrower. */
const MAX_RETRYING_MS = 5 * SECOND_MS;

/**
 * Runs a step of at most that many blocks. One that fails over more than one block, for whatever reason, is tried with
 * half before that counts against the provider: no list of reasons to ask for less is complete.
 */
export async function narrowing<T>(window: Window, widest: number, step: () => Promise<T>): Promise<T> {
  const startedMs = performance.now();
  for (;;) {
    const tried = Math.min(window.blocks, widest);
    try {
      return await step();
    } catch (error) {
      if (error instanceof RateLimitError && !window.isLimitedAgain()) throw error;
      if (!mayDependOnWidth(error) || !window.doubt(tried)) throw error;
      if (error instanceof UnansweredError || performance.now() - startedMs > MAX_RETRYING_MS) throw error;
    }
  }
}

/** Not a contradiction within the answers, which our own checks find: a lie does not become true in a smaller step. */
function mayDependOnWidth(error: unknown): boolean {
  if (error instanceof UnansweredError) return true;
  if (error instanceof ProviderError && error.cause === undefined) return false;
  return ![ReorgError, ProviderBehindError, TemporaryError, LocalError].some((kind) => error instanceof kind);
}
