import { mayBeTooLarge, ProviderError, RpcError } from './errors.ts';
import type { Provider } from './provider.ts';
import { MalformedAnswerError } from './shapes.ts';

/** With more transactions per block than this, reading the whole block costs less than single calls. */
export const MAX_SINGLE_CALLS = 8;
/** How many whole blocks are in memory as text at the same time: megabytes each, up to the maximum response size. */
export const MAX_WHOLE_BLOCKS_AT_ONCE = 4;

const UNSUPPORTED_PAUSE_MS = 10 * 60_000;
const FAILURE_PAUSE_MS = 60_000;

/**
 * Requests a whole block. Returns undefined if the provider rejects it, so that the caller uses single calls. Pauses
 * such requests for ten minutes if the method is unsupported, and for one minute after a missing or malformed response.
 */
export async function tryWholeBlock<T>(provider: Provider, ask: () => Promise<T>): Promise<T | undefined> {
  if (performance.now() < (provider.wholeBlocksPausedUntilMs ?? Number.NEGATIVE_INFINITY)) return undefined;
  try {
    return await ask();
  } catch (error) {
    if (error instanceof RpcError) {
      if (isMethodUnsupported(error)) provider.wholeBlocksPausedUntilMs = performance.now() + UNSUPPORTED_PAUSE_MS;
      return undefined;
    }
    if (mayBeTooLarge(error) || isUnreadable(error))
      provider.wholeBlocksPausedUntilMs = performance.now() + FAILURE_PAUSE_MS;
    throw error;
  }
}

const METHOD_NOT_FOUND = -32601;
const UNSUPPORTED =
  /method .*(not (found|supported|available|exist|allowed|whitelisted)|unsupported|disabled)|(unsupported|unknown|unrecognized) method/i;

/** Only an unsupported method: a missing block says nothing about the next one. */
function isMethodUnsupported(error: RpcError): boolean {
  return error.code === METHOD_NOT_FOUND || UNSUPPORTED.test(error.message);
}

function isUnreadable(error: unknown): boolean {
  return (
    error instanceof ProviderError &&
    (error.cause instanceof MalformedAnswerError || error.cause instanceof SyntaxError)
  );
}

/** Processes items in groups of `size` in parallel. */
export async function inGroups<T, R>(items: readonly T[], size: number, work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let at = 0; at < items.length; at += size)
    results.push(...(await Promise.all(items.slice(at, at + size).map(work))));
  return results;
}
