import { CURRENCIES, RECEIVE_SYMBOLS, STABLECOINS } from '@quittance/contract';
import type { Context } from '../../context.ts';
import type { Rate } from '../../outside/prices/prices.ts';
import { later, SECOND_MS } from '../../platform/time.ts';
import type { Job } from '../../job.ts';
import { peggedRate } from '../records/amounts.ts';
import { PEGGED_LOCK_MS } from '../records/price-lock.ts';
import { findSampledPairs, saveSample, minuteOf, type Pair, pairOf } from '../records/rate-store.ts';
import { isMovingPriceOpen, isLongPeggedPriceOpen } from './open-price-store.ts';

interface SampledPair {
  pair: Pair;
  read(ctx: Pick<Context, 'prices'>): Promise<Rate>;
}

const MOVING_PAIRS: readonly SampledPair[] = RECEIVE_SYMBOLS.flatMap((asset) =>
  CURRENCIES.map((currency) => ({ asset, currency })),
)
  .filter(({ asset, currency }) => !peggedRate(asset, currency))
  .map(({ asset, currency }) => ({
    pair: pairOf(asset, currency),
    read: ({ prices }) => prices.rate(asset, currency),
  }));

/**
 * Market prices of dollar stablecoins: they count as dollars for a day, and after it only while they keep their peg.
 */
const PEGGED_PAIRS: readonly SampledPair[] = STABLECOINS.map((coin) => ({
  pair: pairOf(coin, 'USD'),
  read: ({ prices }) => prices.marketRate(coin),
}));

/** Stores the price of each minute, so that money sent after its lock can be valued as of when it was sent. */
export const ratesJob: Job = {
  name: 'rates',
  everyMs: 20 * SECOND_MS,
  async run(ctx) {
    const now = await ctx.db.now();
    const minute = minuteOf(now);
    const known = await findSampledPairs(ctx.db, minute);
    const isMissing = ({ pair }: SampledPair) => !known.has(pair);
    const [moving, pegged] = [MOVING_PAIRS.filter(isMissing), PEGGED_PAIRS.filter(isMissing)];
    const wanted = [
      ...(moving.length > 0 && (await isMovingPriceOpen(ctx.db)) ? moving : []),
      ...(pegged.length > 0 && (await isLongPeggedPriceOpen(ctx.db, later(now, -PEGGED_LOCK_MS))) ? pegged : []),
    ];
    await Promise.all(wanted.map((pair) => sample(ctx, pair, minute)));
    return 'idle';
  },
};

async function sample(ctx: Context, { pair, read }: SampledPair, minute: Date): Promise<void> {
  try {
    await saveSample(ctx.db, await read(ctx), minute);
  } catch (error) {
    // A minute without a price is known as such: money sent in it after its lock gets no estimated value.
    ctx.log.debug({ err: error, pair }, 'price sampling failed');
  }
}
