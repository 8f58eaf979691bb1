import type { Context } from '../../context.ts';
import type { Caller } from '../../platform/caller.ts';
import type { Transaction } from '../../platform/db/db.ts';
import { fail } from '../../platform/errors.ts';
import { type Delivery, findDelivery, sendAgain, sendFailedAgain } from './delivery/delivery-store.ts';
import { findEndpoint } from './endpoints/endpoint-store.ts';

/** Makes one more attempt as soon as possible, outside the schedule, whatever the result of earlier ones. */
export async function redeliver(ctx: Context, db: Transaction, caller: Caller, id: string): Promise<Delivery> {
  const delivery = (await findDelivery(db, caller, id)) ?? fail('not_found', { param: 'id' });
  await refuseClosed(db, caller, delivery.endpointId, 'invalid_request');

  await sendAgain(db, caller, id, caller.realNow);
  db.afterCommit(() => ctx.db.notify('deliveries', caller.id));
  return (await findDelivery(db, caller, id)) ?? delivery;
}

/** The same for every failed delivery to this endpoint since then. Returns how many. */
export async function redeliverFailed(
  ctx: Context,
  db: Transaction,
  caller: Caller,
  { endpointId, since }: { endpointId: string; since: Date },
): Promise<number> {
  if (!(await findEndpoint(db, caller, endpointId))) fail('not_found', { param: 'id' });
  await refuseClosed(db, caller, endpointId, 'invalid_webhook_endpoint');

  const count = await sendFailedAgain(db, caller, { endpointId, since, now: caller.realNow });
  db.afterCommit(() => ctx.db.notify('deliveries', caller.id));
  return count;
}

async function refuseClosed(
  db: Transaction,
  caller: Caller,
  endpointId: string,
  code: 'invalid_request' | 'invalid_webhook_endpoint',
): Promise<void> {
  const endpoint = await findEndpoint(db, caller, endpointId);
  if (!endpoint)
    fail(code, { message: 'The endpoint of this delivery was deleted, so the event cannot be redelivered.' });
  if (endpoint.status === 'disabled') {
    fail(code, {
      message: 'The endpoint is disabled. Enable it first; parked deliveries are then sent automatically.',
    });
  }
}
