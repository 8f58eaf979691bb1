import type { PaymentStatus } from '@quittance/contract';
import type { Account } from '../../platform/caller.ts';
import type { Db } from '../../platform/db/db.ts';
import type { Payment } from '../../settlement/records/payment.ts';
import { PAYMENT_COLUMNS, type PaymentRow, toPayment } from '../../settlement/records/payment-store.ts';
import type { StoredTransfer } from '../../settlement/records/transfer-store.ts';

export interface CandidateRange {
  statuses: readonly PaymentStatus[];
  from: Date;
  until: Date;
  /** Per status and route. */
  limit: number;
}

/** Payments into the transfer's wallet and asset. Each status and route is read in the order of its index, newest first. */
export async function findTransferCandidates(
  db: Db,
  account: Account,
  { to, network, asset }: Pick<StoredTransfer, 'to' | 'network' | 'asset'>,
  { statuses, from, until, limit }: CandidateRange,
): Promise<Payment[]> {
  const rows = await db.query<PaymentRow>(
    'find_transfer_candidates',
    `
    select ${PAYMENT_COLUMNS}
      from unnest($3::text[]) as wanted (status)
     cross join unnest(array['direct', 'routed']) as kind (route)
     cross join lateral (
             select * from payments
              where account_id = $1 and livemode = $2 and status = wanted.status and route = kind.route
                and created_at >= $4 and created_at <= $5
              order by created_at desc, id desc
              limit $9
           ) p
      join checkout_sessions s on s.id = p.session_id
     where s.receive_address = $6 and s.receive_network = $7 and s.receive_asset = $8`,
    [account.id, account.livemode, statuses, from, until, to, network, asset, limit],
  );
  return rows.map(toPayment);
}
