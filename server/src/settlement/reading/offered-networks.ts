import type { ReceiveNetwork } from '@quittance/contract';
import type { Context } from '../../context.ts';
import { SECOND_MS } from '../../platform/time.ts';
import { findNetworkStates, type NetworkState } from './network-health-store.ts';

const CACHE_TTL_MS = 2 * SECOND_MS;

interface CachedStates {
  states: Promise<Map<ReceiveNetwork, NetworkState>>;
  atMs: number;
}

// Keyed by the process's chains, which live as long as the process.
const cache = new WeakMap<Context['chains'], CachedStates>();

/**
 * Whether customers may pay on a live network: some process reads it, by the clock that calls it stalled. This process's
 * own connection decides before any worker has written a state, and in development where one process does everything.
 */
export async function isNetworkOffered(
  ctx: Pick<Context, 'chains' | 'config' | 'db'>,
  network: ReceiveNetwork,
): Promise<boolean> {
  const chain = ctx.chains.get(network);
  if (!chain) return false;
  const own = chain.health().reachable;
  if (ctx.config.profile === 'development' && ctx.config.role === 'all') return own;
  return (await statesOf(ctx)).get(network)?.isOffered ?? own;
}

/**
 * Pages ask for this with every view, so one query serves all requests within the TTL. It needs the pool: a transaction that
 * fails would fail it for the others.
 */
function statesOf(ctx: Pick<Context, 'chains' | 'db'>): Promise<Map<ReceiveNetwork, NetworkState>> {
  const before = cache.get(ctx.chains);
  if (before && performance.now() - before.atMs < CACHE_TTL_MS) return before.states;
  const states = ctx.db.now().then((now) => findNetworkStates(ctx.db, now));
  cache.set(ctx.chains, { states, atMs: performance.now() });
  // A failed query must not be cached.
  states.catch(() => cache.delete(ctx.chains));
  return states;
}
