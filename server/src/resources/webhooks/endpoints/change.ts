import type { Context } from '../../../context.ts';
import type { Caller } from '../../../platform/caller.ts';
import type { Db, Transaction } from '../../../platform/db/db.ts';
import { fail } from '../../../platform/errors.ts';
import { later, SECOND_MS } from '../../../platform/time.ts';
import { cancelDeliveries, resumeDeliveries } from '../delivery/parking-store.ts';
import { newSigningSecret, sealSecret } from '../delivery/signature.ts';
import {
  lockEndpoint,
  markEndpointActive,
  markEndpointDeleted,
  replaceSecret,
  type WebhookEndpoint,
} from './endpoint-store.ts';

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

/** Gives the endpoint a new secret. The old one also signs during the overlap, in real time like all signatures. */
export async function rotateSecret(
  ctx: Context,
  db: Db,
  caller: Caller,
  { id, overlapSeconds }: { id: string; overlapSeconds: number },
): Promise<{ endpoint: WebhookEndpoint; secret: string }> {
  const endpoint = (await lockEndpoint(db, caller, id)) ?? fail('not_found', { param: 'id' });
  const secret = newSigningSecret();
  await replaceSecret(db, caller, id, {
    secret: sealSecret(ctx.secrets, id, secret),
    oldSecretUntil: later(caller.realNow, overlapSeconds * SECOND_MS),
  });
  return { endpoint, secret };
}
