import type { Db } from '../../platform/db/db.ts';
import { shownNear } from './other-transfer-store.ts';

/**
 * Changes with everything stored that a customer sees of a session: the versions of its rows. Undefined without a session. Of the
 * merchant's account too, which has the name, the look and the test clock.
 */
export async function findVersion(db: Db, sessionId: string): Promise<string | undefined> {
  const [row] = await db.query<{ version: string }>(
    'find_session_version',
    `
    select md5(concat_ws(' ', s.xmin, p.xmin, a.xmin,
             (select string_agg(t.xmin::text, ',') from payment_targets t where t.payment_id = p.id),
             (select string_agg(t.xmin::text, ',') from transfers t where t.payment_id = p.id),
             (select string_agg(n.xmin::text, ',') from (${shownNear('t.xmin', 'p.id')}) n),
             (select string_agg(o.xmin::text, ',') from route_orders o where o.payment_id = p.id),
             (select string_agg(r.xmin::text, ',') from reserved_amounts r where r.payment_id = p.id),
             (select string_agg(c.xmin::text, ',') from machine_credentials c where c.payment_id = p.id),
             -- Confirmations count up only if there is a transfer to confirm.
             case when exists (select 1 from transfers t where t.payment_id = p.id) then
               case when p.livemode
                 then (select c.block_number from chain_cursors c where c.network = s.receive_network and c.pass = 'first')
                 else (select max(b.number) from sandbox_blocks b where b.account_id = p.account_id and b.network = s.receive_network)
               end
             end)) as version
      from checkout_sessions s join payments p on p.session_id = s.id join accounts a on a.id = s.account_id
     where s.id = $1`,
    [sessionId],
  );
  return row?.version;
}
