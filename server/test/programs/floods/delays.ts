import { setTimeout as pause } from 'node:timers/promises';
import type { Context } from '../../../src/context.ts';

const POLL_MS = 50;

/** A payment of the account that is not flooded, and when the service saw and settled it. */
export interface ObservedPayment {
  /** Its session. */
  id: string;
  sentAtMs: number;
  block: number;
  seen?: { ms: number; blocks: number };
  paid?: { ms: number; blocks: number };
}

/** Records when each payment is seen and paid, until all are or the time is up. */
export async function observe(
  ctx: Pick<Context, 'db'>,
  payments: readonly ObservedPayment[],
  produced: { blocks: number; done: boolean },
  maxSeconds: number,
): Promise<void> {
  let doneAtMs: number | null = null;
  for (;;) {
    const open = payments.filter((payment) => !payment.paid);
    if (open.length > 0) {
      const rows = await ctx.db.query<{ sessionId: string; status: string; seen: boolean }>(
        'flood_statuses',
        `
        select p.session_id, p.status, exists (select 1 from transfers t where t.payment_id = p.id) as seen
          from payments p where p.session_id = any($1)`,
        [open.map((payment) => payment.id)],
      );
      const found = new Map(rows.map((row) => [row.sessionId, row]));
      for (const payment of open) {
        const row = found.get(payment.id);
        const since = () => ({ ms: performance.now() - payment.sentAtMs, blocks: produced.blocks - payment.block });
        if (row?.seen) payment.seen ??= since();
        if (row?.status === 'paid') payment.paid = since();
      }
    }
    if (produced.done) {
      doneAtMs ??= performance.now();
      if (open.length === 0 || performance.now() - doneAtMs > maxSeconds * 1000) return;
    }
    await pause(POLL_MS);
  }
}

/** Mean delays of the payments that were paid. */
export function delaysOf(payments: readonly ObservedPayment[]) {
  const settled = payments.filter((payment) => payment.paid);
  const mean = (delayOf: (payment: ObservedPayment) => number | undefined) =>
    Math.round(
      (settled.reduce((sum, payment) => sum + (delayOf(payment) ?? 0), 0) / Math.max(1, settled.length)) * 10,
    ) / 10;
  return {
    payments: payments.length,
    unpaid: payments.length - settled.length,
    seenMs: mean((payment) => payment.seen?.ms),
    paidMs: mean((payment) => payment.paid?.ms),
    seenBlocks: mean((payment) => payment.seen?.blocks),
    paidBlocks: mean((payment) => payment.paid?.blocks),
  };
}
