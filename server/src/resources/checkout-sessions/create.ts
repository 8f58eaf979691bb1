import type { BodyOf, endpoints } from '@quittance/contract';
import type { Context } from '../../context.ts';
import type { Caller } from '../../platform/caller.ts';
import { fail } from '../../platform/errors.ts';
import { findStored, replayStored } from '../../platform/http/idempotency-store.ts';
import { type IdempotencyClaim, OwnAnswer } from '../../platform/http/route.ts';
import { newId } from '../../platform/ids.ts';
import { eventBody } from '../../settlement/records/record-events.ts';
import type { Creation, Outcome } from './insert.ts';
import { insertTogether } from './insert-together.ts';
import { readOrder, type Order } from './order.ts';
import { presentSession, type PresentedSession } from './present.ts';
import { forgetWallet, rememberedWallet } from './remembered-wallets.ts';
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
  try {
    const { outcome, answer } = await write(ctx, asking, request);
    if (outcome === 'created') {
      ctx.db.notify('deliveries');
      return new OwnAnswer(201, answer);
    }
  } catch (error) {
    // A repeat gets the first answer, whatever has become of the wallet since.
    const first = await firstAnswer(ctx, asking);
    if (first) return first;
    throw error;
  }
  return (await firstAnswer(ctx, asking)) ?? fail('idempotency_in_progress', { retryAfterSeconds: 1 });
}

async function write(
  ctx: Context,
  asking: Asking,
  request: SessionRequest,
): Promise<{ outcome: Outcome; answer: Buffer }> {
  const { caller } = asking;
  const order = readOrder(request, caller.defaults);
  const walletId = request.payout_wallet_id;
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const wallet = await rememberedWallet(ctx.db, caller, walletId, 'invalid_checkout_session');
    const { creation, answer } = prepare(ctx, asking, order, wallet, walletId === undefined);
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
) {
  const { session, payment } = reserve(caller, order, wallet, caller.now);
  const answer = serialize(presentSession(session, UNTOUCHED, ctx.config));
  const eventId = newId('evt');
  const creation: Creation = {
    session,
    payment,
    event: {
      id: eventId,
      body: eventBody(ctx, { payment, type: 'payment.created', evidence: {} }, eventId, caller.now),
    },
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
