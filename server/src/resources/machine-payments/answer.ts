import * as mpp from './mpp.ts';
import * as x402 from './x402.ts';
import * as x402v1 from './x402-v1.ts';
import type { FastifyReply } from 'fastify';
import type { Context } from '../../context.ts';
import { machineAsset } from '../../outside/chains/machine-networks.ts';
import { ApiError } from '../../platform/errors.ts';
import { presentPublicSession, type PublicView } from '../checkout-sessions/public-session.ts';
import { receiptFor } from '../receipts/receipt-for.ts';
import type { Offer } from './offer.ts';
import type { PaymentProblemError } from './problem.ts';
import type { Credential } from './proof.ts';
import type { StoredCredential } from './store.ts';
import { SECOND_MS } from '../../platform/time.ts';
import { signJws, jwksPath } from '../../platform/signing/jws.ts';
import { currentSigningKey } from '../../platform/signing/signing-keys.ts';
import type { Extensions, PaymentRequirements } from './x402.ts';

const RETRY_AFTER_SECONDS = 5;

/** 402 with a fresh challenge of every protocol, or another problem of the protocols. */
export async function sendProblem(
  ctx: Context,
  reply: FastifyReply,
  problem: PaymentProblemError,
  { offer, protocol }: { offer: Offer | null; protocol: Credential['protocol'] | null },
): Promise<FastifyReply> {
  if (problem.status === 409) reply.header('retry-after', String(RETRY_AFTER_SECONDS));
  let old: ReturnType<typeof x402v1.requiredBody>;
  if (offer && problem.status === 402) {
    reply.header('www-authenticate', mpp.writeChallenges(mpp.challengesOf(offer, ctx.secrets)));
    const requirements = x402.requirementsOf(offer);
    if (requirements) {
      const extensions = await signedOffer(ctx, requirements, offer);
      reply.header('payment-required', x402.writeRequired(requirements, offer, problem.reason, extensions));
      // A payment of version 1 names no checkout, so it can be made only at a checkout's own address.
      const { id } = reply.request.params as { id?: string };
      if (id === offer.sessionId) old = x402v1.requiredBody(requirements, offer, problem.reason);
    }
  }
  if (protocol === 'x402') reply.headers(settled(failure(problem, offer)));
  return reply
    .status(problem.status)
    .header('cache-control', 'no-store')
    .type('application/problem+json; charset=utf-8')
    .send(JSON.stringify({ ...problem.present(), ...(offer && { checkout_url: pageOf(offer) }), ...old }));
}

/** An expected failure of the API, for a program that reads problems. */
export function sendFailure(reply: FastifyReply, error: ApiError): FastifyReply {
  if (error.retryAfterSeconds !== undefined) reply.header('retry-after', String(error.retryAfterSeconds));
  const body = { type: 'about:blank', title: error.code, status: error.status, detail: error.message };
  return reply.status(error.status).type('application/problem+json; charset=utf-8').send(JSON.stringify(body));
}

/** 200: the session is paid. */
export async function sendPaid(
  ctx: Context,
  reply: FastifyReply,
  view: PublicView,
  credential: StoredCredential | null,
): Promise<FastifyReply> {
  const receipt = receiptOf(view, credential);
  const jws = await signedReceiptOf(ctx, view);
  if (credential?.protocol === 'mpp') reply.header('payment-receipt', mpp.writeReceipt(receipt));
  if (credential?.protocol === 'x402') reply.headers(settled(success(ctx, view, credential, jws)));
  const session = await presentPublicSession(ctx, view);
  return sendJson(reply, 200, { session, payment: presentPaid(view), receipt: { ...receipt, jws } });
}

/** Names the payment as the merchant and the receipts do. */
function presentPaid({ payment }: PublicView) {
  return {
    id: payment.id,
    status: payment.status,
    tx_hash: payment.txHash,
    paid_at: payment.paidAt?.toISOString() ?? null,
  };
}

/** 202: money is on its way and not final yet. Nothing is due meanwhile. */
export async function sendPending(ctx: Context, reply: FastifyReply, view: PublicView): Promise<FastifyReply> {
  reply.header('retry-after', String(RETRY_AFTER_SECONDS));
  return sendJson(reply, 202, { session: await presentPublicSession(ctx, view) });
}

function sendJson(reply: FastifyReply, status: number, body: unknown): FastifyReply {
  return reply
    .status(status)
    .header('cache-control', status === 200 ? 'private' : 'no-store')
    .type('application/json; charset=utf-8')
    .send(JSON.stringify(body));
}

function success(
  ctx: Context,
  { payment }: PublicView,
  credential: StoredCredential,
  jws: string | null,
): x402.SettleResponse {
  const extensions = signedReceipt(jws);
  return {
    success: true,
    transaction: payment.txHash ?? credential.txHash ?? '',
    network: networkName(ctx, credential),
    ...(credential.payer !== null && { payer: credential.payer }),
    ...(extensions && { extensions }),
  };
}

/** The result in the words of both versions. */
function settled(response: x402.SettleResponse): Record<string, string> {
  const old = x402v1.writeResponse(response);
  return { 'payment-response': x402.writeResponse(response), ...(old !== undefined && { 'x-payment-response': old }) };
}

function failure(problem: PaymentProblemError, offer: Offer | null): x402.SettleResponse {
  return { success: false, errorReason: problem.reason, transaction: '', network: offer?.machine.caip2 ?? '' };
}

function networkName(ctx: Context, { network, livemode }: StoredCredential): string {
  return machineAsset(network, 'USDC', livemode, ctx.config.networks[network])?.caip2 ?? '';
}

function pageOf({ resourceUrl }: Offer): string {
  return resourceUrl.replace(/\/pay$/, '');
}

/** A program's receipt for a paid session, in the form of the "Payment" HTTP scheme. */
interface MachineReceipt {
  status: 'success';
  method: 'evm' | 'solana';
  timestamp: string;
  /** The transaction that completed the payment. */
  reference: string;
  challengeId?: string;
}

function receiptOf({ payment, session }: PublicView, credential: StoredCredential | null): MachineReceipt {
  return {
    status: 'success',
    method: session.receiveNetwork === 'solana' ? 'solana' : 'evm',
    timestamp: (payment.paidAt ?? payment.createdAt).toISOString(),
    reference: payment.txHash ?? credential?.txHash ?? payment.id,
    ...(credential?.challengeId && { challengeId: credential.challengeId }),
  };
}

/** The signed receipt; null while it cannot be signed, because a payer who has paid must get an answer in any case. */
async function signedReceiptOf(ctx: Context, { payment }: PublicView): Promise<string | null> {
  try {
    return (await receiptFor(ctx, payment))?.jws ?? null;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    ctx.log.warn({ err: error, paymentId: payment.id }, 'receipt for a program not signed');
    return null;
  }
}

/** The x402 extension `offer-receipt`: the offer and the receipt, signed with the account's key for statements. */
const NAME = 'offer-receipt';
const OFFER_TYPE = 'offer+jwt';
const OFFER_VERSION = 1;
/** Programs read headers of 16 kB. A receipt of very many transfers is only in the body. */
const MAX_JWS_LENGTH = 6_000;

/** The signed offer for the requirements; undefined while it cannot be signed, because an offer is valid without it. */
async function signedOffer(
  ctx: Context,
  requirements: PaymentRequirements,
  offer: Offer,
): Promise<Extensions | undefined> {
  const account = { id: offer.accountId, livemode: offer.livemode };
  const { scheme, network, asset, payTo, amount } = requirements;
  const seconds = (instant: Date) => Math.floor(instant.getTime() / SECOND_MS);
  const claims = {
    version: OFFER_VERSION,
    resourceUrl: offer.resourceUrl,
    scheme,
    network,
    asset,
    payTo,
    amount,
    validUntil: seconds(offer.endsAt),
    iss: ctx.config.publicUrl,
    jwks_url: `${ctx.config.publicUrl}${jwksPath(account)}`,
    iat: seconds(offer.now),
    livemode: offer.livemode,
  };
  try {
    const signature = signJws(await currentSigningKey(ctx, account), OFFER_TYPE, claims);
    return extension({ offers: [{ format: 'jws', acceptIndex: 0, signature }] });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return undefined;
  }
}

/** The bytes of the signed receipt, if they fit into a header. */
function signedReceipt(jws: string | null): Extensions | undefined {
  if (jws === null || jws.length > MAX_JWS_LENGTH) return undefined;
  return extension({ receipt: { format: 'jws', signature: jws } });
}

function extension(info: Record<string, unknown>): Extensions {
  return { [NAME]: { info, schema: SCHEMA } };
}

const SCHEMA = { type: 'object' };
