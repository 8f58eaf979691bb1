import type { Context } from '../../context.ts';
import type { Account } from '../../platform/caller.ts';
import { fail } from '../../platform/errors.ts';
import { publicKeySigner } from '../webhooks/delivery/attempt.ts';
import { findDelivery, listAttempts } from '../webhooks/delivery/delivery-store.ts';
import { findEndpoint } from '../webhooks/endpoints/endpoint-store.ts';
import { findEvent } from '../webhooks/events/event-store.ts';
import { openKeys, signatureHeaders } from '../webhooks/delivery/signature.ts';
import type { SignedDeliveryJson } from '@quittance/contract/dashboard';

/**
 * The body and headers of each attempt of a delivery, signed with the current secret: what a receiver should compute.
 */
export async function signDelivery(ctx: Context, account: Account, id: string): Promise<SignedDeliveryJson> {
  const delivery = (await findDelivery(ctx.db, account, id)) ?? fail('not_found', { param: 'id' });
  const endpoint = (await findEndpoint(ctx.db, account, delivery.endpointId)) ?? fail('not_found', { param: 'id' });
  const event = (await findEvent(ctx.db, account, delivery.eventId)) ?? fail('not_found', { param: 'id' });
  const keys = openKeys(ctx, endpoint.id, endpoint.secret);
  const signer = endpoint.isAsymmetric ? await publicKeySigner(ctx, account, endpoint.id) : null;
  const attempts = await listAttempts(ctx.db, delivery.id);
  return {
    body: event.body.toString('utf8'),
    attempts: attempts.map((attempt) => ({
      id: attempt.id,
      headers: signatureHeaders({
        keys: [keys],
        eventId: event.id,
        at: attempt.attemptedAt,
        body: event.body,
        publicKeySigner: signer,
      }),
    })),
  };
}
