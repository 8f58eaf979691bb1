import type { BodyOf, endpoints, ErrorCode } from '@quittance/contract';
import type { Context } from '../../context.ts';
import type { Account, Caller } from '../../platform/caller.ts';
import { fail } from '../../platform/errors.ts';
import type { IdempotencyClaim } from '../../platform/http/idempotency/claim.ts';
import { eventId } from '../../settlement/records/event-store.ts';
import type { Step } from '../../settlement/records/payment.ts';
import { eventBody } from '../../settlement/records/record-events.ts';
import { type SessionWallet, settlingWallet } from '../payout-wallets/store.ts';
import { type Identity, keyedIdentity, newIdentity } from './identity.ts';
import type { Creation, Outcome } from './insert-store.ts';
import { insertTogether } from './insert-together.ts';
import { buildSession, type NewSession } from './new-session.ts';
import { type PresentedSession, presentSession } from './present.ts';
import { readSessionInput } from './session-input.ts';
import { NOT_STARTED } from './session.ts';

const MAX_ATTEMPTS = 3;

type SessionRequest = BodyOf<typeof endpoints.createCheckoutSession>;

/** What a creation stores beside the session: the response and the idempotency claim. */
export interface CreationContext {
  caller: Caller;
  claim: IdempotencyClaim | null;
  serialize: (data: PresentedSession) => Buffer;
}

/**
 * Opens a checkout. The session, its payment, the `payment.created` event, its deliveries and the stored response are
 * one commit, shared with creations that arrive at the same moment, so the response is built here, as bytes. Null if
 * the request's key was taken.
 */
export async function createSession(
  ctx: Context,
  request: CreationContext,
  body: SessionRequest,
): Promise<Buffer | null> {
  const { claim } = request;
  // The second is made only if it is needed: it takes random bytes from the system.
  const identities = claim ? [() => keyedIdentity(ctx.secrets, claim), newIdentity] : [newIdentity];
  for (const identify of identities) {
    const { outcome, answer } = await write(ctx, request, body, identify());
    if (outcome === 'created') {
      ctx.db.notify('deliveries', request.caller.id);
      return answer;
    }
    // The key has expired and its session still exists: this is a new session with a new id.
    if (outcome !== 'id_taken') return null;
  }
  return null;
}

async function write(
  ctx: Context,
  request: CreationContext,
  body: SessionRequest,
  identity: Identity,
): Promise<{ outcome: Outcome; answer: Buffer }> {
  const { caller } = request;
  const input = readSessionInput(body, caller.defaults);
  const walletId = body.payout_wallet_id;
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const wallet = await cachedWallet(ctx, caller, walletId, 'invalid_checkout_session');
    const { creation, answer } = prepare(ctx, request, { input, wallet, byDefault: walletId === undefined, identity });
    const outcome = await insertTogether(ctx.db, creation);
    if (outcome !== 'wallet_unusable') return { outcome, answer };
    // The wallet was archived or is not the default any more. The next look-up finds the current one, or says why
    // no wallet can be used.
    dropCachedWallet(ctx, caller, walletId);
  }
  return fail('invalid_checkout_session', {
    param: 'payout_wallet_id',
    message: 'The payout wallet is being changed. Try again.',
  });
}

function prepare(
  ctx: Context,
  { caller, claim, serialize }: CreationContext,
  { byDefault, ...parts }: NewSession & { byDefault: boolean },
): { creation: Creation; answer: Buffer } {
  const { session, payment } = buildSession(caller, parts, caller.now);
  const answer = serialize(presentSession(session, NOT_STARTED, ctx.config));
  const created: Step = { payment, type: 'payment.created', evidence: {} };
  const id = eventId(payment, created.type);
  const creation: Creation = {
    session,
    payment,
    event: { id, body: eventBody(ctx, created, id, caller.now) },
    claim: claim && { ...claim, answer },
    byDefault,
    recordedAt: caller.realNow,
  };
  return { creation, answer };
}

/**
 * Caches the result of `settlingWallet`, because a saved wallet never changes. Whether it may be used can change, so
 * the statement that writes a session checks that again. Call `dropCachedWallet` if it rejects the wallet.
 */
function cachedWallet(
  { db, caches }: Pick<Context, 'db' | 'caches'>,
  account: Account,
  id: string | undefined,
  code: ErrorCode,
): Promise<SessionWallet> {
  return caches.wallets.get(nameOf(account, id), () => settlingWallet(db, account, id, code));
}

function dropCachedWallet({ caches }: Pick<Context, 'caches'>, account: Account, id: string | undefined): void {
  caches.wallets.drop(nameOf(account, id));
}

function nameOf(account: Account, id: string | undefined): string {
  return `${account.id} ${account.livemode} ${id ?? 'default'}`;
}
