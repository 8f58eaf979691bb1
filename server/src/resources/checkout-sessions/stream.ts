import type { Context } from '../../context.ts';
import type { Db } from '../../platform/db/db.ts';
import type { EventStream } from '../../platform/http/event-stream.ts';
import { SECOND_MS } from '../../platform/time.ts';
import { findPublicView, presentPublicSession } from './public-session.ts';

/** Signals may be lost, so every stream looks by itself as well. */
const LOOK_EVERY_MS = 3 * SECOND_MS;

/**
 * Tells a customer's page of each change of its session: the whole public session, under the payment's sequence as id,
 * so that any process can go on where another broke off. What the page has missed is in the first one.
 */
export async function streamSession(ctx: Context, sessionId: string, paymentId: string, stream: EventStream): Promise<void> {
  let shown = '';
  let known: string | undefined;
  let wake: (() => void) | undefined;
  const stopListening = await ctx.db.listen('payments', (id) => {
    if (id === '' || id === paymentId) wake?.();
  }).catch(() => undefined);
  stream.ended.addEventListener('abort', () => wake?.(), { once: true });

  try {
    while (!stream.ended.aborted) {
      const woken = new Promise<void>((resolve) => {
        wake = resolve;
      });
      const state = await findState(ctx.db, paymentId);
      if (state !== known) {
        const view = await findPublicView(ctx, sessionId);
        const session = await presentPublicSession(ctx, view);
        // The clock alone is no change.
        const now = JSON.stringify({ ...session, server_time: null });
        if (now !== shown) stream.send({ id: String(view.payment.sequence), data: session });
        shown = now;
      }
      known = state;
      let timer: NodeJS.Timeout | undefined;
      await Promise.race([woken, new Promise<void>((resolve) => {
        timer = setTimeout(resolve, LOOK_EVERY_MS);
      })]);
      clearTimeout(timer);
    }
  } catch (error) {
    ctx.log.warn({ err: error, sessionId }, 'a stream of a session broke off');
    stream.end();
  } finally {
    await stopListening?.();
  }
}

/** Everything that can change what a page shows, in one look: thousands of pages may be open. */
async function findState(db: Db, paymentId: string): Promise<string | undefined> {
  const [row] = await db.query<{ state: string }>('find_stream_state', `
    select concat_ws(' ', p.sequence, p.started_at,
             (select count(*) || max(t.id) from payment_targets t where t.payment_id = p.id),
             (select string_agg(concat(t.id, t.status, t.block_number), ' ' order by t.id) from transfers t where t.payment_id = p.id),
             (select count(*) from transfers t where t.near_payment_id = p.id and t.payment_id is null),
             (select string_agg(concat(o.id, o.state, o.deposited_units), ' ' order by o.id) from route_orders o where o.payment_id = p.id),
             -- Confirmations count up only where there is something to confirm.
             case when exists (select 1 from transfers t where t.payment_id = p.id and t.status = 'seen') then
               case when p.livemode
                 then (select c.block_number from chain_cursors c where c.network = s.receive_network and c.pass = 'first')
                 else (select max(b.number) from sandbox_blocks b where b.account_id = p.account_id and b.network = s.receive_network)
               end
             end) as state
      from payments p join checkout_sessions s on s.id = p.session_id
     where p.id = $1`, [paymentId]);
  return row?.state;
}
