import type { Context } from '../../context.ts';
import type { Database, Db } from '../../platform/db/db.ts';
import type { EventStream } from '../../platform/http/event-stream.ts';
import { SECOND_MS } from '../../platform/time.ts';
import { findPublicView, presentPublicSession } from './public-session.ts';

/** Signals may be lost, so every stream looks by itself as well. */
const LOOK_EVERY_MS = 3 * SECOND_MS;

/** All streams of one payment: they share each look at the database. */
interface Watch {
  streams: Set<EventStream>;
  /** Streams that have not been sent anything yet. */
  joined: Set<EventStream>;
  wake(): void;
}

const watches = new WeakMap<Database, Map<string, Watch>>();

/**
 * Sends a customer's page each change of its session: the whole public session, with the payment's sequence as the id, so
 * that any process can continue where another broke off. The first event holds everything that the page has missed.
 */
export function streamSession(ctx: Context, sessionId: string, paymentId: string, stream: EventStream): void {
  if (stream.ended.aborted) return;
  const watch = watchOf(ctx, sessionId, paymentId);
  watch.streams.add(stream);
  watch.joined.add(stream);
  stream.ended.addEventListener(
    'abort',
    () => {
      watch.streams.delete(stream);
      watch.joined.delete(stream);
      if (watch.streams.size === 0) watch.wake();
    },
    { once: true },
  );
  watch.wake();
}

function watchOf(ctx: Context, sessionId: string, paymentId: string): Watch {
  const open = watches.get(ctx.db) ?? new Map<string, Watch>();
  watches.set(ctx.db, open);
  const known = open.get(paymentId);
  if (known) return known;

  let isWoken = false;
  let endWait: (() => void) | undefined;
  const watch: Watch = {
    streams: new Set(),
    joined: new Set(),
    wake() {
      isWoken = true;
      endWait?.();
    },
  };
  open.set(paymentId, watch);
  void follow(
    ctx,
    { sessionId, paymentId, watch },
    {
      /** Resolves when something may have changed since the last call. */
      async nextLook() {
        if (!isWoken) {
          let timer: NodeJS.Timeout | undefined;
          await new Promise<void>((resolve) => {
            endWait = resolve;
            timer = setTimeout(resolve, LOOK_EVERY_MS);
          });
          clearTimeout(timer);
        }
        isWoken = false;
      },
      close: () => void open.delete(paymentId),
    },
  );
  return watch;
}

async function follow(
  ctx: Context,
  { sessionId, paymentId, watch }: { sessionId: string; paymentId: string; watch: Watch },
  { nextLook, close }: { nextLook(): Promise<void>; close(): void },
): Promise<void> {
  let shown = '';
  let known: string | undefined;
  const stopListening = await ctx.db
    .listen('payments', (id) => {
      if (id === '' || id === paymentId) watch.wake();
    })
    .catch(() => undefined);

  try {
    while (watch.streams.size > 0) {
      const joined = [...watch.joined];
      watch.joined.clear();
      const state = await findState(ctx.db, paymentId);
      if (state !== known || joined.length > 0) {
        const view = await findPublicView(ctx, sessionId);
        const session = await presentPublicSession(ctx, view);
        // The clock alone is no change.
        const now = JSON.stringify({ ...session, server_time: null });
        // Streams that joined during this look wait for the next one.
        const receivers = now === shown ? joined : [...watch.streams].filter((stream) => !watch.joined.has(stream));
        for (const stream of receivers) stream.send({ id: String(view.payment.sequence), data: session });
        shown = now;
      }
      known = state;
      await nextLook();
    }
  } catch (error) {
    ctx.log.warn({ err: error, sessionId, streams: watch.streams.size }, 'session streams failed');
  } finally {
    // Before anything is awaited: a stream that comes from here on opens a watch of its own.
    close();
    for (const stream of watch.streams) stream.end();
    await stopListening?.();
  }
}

/** Everything that can change what a page shows, in one look: thousands of pages may be open. */
async function findState(db: Db, paymentId: string): Promise<string | undefined> {
  const [row] = await db.query<{ state: string }>(
    'find_stream_state',
    `
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
     where p.id = $1`,
    [paymentId],
  );
  return row?.state;
}
