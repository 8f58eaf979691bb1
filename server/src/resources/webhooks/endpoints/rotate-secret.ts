import type { Context } from '../../../context.ts';
import type { Caller } from '../../../platform/caller.ts';
import type { Db } from '../../../platform/db/db.ts';
import { fail } from '../../../platform/errors.ts';
import { later, SECOND_MS } from '../../../platform/time.ts';
import { lockEndpoint, replaceSecret, type WebhookEndpoint } from './endpoint-store.ts';
import { newSigningSecret, sealSecret } from '../delivery/signature.ts';

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
