import type { Transaction } from '../../platform/db/db.ts';
import type { Payment } from './payment.ts';
import { soldMinor } from './returned.ts';

/**
 * Takes a payment that is no longer paid out of the sums of sales. A day that is not over is summed again from its start.
 * The sum of one that is over is corrected, because its checkouts without money may not be stored any more.
 */
export async function removeFromDaySums(db: Transaction, payment: Payment): Promise<void> {
  const { accountId, livemode, paidAt, currency, route, serviceFeeMinor } = payment;
  await db.query('restart_day_sums', 'delete from activity_so_far where account_id = $1 and livemode = $2', [
    accountId,
    livemode,
  ]);
  await db.query(
    'correct_day_sum',
    `
    update activity_days d
       set paid = coalesce(
             (select jsonb_agg(entry order by place)
                from (select place,
                             case when one ->> 'currency' <> $4 or one ->> 'route' <> $5 then one
                                  else one || jsonb_build_object('paid', (one ->> 'paid')::integer - 1,
                                         'volume_minor', ((one ->> 'volume_minor')::bigint - $6)::text,
                                         'fee_minor', ((one ->> 'fee_minor')::bigint - $7)::text) end as entry
                        from jsonb_array_elements(d.paid) with ordinality as entries (one, place)) corrected
               where (entry ->> 'paid')::integer > 0), '[]')
     where d.account_id = $1 and d.livemode = $2 and d.day = ($3::timestamptz at time zone 'UTC')::date`,
    [accountId, livemode, paidAt, currency, route, soldMinor(payment, await wasAccepted(db, payment)), serviceFeeMinor],
  );
}

async function wasAccepted(db: Transaction, { id, sequence }: Payment): Promise<boolean> {
  const rows = await db.query(
    'was_accepted',
    `select 1 from payment_states where payment_id = $1 and sequence < $2 and status = 'refund_required' limit 1`,
    [id, sequence],
  );
  return rows.length > 0;
}
