import type { AssetSymbol, Currency } from '@quittance/contract';
import type { Rate } from '../../outside/prices/prices.ts';
import type { Db } from '../../platform/db/db.ts';
import { mulDivHalfUp, parseUnits } from '../../platform/money.ts';
import { MINUTE_MS } from '../../platform/time.ts';

/** Decimals of stored prices: more than any supported asset needs. */
const DECIMALS = 18;

export type Pair = `${AssetSymbol}/${Currency}`;

export function pairOf(asset: AssetSymbol, currency: Currency): Pair {
  return `${asset}/${currency}`;
}

export function minuteOf(instant: Date): Date {
  return new Date(Math.floor(instant.getTime() / MINUTE_MS) * MINUTE_MS);
}

/** Stores the price of a minute. The first one counts. */
export async function saveSample(db: Db, rate: Rate, minute: Date): Promise<void> {
  const units = mulDivHalfUp(rate.numerator, 10n ** BigInt(DECIMALS), rate.denominator);
  await db.query(
    'save_sample',
    `
    insert into rate_samples (pair, minute, rate, sources) values ($1, $2, $3::numeric / (10::numeric ^ ${DECIMALS}), $4)
        on conflict (pair, minute) do nothing`,
    [pairOf(rate.asset, rate.currency), minute, units, JSON.stringify(rate.sources)],
  );
}

type Sample = Pick<Rate, 'numerator' | 'denominator'>;

/** Loads the stored prices of these minutes. */
export async function findSamples(
  db: Db,
  wanted: readonly { pair: Pair; minute: Date }[],
): Promise<(pair: Pair, minute: Date) => Sample | undefined> {
  const key = (pair: string, minute: Date) => `${pair} ${minute.getTime()}`;
  if (wanted.length === 0) return () => undefined;

  const rows = await db.query<{ pair: string; minute: Date; rate: string | bigint }>(
    'find_samples',
    `
    select r.pair, r.minute, r.rate from rate_samples r
      join (select distinct pair, minute from unnest($1::text[], $2::timestamptz[]) as wanted (pair, minute)) wanted using (pair, minute)`,
    [wanted.map((one) => one.pair), wanted.map((one) => one.minute)],
  );
  const found = new Map(rows.map((row) => [key(row.pair, row.minute), toSample(row.rate)]));
  return (pair, minute) => found.get(key(pair, minute));
}

/** The pairs that already have a price for this minute. */
export async function findSampledPairs(db: Db, minute: Date): Promise<Set<string>> {
  const rows = await db.query<{ pair: string }>(
    'find_sampled_pairs',
    `select pair from rate_samples where minute = $1`,
    [minute],
  );
  return new Set(rows.map((row) => row.pair));
}

function toSample(rate: string | bigint): Sample {
  const text = rate
    .toString()
    .replace(/(\.[0-9]*?)0+$/, '$1')
    .replace(/\.$/, '');
  const decimals = text.split('.')[1]?.length ?? 0;
  return { numerator: parseUnits(text, decimals), denominator: 10n ** BigInt(decimals) };
}
