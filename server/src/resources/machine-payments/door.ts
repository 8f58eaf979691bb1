import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../../context.ts';
import { ApiError } from '../../platform/errors.ts';
import { clientOf, limitedClient } from '../../platform/http/admission/client.ts';
import { isOpenPayment } from '../../settlement/records/payment.ts';
import { findPublicView, type PublicView } from '../checkout-sessions/public-session.ts';
import { sendFailure, sendPaid, sendPending, sendProblem } from './answer.ts';
import { buildOffer } from './build-offer.ts';
import type { Offer } from './offer.ts';
import { findTaken, payByCredential } from './pay.ts';
import { PaymentProblemError, refuse } from './problem.ts';
import { type Credential, isProof, mayMoveMoney } from './proof.ts';
import { protocolOf, readCredential } from './read-credential.ts';
import { findCredentialById, findCredentialsOf, type StoredCredential } from './store.ts';
import { waitForVerdict, waitOf } from './wait.ts';

const JSON_TYPE = /^application\/(?:[a-z0-9.+-]+\+)?json$/;
const MAX_ACCEPT_LENGTH = 1_000;
/** What axios sends where a program names nothing. No browser sends it for a page. */
const AXIOS_ACCEPT = 'application/json, text/plain, */*';

/**
 * Whether a program sent the request: it carries a payment, accepts nothing but JSON, or has the default of axios.
 * Browsers and previews do not.
 */
export function isFromProgram(request: Pick<FastifyRequest, 'headers'>): boolean {
  const { accept = '' } = request.headers;
  return protocolOf(request) !== null || accept === AXIOS_ACCEPT || acceptsOnlyJson(accept);
}

/**
 * Answers a program: 402 with what to pay, 200 once paid, 202 while money is or may be on its way, 410 once the session
 * has ended.
 */
export async function answerProgram(
  ctx: Context,
  request: FastifyRequest,
  reply: FastifyReply,
  sessionId: string,
): Promise<FastifyReply> {
  let view: PublicView | undefined;
  reply.header('vary', 'accept, authorization, payment-signature, x-payment');
  try {
    view = await findPublicView(ctx, sessionId);
    const credential = readCredential(ctx, request);
    return await answer(ctx, reply, view, { credential, waitMs: waitOf(request.headers.prefer) });
  } catch (error) {
    if (error instanceof PaymentProblemError)
      return answerProblem(ctx, reply, error, { view, protocol: protocolOf(request) });
    if (error instanceof ApiError) return sendFailure(reply, error);
    throw error;
  }
}

/** For failures before a session is known. */
export async function answerFailure(ctx: Context, reply: FastifyReply, error: unknown): Promise<FastifyReply> {
  if (error instanceof PaymentProblemError) return sendProblem(ctx, reply, error, { offer: null, protocol: null });
  if (error instanceof ApiError) return sendFailure(reply, error);
  throw error;
}

async function answer(
  ctx: Context,
  reply: FastifyReply,
  view: PublicView,
  { credential, waitMs }: { credential: Credential | null; waitMs: number },
): Promise<FastifyReply> {
  if (!credential) return answerState(ctx, reply, view, null);
  if (!isOpen(view)) return answerState(ctx, reply, view, await findTaken(ctx, view, credential));

  const taken = await payByCredential(ctx, view, credential, clientOf(reply.request)).catch((error) => {
    if (error instanceof ApiError && error.code === 'invalid_payment_state') return null;
    throw error;
  });
  // The session ended, or was paid, while this credential was verified.
  if (!taken) return answerState(ctx, reply, await findPublicView(ctx, view.session.id), null);
  if (taken.state === 'open') await waitForVerdict(ctx, view.payment.id, waitMs);
  const after = await findPublicView(ctx, view.session.id);
  const stored = (await findCredentialById(ctx.db, taken.id)) ?? taken;
  if (stored.state === 'void' && isOpen(after)) refuse('verification-failed', whyVoid(stored));
  return answerState(ctx, reply, after, stored);
}

function whyVoid(stored: StoredCredential): string {
  return isProof(stored)
    ? 'No transfer of this credential is on the chain, and none can be any more. Pay with a new one.'
    : 'The transaction that this credential names pays another checkout, or has not paid this one within ten minutes.';
}

/** The answer for the session's current state; `own` is the credential that the program presented. */
async function answerState(
  ctx: Context,
  reply: FastifyReply,
  view: PublicView,
  own: StoredCredential | null,
): Promise<FastifyReply> {
  const { payment } = view;
  switch (payment.status) {
    case 'paid':
      return sendPaid(ctx, reply, view, own);
    case 'routing':
    case 'settling':
      return sendPending(ctx, reply, view);
    case 'created':
    case 'pending':
    case 'expired':
    case 'failed':
      // The payer must never be asked twice while an earlier signature may still move money, even after the end.
      if (own?.state === 'open' || (await findCredentialsOf(ctx.db, payment.id)).some(mayMoveMoney))
        return sendPending(ctx, reply, view);
      if (!isOpen(view)) return refuse('checkout-ended', 'The time to pay this checkout is over. Ask for a new one.');
      return refuse('payment-required', 'This checkout is not paid. Pay what is offered, and send the credential.');
    default:
      return refuse(
        'checkout-ended',
        `This checkout is ${payment.status.replace('_', ' ')} and takes no payment any more.`,
      );
  }
}

/** A rejected program gets the offer again, unless nothing is due. */
async function answerProblem(
  ctx: Context,
  reply: FastifyReply,
  problem: PaymentProblemError,
  { view, protocol }: { view: PublicView | undefined; protocol: Credential['protocol'] | null },
): Promise<FastifyReply> {
  if (problem.status !== 402 || !view) return sendProblem(ctx, reply, problem, { offer: null, protocol });
  let offer: Offer;
  try {
    const now = await findPublicView(ctx, view.session.id);
    // Nothing is due any more, so the credential's problem does not matter.
    if (!isOpen(now)) return await answerState(ctx, reply, now, null);
    offer = await buildOffer(ctx, now, limitedClient(ctx.config, clientOf(reply.request)));
  } catch (error) {
    if (error instanceof PaymentProblemError && error.code === 'payment-in-progress')
      return sendPending(ctx, reply, view);
    if (error instanceof PaymentProblemError) return sendProblem(ctx, reply, error, { offer: null, protocol });
    if (error instanceof ApiError) return sendFailure(reply, error);
    throw error;
  }
  return sendProblem(ctx, reply, problem, { offer, protocol });
}

function isOpen({ payment, now }: PublicView): boolean {
  return isOpenPayment(payment) && now < payment.expiresAt;
}

/** `*` ranges and HTML come from a person's browser; a header with JSON alone comes from a program. */
function acceptsOnlyJson(accept: string): boolean {
  if (accept === '' || accept.length > MAX_ACCEPT_LENGTH) return false;
  const ranges = accept.split(',').map((range) => range.split(';').map((part) => part.trim().toLowerCase()));
  const wanted = ranges.filter(([, ...parameters]) => !parameters.some((one) => /^q=0(\.0*)?$/.test(one)));
  return wanted.length > 0 && wanted.every(([type = '']) => JSON_TYPE.test(type));
}
