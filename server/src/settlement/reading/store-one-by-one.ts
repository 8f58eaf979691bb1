import type { Context } from '../../context.ts';
import { isUnavailable } from '../../platform/db/unavailable.ts';
import { setTransactionAside } from './set-aside-store.ts';
import { type ReadTransfers, storeFacts } from './store-facts.ts';

/** A reading whose content fails this often is stored transaction by transaction. */
export const MAX_SAVE_ATTEMPTS = 3;

/**
 * Stores each transaction of a reading separately, and sets aside those that fail, so that the content of one cannot
 * stop the network. Returns the numbers of new transfers and of transactions set aside.
 */
export async function storeOneByOne(
  ctx: Pick<Context, 'db' | 'log'>,
  { network, pass, transfers: all }: ReadTransfers,
): Promise<{ found: number; setAside: number }> {
  const now = await ctx.db.now();
  let [found, setAside] = [0, 0];
  for (const [txHash, transfers] of Map.groupBy(all, (transfer) => transfer.txHash)) {
    try {
      found += await ctx.db.transaction((db) => storeFacts(db, { network, pass, transfers }, now));
    } catch (error) {
      if (isUnavailable(error)) throw error;
      const reason = error instanceof Error ? error.message : String(error);
      await setTransactionAside(ctx.db, { network, txHash, transfers }, reason, now);
      setAside += 1;
      ctx.log.error(
        { err: error, network, txHash, alarm: 'transaction_set_aside' },
        'transaction set aside: storing it failed three times',
      );
    }
  }
  return { found, setAside };
}
