import type { BodyOf, endpoints } from '@quittance/contract';
import type { Context } from '../../context.ts';
import type { Caller } from '../../platform/caller.ts';
import { fail } from '../../platform/errors.ts';
import { findStored, replayStored } from '../../platform/http/idempotency-store.ts';
import { type IdempotencyClaim, OwnAnswer } from '../../platform/http/route.ts';
import type { Step } from '../../settlement/records/payment.ts';
import { eventBody, eventId } from '../../settlement/records/record-events.ts';
import type { Creation, Outcome } from './insert.ts';
import { insertTogether } from './insert-together.ts';
import { readOrder, type Order } from './order.ts';
import { presentSession, type PresentedSession } from './present.ts';
import { forgetWallet, rememberedWallet } from './remembered-wallets.ts';
import { type Identity, keyedIdentity, newIdentity } from './identity.ts';
import { reserve } from './reserve.ts';
import { UNTOUCHED } from './session.ts';
import type { SessionWallet } from '../payout-wallets/settling-wallet.ts';

const MAX_ATTEMPTS = 3;

type SessionRequest = BodyOf<typeof endpoints.createCheckoutSession>;

/** The request around a creation: what its answer, and a repeat of it, need. */
export interface Asking {
  caller: Caller;
  requestId: string;
  claim: IdempotencyClaim | null;
  serialize: (data: PresentedSession) => Buffer;
}

/**
 * Opens a checkout. The session, its payment, the `payment.created` event, its deliveries and the stored answer are one
 * commit, shared with the creations that arrive at the same moment; so the answer is made here, as bytes.
 */
export async function createSession(ctx: Context, asking: Asking, request: SessionRequest): Promise<OwnAnswer> {
  const identities = asking.claim ? [keyedIdentity(ctx.secrets, asking.claim), newIdentity()] : [newIdentity()];
  for (const identity of identities) {
    let outcome: Outcome;
    try {
      const written = await write(ctx, asking, request, identity);
      if (written.outcome === 'created') {
        ctx.db.notify('deliveries');
        return new OwnAnswer(201, written.answer);
      }
      outcome = written.outcome;
    } catch (error) {
      // A repeat gets the first answer, whatever has become of the wallet since.
      const first = await firstAnswer(ctx, asking);
      if (first) return first;
      throw error;
    }
    const first = await firstAnswer(ctx, asking);
    if (first) return first;
    // The key has expired and its session is still there: this is a new session, under a new id.
    if (outcome !== 'id_taken') break;
  }
  return fail('idempotency_in_progress', { retryAfterSeconds: 1 });
}

async function write(
  ctx: Context,
  asking: Asking,
  request: SessionRequest,
  identity: Identity,
): Promise<{ outcome: Outcome; answer: Buffer }> {
  const { caller } = asking;
  const order = readOrder(request, caller.defaults);
  const walletId = request.payout_wallet_id;
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const wallet = await rememberedWallet(ctx.db, caller, walletId, 'invalid_checkout_session');
    const { creation, answer } = prepare(ctx, asking, order, wallet, walletId === undefined, identity);
    const outcome = await insertTogether(ctx.db, creation);
    if (outcome !== 'wallet_unusable') return { outcome, answer };
    // It was archived, or another one became the default: the next look says which one counts now, or why none does.
    forgetWallet(ctx.db, caller, walletId);
  }
  return fail('invalid_checkout_session', {
    param: 'payout_wallet_id',
    message: 'The payout wallet is being changed. Try again.',
  });
}

function prepare(
  ctx: Context,
  { caller, requestId, claim, serialize }: Asking,
  order: Order,
  wallet: SessionWallet,
  byDefault: boolean,
  identity: Identity,
) {
  const { session, payment } = reserve(caller, order, wallet, caller.now, identity);
  const answer = serialize(presentSession(session, UNTOUCHED, ctx.config.publicUrl));
  const created: Step = { payment, type: 'payment.created', evidence: {} };
  const id = eventId(created);
  const creation: Creation = {
    session,
    payment,
    event: { id, body: eventBody(ctx, created, id, caller.now) },
    claim: claim && { ...claim, requestId, answer },
    byDefault,
    recordedAt: caller.realNow,
  };
  return { creation, answer };
}

/** What the first request with this key was answered; a conflict where that one asked for something else. */
async function firstAnswer(ctx: Context, { claim }: Asking): Promise<OwnAnswer | undefined> {
  const row = claim && (await findStored(ctx.db, claim));
  if (!claim || !row) return undefined;
  const stored = replayStored(row, claim, ctx.secrets);
  return new OwnAnswer(stored.status, stored.body, stored.requestId);
}
