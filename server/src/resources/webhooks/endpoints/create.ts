import type { EventType } from '@quittance/contract';
import type { Context } from '../../../context.ts';
import type { Caller } from '../../../platform/caller.ts';
import type { Db } from '../../../platform/db/db.ts';
import { fail } from '../../../platform/errors.ts';
import { newId } from '../../../platform/ids.ts';
import { insertEndpoint, type WebhookEndpoint } from './endpoint-store.ts';
import { newSigningSecret, sealSecret } from '../delivery/signature.ts';

/** Each event is a delivery to every endpoint. Accounts with more endpoints keep them. */
export const MAX_ENDPOINTS = 20;

export interface NewEndpoint {
  url: string;
  events: EventType[];
  asymmetric_signature?: boolean | undefined;
}

/** Creates an endpoint for these events. The secret is shown only once. */
export async function createEndpoint(
  ctx: Context,
  db: Db,
  caller: Caller,
  wanted: NewEndpoint,
): Promise<{ endpoint: WebhookEndpoint; secret: string }> {
  const id = newId('we');
  const secret = newSigningSecret();
  const endpoint: WebhookEndpoint = {
    id,
    accountId: caller.id,
    livemode: caller.livemode,
    url: wanted.url,
    events: [...new Set(wanted.events)],
    secret: sealSecret(ctx.secrets, id, secret),
    oldSecret: null,
    oldSecretUntil: null,
    isAsymmetric: wanted.asymmetric_signature === true,
    status: 'active',
    createdAt: caller.now,
  };
  if (!(await insertEndpoint(db, endpoint, MAX_ENDPOINTS))) {
    fail('invalid_webhook_endpoint', {
      message: `This account reached its limit of ${MAX_ENDPOINTS} webhook endpoints in this mode. Delete one that is no longer used.`,
    });
  }
  return { endpoint, secret };
}

/**
 * Rejects a URL that must not receive webhooks. Every connection is checked again, because host names can change their
 * addresses.
 */
export async function requireWebhookUrl(ctx: Context, url: string): Promise<void> {
  const objection = await ctx.outbound.objectionTo(url);
  if (objection !== null) fail('invalid_webhook_endpoint', { param: 'url', message: objection });
}
