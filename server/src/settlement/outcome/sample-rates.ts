import { CURRENCIES, type AssetSymbol, type Currency } from '@quittance/contract';
import type { Context } from '../../context.ts';
import { SECOND_MS } from '../../platform/time.ts';
import type { Job } from '../../job.ts';
import { peggedRate } from '../records/amounts.ts';
import { findSampledPairs, keepSample, minuteOf, pairOf } from '../records/rate-store.ts';

const PAIRS: readonly { asset: AssetSymbol; currency: Currency }[] = (['USDC', 'USDT', 'ETH', 'SOL'] as const)
  .flatMap((asset) => CURRENCIES.map((currency) => ({ asset, currency })))
  .filter(({ asset, currency }) => !peggedRate(asset, currency));

/** Keeps the price of each minute, so that money sent after its lock can be valued as of when it was sent. */
export const ratesJob: Job = {
  name: 'rates',
  everyMs: 20 * SECOND_MS,
  async run(ctx) {
    const minute = minuteOf(await ctx.db.now());
    const known = await findSampledPairs(ctx.db, minute);
    const missing = PAIRS.filter(({ asset, currency }) => !known.has(pairOf(asset, currency)));
    if (missing.length > 0 && (await isAnybodyPaying(ctx)))
      await Promise.all(missing.map((pair) => sample(ctx, pair, minute)));
    return 'idle';
  },
};

async function sample(
  ctx: Context,
  { asset, currency }: { asset: AssetSymbol; currency: Currency },
  minute: Date,
): Promise<void> {
  try {
    await keepSample(ctx.db, await ctx.prices.rate(asset, currency), minute);
  } catch (error) {
    // A minute without a price is known to be one: what was sent in it and after its lock is not guessed at.
    ctx.log.debug({ err: error, pair: pairOf(asset, currency) }, 'a price could not be sampled');
  }
}

/** Sources are asked only while some live session of a coin or currency whose price moves could be paid. */
async function isAnybodyPaying(ctx: Pick<Context, 'db'>): Promise<boolean> {
  const rows = await ctx.db.query(
    'find_moving_sessions',
    `
    select 1 from payments p join checkout_sessions s on s.id = p.session_id
     where p.livemode and p.status in ('created', 'pending')
       and (s.currency = 'EUR' or s.receive_asset in ('ETH', 'SOL'))
     limit 1`,
  );
  return rows.length > 0;
}
