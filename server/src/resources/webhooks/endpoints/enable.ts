import type { Context } from '../../../context.ts';
import type { Caller } from '../../../platform/caller.ts';
import type { Transaction } from '../../../platform/db/db.ts';
import { fail } from '../../../platform/errors.ts';
import { lockEndpoint, markEndpointActive, type WebhookEndpoint } from './endpoint-store.ts';
import { resumeDeliveries } from '../delivery/parking-store.ts';

/** Enables a disabled endpoint; its parked deliveries are sent. */
export async function enableEndpoint(
  ctx: Context,
  db: Transaction,
  caller: Caller,
  id: string,
): Promise<WebhookEndpoint> {
  const endpoint = (await lockEndpoint(db, caller, id)) ?? fail('not_found', { param: 'id' });
  if (endpoint.status === 'active') return endpoint;

  await markEndpointActive(db, caller, id);
  await resumeDeliveries(db, id, caller.realNow);
  db.afterCommit(() => {
    ctx.db.notify('deliveries', caller.id);
    ctx.db.notify('parking');
  });
  return { ...endpoint, status: 'active' };
}
