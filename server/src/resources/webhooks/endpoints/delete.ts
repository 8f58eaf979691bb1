import type { Context } from '../../../context.ts';
import type { Caller } from '../../../platform/caller.ts';
import type { Transaction } from '../../../platform/db/db.ts';
import { fail } from '../../../platform/errors.ts';
import { markEndpointDeleted } from './endpoint-store.ts';
import { cancelDeliveries } from '../delivery/parking-store.ts';

/**
 * Deletes the endpoint. This process makes no new connection to it after the response, the others make none after the
 * signal.
 */
export async function deleteEndpoint(ctx: Context, db: Transaction, caller: Caller, id: string): Promise<void> {
  if (!(await markEndpointDeleted(db, caller, id, caller.realNow))) fail('not_found', { param: 'id' });
  await cancelDeliveries(db, id);

  db.afterCommit(() => {
    // At once in this process, after the signal in the others.
    ctx.outbound.drop(id);
    ctx.db.notify('webhook_endpoint_closed', id);
  });
}
