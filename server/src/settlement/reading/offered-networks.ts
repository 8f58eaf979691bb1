import type { ReceiveNetwork } from '@quittance/contract';
import type { Context } from '../../context.ts';
import { findNetworkStates, type NetworkState } from './network-health-store.ts';

/**
 * Whether customers may pay on a live network: some process reads it, by the clock that calls it stalled. This process's
 * own connection decides before any worker has written a state, and in development where one process does everything.
 */
export async function isNetworkOffered(
  ctx: Pick<Context, 'chains' | 'config' | 'db' | 'caches'>,
  network: ReceiveNetwork,
): Promise<boolean> {
  const chain = ctx.chains.get(network);
  if (!chain) return false;
  const own = chain.health().reachable;
  if (ctx.config.profile === 'development' && ctx.config.role === 'all') return own;
  return (await statesOf(ctx)).get(network)?.isOffered ?? own;
}

/** It needs the pool: a transaction that fails would fail it for the others. */
function statesOf(ctx: Pick<Context, 'db' | 'caches'>): Promise<ReadonlyMap<ReceiveNetwork, NetworkState>> {
  return ctx.caches.networkStates.get('', async () => findNetworkStates(ctx.db, await ctx.db.now()));
}
