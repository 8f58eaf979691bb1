import type { Job } from '../../job.ts';
import { later, MINUTE_MS } from '../../platform/time.ts';
import { lookUpAddress } from './look-up-address.ts';
import { toLook } from './needs-proof.ts';
import { findToLookUp, saveLook } from './store.ts';

const RETRY_AFTER_MS = 1 * MINUTE_MS;
/** Each waits up to three seconds for an answer. */
const MAX_AT_ONCE = 20;

/** Looks up the live wallets that were saved while no provider answered. */
export const lookUpWalletsJob: Job = {
  name: 'look-up-wallets',
  everyMs: RETRY_AFTER_MS,
  async run(ctx, signal) {
    const now = await ctx.db.now();
    const wallets = await findToLookUp(ctx.db, [...ctx.chains.keys()], { now, limit: MAX_AT_ONCE });
    let answers = 0;
    for (const { id, network, address } of wallets) {
      if (signal.aborted) break;
      const look = toLook(network, address, await lookUpAddress(ctx, { livemode: true }, network, address));
      answers += Number(look.isLookedUp);
      await saveLook(ctx.db, id, { ...look, lookUpAt: look.isLookedUp ? null : later(now, RETRY_AFTER_MS) });
      if (look.unfit !== null) ctx.log.warn({ walletId: id, network, why: look.unfit }, 'payout wallet unfit');
    }
    return answers > 0 && wallets.length === MAX_AT_ONCE ? 'more' : 'idle';
  },
};
