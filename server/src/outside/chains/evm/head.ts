import type { Head, Pass } from '../chain.ts';
import { blockByNumber } from './calls.ts';
import type { Provider } from './provider.ts';
import { ProviderFailure } from './rpc-errors.ts';
import type { Block } from './shapes.ts';
import { toBlockRef } from './transfers.ts';

/** The newest block as one provider tells it, with the tags it knows. */
export async function readHead(provider: Provider): Promise<Head> {
  const [latest, safe, finalized] = await provider.attempt<Block | null>([blockByNumber('latest'), blockByNumber('safe'), blockByNumber('finalized')]);
  if (!latest || 'error' in latest) throw latest?.error ?? new ProviderFailure(`${provider.name} told no head`);
  if (latest.value === null) throw new ProviderFailure(`${provider.name} has no newest block`);
  const head = latest.value;
  // A tag is null where the chain or the provider has none; one that runs ahead was asked for a moment later.
  const upTo = (tag: typeof safe) => (!tag || 'error' in tag || tag.value === null ? null : tag.value.number < head.number ? tag.value.number : head.number);
  return { ...toBlockRef(head), safe: upTo(safe), finalized: upTo(finalized) };
}

// Behind a load balancer stand nodes that differ by a block or two; further behind, another provider is asked.
const LAG_BLOCKS_MOST = 3n;
// A lower head that is told for so long is the truth: the chain was rolled back, or begun anew.
const BELIEVE_LOWER_AFTER_MS = 30_000;
const REMEMBERED = 512;

/** The provider is well but late. */
export class Behind extends ProviderFailure {}

/** What was told of the head before, so that a pass does not see it go back when another node answers. */
export interface Heads {
  /** The head this pass goes by: the one told, or the last one where that is only a little older. Throws `Behind`. */
  take(pass: Pass, told: Head, provider: string): Head;
  last(pass: Pass): Head | undefined;
}

export function createHeads(lagMost = LAG_BLOCKS_MOST): Heads {
  const lastByPass = new Map<Pass, Head>();
  const lowerSinceMs = new Map<Pass, number>();
  const hashes = new Map<bigint, string>();
  let best = -1n;

  function remember(told: Head): void {
    hashes.set(told.number, told.hash);
    for (const number of hashes.keys()) if (number > told.number || hashes.size > REMEMBERED) hashes.delete(number);
  }

  return {
    last: (pass) => lastByPass.get(pass),
    take(pass, told, provider) {
      const last = lastByPass.get(pass);
      const known = hashes.get(told.number);
      const isFork = known !== undefined && known !== told.hash;
      const isLower = told.number < best - lagMost || (last !== undefined && told.number < last.number);

      if (isLower && !isFork) {
        const sinceMs = lowerSinceMs.get(pass) ?? performance.now();
        lowerSinceMs.set(pass, sinceMs);
        if (performance.now() - sinceMs < BELIEVE_LOWER_AFTER_MS) {
          if (last && told.number >= best - lagMost) return last;
          throw new Behind(`${provider} is at block ${told.number}, ${best - told.number} behind`);
        }
      }
      lowerSinceMs.delete(pass);
      best = isLower || isFork || told.number > best ? told.number : best;
      remember(told);
      lastByPass.set(pass, told);
      return told;
    },
  };
}
