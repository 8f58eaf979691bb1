import { CURRENCIES, findAsset, type PaymentStatus } from '@quittance/contract';
import type { Account } from '../../platform/caller.ts';
import type { Db } from '../../platform/db/db.ts';
import { peggedRate } from '../../settlement/records/amounts.ts';
import type { StoredTransfer } from '../../settlement/records/transfer-store.ts';

/** The sessions of a wallet that are looked at on each side of the transfer, the nearest in time. */
const MAX_SESSIONS = 10_000;

export interface SuggestionRange {
  statuses: readonly PaymentStatus[];
  from: Date;
  until: Date;
  /** Steps of the distance from the amount due, in basis points. Payments beyond the last are not suggested. */
  steps: readonly bigint[];
  limit: number;
}

/**
 * Payments into the transfer's wallet and asset, by amount and then by time, as `rankSuggested` ranks them; a test
 * compares the two orders. The sessions of a wallet are read in the order of their index, away from the transfer in both
 * directions.
 */
export async function findSuggestedPayments(
  db: Db,
  account: Account,
  transfer: Pick<StoredTransfer, 'to' | 'network' | 'asset' | 'amountUnits' | 'block'>,
  { statuses, from, until, steps, limit }: SuggestionRange,
): Promise<string[]> {
  const { to, network, asset, amountUnits, block } = transfer;
  const pegs = pegsOf(transfer);
  const rows = await db.query<{ id: string }>(
    'find_suggested_payments',
    `
    with sessions_near as (
      select found.*
        from payout_wallets w
       cross join lateral (
             (select * from checkout_sessions
               where payout_wallet_id = w.id and expires_at >= $6
               order by expires_at limit $12)
             union all
             (select * from checkout_sessions
               where payout_wallet_id = w.id and expires_at < $6 and expires_at >= $4
               order by expires_at desc limit $12)
             ) found
       where w.account_id = $1 and w.livemode = $2 and w.network = $8 and w.address = $7 and w.asset = $9
    ), due as (
      select p.id, s.created_at, s.expires_at, greatest(full_price.units - coalesce(p.actual_output_units, 0), 0) as missing_units,
             full_price.units
        from sessions_near s
       -- Joined, a planner reads all payments instead of these.
       cross join lateral (select * from payments where session_id = s.id limit 1) p
        left join unnest($13::text[], $14::numeric[], $15::numeric[]) as peg (currency, numerator, denominator) on peg.currency = s.currency
       cross join lateral (
             select coalesce(p.expected_output_units, ceil(s.amount_minor * peg.numerator / peg.denominator)) as units) full_price
       where s.created_at >= $4 and s.created_at <= $5 and p.status = any ($3)
    ), ranked as (
      select id, created_at, expires_at, coalesce(nullif(missing_units, 0), units) as units from due where units > 0
    )
    select id
      from ranked
     cross join lateral (
             select count(*) as step from unnest($11::bigint[]) as steps (bps) where abs($10 - units) * 10000 > bps * units) nearness
     where abs($10 - units) * 10000 <= ($11::bigint[])[cardinality($11)] * units
     order by nearness.step,
              -- As in \`awayMs\`: inside its window the newest is the likeliest, but never behind one that has ended.
              case when $6 < created_at then extract(epoch from created_at - $6)
                   when $6 <= expires_at then extract(epoch from $6 - created_at) / 1000000
                   else extract(epoch from $6 - expires_at) end,
              id
     limit $16`,
    [
      account.id,
      account.livemode,
      statuses,
      from,
      until,
      block.time,
      to,
      network,
      asset,
      amountUnits,
      steps.map(String),
      MAX_SESSIONS,
      pegs.map(({ currency }) => currency),
      pegs.map(({ numerator }) => String(numerator)),
      pegs.map(({ denominator }) => String(denominator)),
      limit,
    ],
  );
  return rows.map(({ id }) => id);
}

/** The units of the asset for one minor unit of each currency that it is pegged to. */
function pegsOf({ asset: symbol, network }: Pick<StoredTransfer, 'asset' | 'network'>) {
  const asset = findAsset(symbol, network);
  return CURRENCIES.flatMap((currency) => {
    const rate = asset && peggedRate(symbol, currency);
    return rate
      ? [{ currency, numerator: 10n ** BigInt(asset.decimals) * rate.denominator, denominator: 100n * rate.numerator }]
      : [];
  });
}
