import type { Context } from '../../context.ts';
import { isUnavailable } from '../../platform/db/unavailable.ts';
import { setTransactionAside } from './set-aside-store.ts';
import { type ReadTransfers, storeFacts, type StoredFacts } from './store-facts.ts';

/** A reading whose content fails this often is stored transaction by transaction. */
export const MAX_SAVE_ATTEMPTS = 3;

/**
 * Stores each transaction of a reading separately, and sets aside those that fail, so that the content of one cannot
 * stop the network. Returns the numbers of new and contested transfers and of transactions set aside.
 */
export async function storeOneByOne(
  ctx: Pick<Context, 'db' | 'log'>,
  { transfers: all, ...read }: ReadTransfers,
): Promise<StoredFacts & { setAside: number }> {
  const { network } = read;
  const now = await ctx.db.now();
  let [found, contested, setAside] = [0, 0, 0];
  for (const [txHash, transfers] of Map.groupBy(all, (transfer) => transfer.txHash)) {
    try {
      const stored = await ctx.db.transaction((db) => storeFacts(db, { ...read, transfers }, now));
      found += stored.found;
      contested += stored.contested;
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
  return { found, contested, setAside };
}

/** Stores what was read. After three failures the content is the cause, and one transaction must not stop the reading. */
export async function storeOrSetAside(
  ctx: Pick<Context, 'db' | 'log'>,
  read: ReadTransfers,
): Promise<StoredFacts & { setAside: number }> {
  for (let attempt = 0; attempt < MAX_SAVE_ATTEMPTS; attempt += 1) {
    try {
      const now = await ctx.db.now();
      return { ...(await ctx.db.transaction((db) => storeFacts(db, read, now))), setAside: 0 };
    } catch (error) {
      if (isUnavailable(error)) throw error;
    }
  }
  return storeOneByOne(ctx, read);
}
