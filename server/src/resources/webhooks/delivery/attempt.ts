import type { Buffer } from 'node:buffer';
import { RESPONSE_TIMEOUT_SECONDS } from '@quittance/contract';
import type { Context } from '../../../context.ts';
import type { OutboundAnswer } from '../../../outside/http/outbound.ts';
import type { Account } from '../../../platform/caller.ts';
import { recentSigningKey } from '../../../platform/signing/signing-keys.ts';
import { later, SECOND_MS } from '../../../platform/time.ts';
import { type AttemptResult, type LeasedDelivery, NO_PUBLIC_ADDRESS, shownError } from './delivery.ts';
import { type PublicKeySigner, signatureHeaders, type SigningKeys } from './signature.ts';

/** For the whole exchange. The lease of a delivery must outlast it. */
const ATTEMPT_TIMEOUT_MS = RESPONSE_TIMEOUT_SECONDS * SECOND_MS;

/** Makes one attempt at this instant of real time. */
export async function attemptDelivery(ctx: Context, delivery: LeasedDelivery, startedAt: Date): Promise<AttemptResult> {
  const account = { id: delivery.accountId, livemode: delivery.livemode };
  const answer = hideLookup(await postSigned(ctx, { ...delivery, account }, startedAt));
  return { delivery, startedAt, endedAt: later(startedAt, answer.durationMs), answer };
}

/** How long a name took to be looked up could show whether this network knows it. Nothing was sent, so it took no time. */
function hideLookup(answer: OutboundAnswer): OutboundAnswer {
  return shownError(answer.error) === NO_PUBLIC_ADDRESS ? { ...answer, durationMs: 0 } : answer;
}

export interface SignedPost {
  account: Account;
  endpointId: string;
  url: string;
  keys: readonly SigningKeys[];
  isAsymmetric: boolean;
  eventId: string;
  body: Buffer;
}

/** Signs the body afresh and posts it. The signature's time is real time in test mode too. */
export async function postSigned(ctx: Context, post: SignedPost, at: Date): Promise<OutboundAnswer> {
  const signer = post.isAsymmetric ? await publicKeySigner(ctx, post.account, post.endpointId) : null;
  return ctx.outbound.post({
    owner: post.endpointId,
    url: post.url,
    headers: {
      'content-type': 'application/json',
      'user-agent': 'Quittance-Webhooks/1.0',
      'accept-encoding': 'identity',
      ...signatureHeaders({ ...post, at, publicKeySigner: signer }),
    },
    body: post.body,
    timeoutMs: ATTEMPT_TIMEOUT_MS,
  });
}

/** Null if the key cannot be used: the delivery is sent with its other signatures, and the reason is logged. */
export async function publicKeySigner(
  ctx: Context,
  account: Account,
  endpointId: string,
): Promise<PublicKeySigner | null> {
  try {
    return { key: (await recentSigningKey(ctx, account)).privateKey, endpointId };
  } catch (error) {
    ctx.log.error({ err: error }, 'webhook sent without a v1a signature');
    return null;
  }
}
