import { MAX_TEST_CLOCK_AHEAD_DAYS } from '@quittance/contract';
import type { Context } from '../../context.ts';
import { setSandboxOrder } from '../../outside/routers/sandbox/order-store.ts';
import type { Caller } from '../../platform/caller.ts';
import { fail } from '../../platform/errors.ts';
import { DAY_MS, later, SECOND_MS } from '../../platform/time.ts';
import { closeWindow } from '../../settlement/outcome/expire.ts';
import { lockPayments } from '../../settlement/records/payment-store.ts';
import { findOrders } from '../../settlement/records/route-order-store.ts';
import { runDueDeliveries } from '../webhooks/delivery/run-due.ts';
import { shiftDeliveries } from '../webhooks/delivery/lease-store.ts';
import { inOwnSandbox, type Sandbox } from './sandbox.ts';
import { findEndedPayments, findWaitingNetworks, moveClock } from './store.ts';

const PAYMENTS_AT_ONCE = 50;
const DELIVERIES_DEADLINE_MS = 12 * SECOND_MS;

/** Moves an account's test clock, and processes everything that became due before it answers. */
export async function advanceClock(ctx: Context, caller: Caller, seconds: number): Promise<{ now: string }> {
  const now = await ctx.lines.sandboxes.inTurn(caller.id, () => moveTime(ctx, caller, seconds));
  await runDueDeliveries(ctx, { accountId: caller.id, deadlineMs: DELIVERIES_DEADLINE_MS });
  return { now: now.toISOString() };
}

/** One turn in the line, so that no step is refused after the clock has moved. */
async function moveTime(ctx: Context, caller: Caller, seconds: number): Promise<Date> {
  // The time after this move; a concurrent move gets another time.
  const now = await inOwnSandbox(ctx, caller.id, async ({ db, at }) => {
    if (!(await moveClock(db, caller.id, seconds * SECOND_MS, MAX_TEST_CLOCK_AHEAD_DAYS * DAY_MS))) {
      fail('invalid_request', {
        param: 'seconds',
        message:
          `\`seconds\` would move the test clock more than 10 years (3,660 days) ahead of real time. It can ` +
          'never go back: continue with another account.',
      });
    }
    await shiftDeliveries(db, caller.id, seconds * SECOND_MS);
    return later(at.created, seconds * SECOND_MS);
  });
  // Time has passed on the chains too, so earlier transfers are final by now.
  for (const network of await findWaitingNetworks(ctx.db, caller.id))
    await inOwnSandbox(ctx, caller.id, (sandbox) => sandbox.makeFinal(network));
  await closeWindows(ctx, caller.id);
  return now;
}

async function closeWindows(ctx: Context, accountId: string): Promise<void> {
  for (let closed = 1; closed > 0; ) {
    closed = await inOwnSandbox(ctx, accountId, async (sandbox) => {
      const over = await findEndedPayments(sandbox.db, accountId, sandbox.at.created, PAYMENTS_AT_ONCE);
      let count = 0;
      for (const id of over) {
        await returnShortDeposits(sandbox, id);
        count += Number(await closeWindow(ctx, sandbox.db, id, sandbox.at));
      }
      return count;
    });
  }
}

/** A provider returns deposits that were too small once the time is over. */
async function returnShortDeposits(sandbox: Sandbox, paymentId: string): Promise<void> {
  const payment = (await lockPayments(sandbox.db, [paymentId])).get(paymentId);
  if (!payment) return;
  for (const order of await findOrders(sandbox.db, paymentId)) {
    if (order.state !== 'short') continue;
    await setSandboxOrder(sandbox.db, order.reference, { state: 'returned', reason: 'route_refunded' });
    await sandbox.followOrder(payment, order);
  }
}
