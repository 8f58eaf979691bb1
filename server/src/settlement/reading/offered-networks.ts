import type { ReceiveNetwork } from '@quittance/contract';
import type { Context } from '../../context.ts';
import type { Db } from '../../platform/db/db.ts';
import { SECOND_MS } from '../../platform/time.ts';
import { findNetworkStates, type NetworkState } from './network-health-store.ts';

const KNOWN_FOR_MS = 2 * SECOND_MS;

interface Known {
  states: Promise<Map<ReceiveNetwork, NetworkState>>;
  atMs: number;
}

// By the networks of a process, which live as long as it does.
const known = new WeakMap<Context['chains'], Known>();

/**
 * Whether customers may be sent to pay on a live network: some process could read it lately. In development, and where no
 * worker has written anything yet, this process's own experience decides.
 */
export async function isNetworkOffered(
  ctx: Pick<Context, 'chains' | 'config'> & { db: Db },
  network: ReceiveNetwork,
): Promise<boolean> {
  const chain = ctx.chains.get(network);
  if (!chain) return false;
  const own = chain.health().reachable;
  if (ctx.config.profile === 'development') return own;
  return (await statesOf(ctx)).get(network)?.isReachable ?? own;
}

/** Pages ask for this with every view, so one look serves all that come shortly after it. */
function statesOf(ctx: Pick<Context, 'chains'> & { db: Db }): Promise<Map<ReceiveNetwork, NetworkState>> {
  const before = known.get(ctx.chains);
  if (before && performance.now() - before.atMs < KNOWN_FOR_MS) return before.states;
  const states = findNetworkStates(ctx.db, new Date());
  known.set(ctx.chains, { states, atMs: performance.now() });
  // A look that failed is not what the next one should see.
  states.catch(() => known.delete(ctx.chains));
  return states;
}
