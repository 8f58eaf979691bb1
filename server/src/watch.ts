import type { Context } from './context.ts';
import { watchNetwork } from './settlement/watching/loops.ts';
import { createWatcher } from './settlement/watching/watcher.ts';

/**
 * Starts three loops per network, so that none delays another. Reading stores facts, attribution decides which payment
 * takes them, verification asks every provider about transfers that payments depend on. Ends with `stop`, which waits
 * for running writes.
 */
export function startWatching(ctx: Context): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const watcher = createWatcher();
  const loops = [...ctx.chains.keys()].map((network) => watchNetwork(ctx, watcher, network, stopping.signal));
  return {
    async stop() {
      stopping.abort();
      await Promise.all(loops);
    },
  };
}
