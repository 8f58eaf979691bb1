import type { Context } from '../../../context.ts';
import type { Caller } from '../../../platform/caller.ts';
import type { Transaction } from '../../../platform/db/db.ts';
import { fail } from '../../../platform/errors.ts';
import { markEndpointDeleted } from './endpoint-store.ts';
import { cancelDeliveries } from '../delivery/parking-store.ts';

/** Deletes the endpoint. After the answer this process makes no new connection to it, the others from when they hear of it. */
export async function deleteEndpoint(ctx: Context, db: Transaction, caller: Caller, id: string): Promise<void> {
  if (!(await markEndpointDeleted(db, caller, id, caller.now))) fail('not_found', { param: 'id' });
  await cancelDeliveries(db, id);

  db.afterCommit(() => {
    // Here at once, in the other processes as soon as they hear of it.
    ctx.outbound.drop(id);
    ctx.db.notify('webhook_endpoint_closed', id);
  });
}
