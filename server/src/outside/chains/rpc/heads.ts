import type { Head, Pass } from '../chain.ts';
import { ProviderFailure } from './errors.ts';

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

/** `lagMost`: how far apart the nodes behind one load balancer may be; further behind, another provider is asked. */
export function createHeads(lagMost: bigint): Heads {
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
