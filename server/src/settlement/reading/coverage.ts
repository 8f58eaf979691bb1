import { RECEIVE_NETWORKS, type ReceiveNetwork } from '@quittance/contract';
import type { Context } from '../../context.ts';
import type { Db } from '../../platform/db/db.ts';
import { findCoverage } from './cursor-store.ts';

/** The time up to which each network has been read by all of its passes. The second pass needs a second provider. */
export async function coverage(ctx: Pick<Context, 'config'>, db: Db): Promise<Map<ReceiveNetwork, Date>> {
  const passes = await findCoverage(db);
  const covered = new Map<ReceiveNetwork, Date>();
  for (const network of RECEIVE_NETWORKS) {
    const first = passes.get(`${network} first`);
    const second = passes.get(`${network} second`);
    const hasSecond = ctx.config.networks[network].rpcUrls.length > 1;
    if (!first || (hasSecond && !second)) continue;
    covered.set(network, hasSecond && second && second < first ? second : first);
  }
  return covered;
}
