import type { WebhookEventType } from '@quittance/contract';
import type { Context } from '../../../context.ts';
import type { Caller } from '../../../platform/caller.ts';
import type { Db } from '../../../platform/db/db.ts';
import { fail } from '../../../platform/errors.ts';
import { newId } from '../../../platform/ids.ts';
import { DAY_MS, HOUR_MS, later, SECOND_MS } from '../../../platform/time.ts';
import { lockAccount } from '../../accounts/store.ts';
import { countEndpoints, insertEndpoint, type WebhookEndpoint } from './endpoint-store.ts';
import { newSigningSecret, sealSecret } from '../delivery/signature.ts';

/** Each event is a delivery to every endpoint. Accounts with more endpoints keep them. */
export const MAX_ENDPOINTS = 20;
/** Of one account and mode: those that it has, and those that it deleted in the last 24 hours, which are still stored. */
export const MAX_ENDPOINTS_PER_DAY = 200;

/** Creates an endpoint for these events. The secret is shown only once. */
export async function createEndpoint(
  ctx: Context,
  db: Db,
  caller: Caller,
  wanted: { url: string; events: WebhookEventType[]; asymmetric_signature?: boolean | undefined },
): Promise<{ endpoint: WebhookEndpoint; secret: string }> {
  const id = newId('we');
  const secret = newSigningSecret();
  const endpoint: WebhookEndpoint = {
    id,
    accountId: caller.id,
    livemode: caller.livemode,
    url: readWebhookUrl(ctx, wanted.url),
    events: [...new Set(wanted.events)],
    secret: sealSecret(ctx.secrets, id, secret),
    oldSecret: null,
    oldSecretUntil: null,
    isAsymmetric: wanted.asymmetric_signature === true,
    status: 'active',
    createdAt: caller.now,
  };
  await requireRoom(db, caller);
  await insertEndpoint(db, endpoint);
  return { endpoint, secret };
}

async function requireRoom(db: Db, caller: Caller): Promise<void> {
  // Creations of one account run one after the other, so that two at once do not both find room.
  await lockAccount(db, caller.id);
  const now = caller.realNow;
  const { current, deleted } = await countEndpoints(db, caller, { since: later(now, -DAY_MS), now });
  if (current >= MAX_ENDPOINTS) {
    fail('invalid_webhook_endpoint', {
      message: `This account reached its limit of ${MAX_ENDPOINTS} webhook endpoints in this mode. Delete one that is no longer used.`,
    });
  }
  if (current + deleted >= MAX_ENDPOINTS_PER_DAY) {
    fail('rate_limited', {
      message:
        `This account reached its limit of ${MAX_ENDPOINTS_PER_DAY} webhook endpoints in 24 hours in this ` +
        'mode, including deleted ones. Try again later.',
      retryAfterSeconds: HOUR_MS / SECOND_MS,
    });
  }
}

/**
 * The URL in the letters of a URI, so that an international host is the name that is connected to. Rejects one that must
 * not receive webhooks. Every connection is checked again, because host names can change their addresses.
 */
function readWebhookUrl({ outbound }: Pick<Context, 'outbound'>, text: string): string {
  const objection = outbound.objectionTo(text);
  if (objection !== null) fail('invalid_webhook_endpoint', { param: 'url', message: objection });
  return /[^\0-\x7f]/.test(text) ? new URL(text).href : text;
}
