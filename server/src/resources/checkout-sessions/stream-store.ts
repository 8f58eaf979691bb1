import type { Db } from '../../platform/db/db.ts';
import { shownNear } from './other-transfer-store.ts';

/** Everything that can change what a page shows, in one query: thousands of pages may be open. */
export async function findState(db: Db, paymentId: string): Promise<string | undefined> {
  const [row] = await db.query<{ state: string }>(
    'find_stream_state',
    `
    select concat_ws(' ', p.sequence, p.started_at,
             (select count(*) || max(t.id) from payment_targets t where t.payment_id = p.id),
             (select string_agg(concat(t.id, t.status, t.block_number), ' ' order by t.id) from transfers t where t.payment_id = p.id),
             (select count(*) || max(n.id) from (${shownNear('t.id', 'p.id')}) n),
             (select string_agg(concat(o.id, o.state, o.deposited_units), ' ' order by o.id) from route_orders o where o.payment_id = p.id),
             -- Confirmations count up only if there is a transfer to confirm.
             case when exists (select 1 from transfers t where t.payment_id = p.id and t.status = 'seen') then
               case when p.livemode
                 then (select c.block_number from chain_cursors c where c.network = s.receive_network and c.pass = 'first')
                 else (select max(b.number) from sandbox_blocks b where b.account_id = p.account_id and b.network = s.receive_network)
               end
             end) as state
      from payments p join checkout_sessions s on s.id = p.session_id
     where p.id = $1`,
    [paymentId],
  );
  return row?.state;
}
