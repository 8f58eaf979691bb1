import { cutText } from '@quittance/contract/readable-text';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Client, clientOf, limitedClient } from '../../platform/http/admission/client.ts';
import type { Context } from '../../context.ts';
import { ApiError, fail } from '../../platform/errors.ts';
import { errorEnvelope } from '../../platform/http/server/errors.ts';
import { clientQuota } from '../../platform/http/admission/client-quota.ts';
import type { Limiter } from '../../platform/http/admission/rate-limit.ts';
import { pathId } from '../../platform/http/page.ts';
import { buildTransaction } from '../checkout-sessions/build-transaction.ts';
import { paySession } from '../checkout-sessions/pay.ts';
import { findPublicView, presentPublicSession } from '../checkout-sessions/public-session.ts';

const REQUESTS_PER_MINUTE = 60;
const MAX_LABEL_LENGTH = 80;
const PATH = '/checkout/:id/solana-pay';
const ICON_PATH = '/solana-pay-icon.svg';

/** Transaction requests of Solana Pay: a wallet asks what to sign, and for which merchant. */
export function serveSolanaPay(server: FastifyInstance, ctx: Context, limiter: Limiter): void {
  const count = clientQuota({ limiter, profile: ctx.config.profile }, 'solana-pay', REQUESTS_PER_MINUTE);
  const answering = async (request: FastifyRequest, reply: FastifyReply, answer: (id: string) => Promise<object>) => {
    reply.headers(CORS).type('application/json; charset=utf-8');
    try {
      await count(clientOf(request));
      return reply.send(JSON.stringify(await answer(pathId('cs', request))));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.retryAfterSeconds !== undefined) reply.header('retry-after', String(error.retryAfterSeconds));
      // Wallets show the message to their user.
      const body = { ...errorEnvelope(error, request.id), message: error.message };
      return reply.status(error.status).send(JSON.stringify(body));
    }
  };

  server.options(PATH, (_request, reply) =>
    reply
      .status(204)
      .headers({ ...CORS, ...PREFLIGHT })
      .send(),
  );

  server.get(PATH, (request: FastifyRequest, reply) => answering(request, reply, (id) => describeRequest(ctx, id)));

  server.post(PATH, (request: FastifyRequest, reply) =>
    answering(request, reply, (id) =>
      buildRequested(
        ctx,
        id,
        (request.body ?? {}) as { account?: unknown },
        limitedClient(ctx.config, clientOf(request)),
      ),
    ),
  );

  server.get(ICON_PATH, (_request, reply) =>
    reply
      .headers({ ...CORS, 'cache-control': 'public, max-age=86400' })
      .type('image/svg+xml')
      .send(ICON),
  );
}

/** Any wallet may ask: the checkout shows its customer the same. */
const CORS = { 'access-control-allow-origin': '*', 'cross-origin-resource-policy': 'cross-origin' };
const PREFLIGHT = { 'access-control-allow-methods': 'GET, POST', 'access-control-allow-headers': 'Content-Type' };

async function describeRequest(ctx: Context, sessionId: string): Promise<{ label: string; icon: string }> {
  const { merchant } = await presentPublicSession(ctx, await requireSolana(ctx, sessionId));
  return {
    label: cutText(merchant.name ?? new URL(ctx.config.publicUrl).hostname, MAX_LABEL_LENGTH),
    icon: merchant.logo_url
      ? `${ctx.config.publicUrl}/checkout/${sessionId}/logo`
      : `${ctx.config.publicUrl}${ICON_PATH}`,
  };
}

/** The payment as an unsigned transaction: pays the amount due to the payout wallet and carries the reference. */
async function buildRequested(
  ctx: Context,
  sessionId: string,
  { account }: { account?: unknown },
  client: Client | null,
): Promise<{ transaction: string; message: string }> {
  if (typeof account !== 'string' || account.length > 64)
    fail('invalid_request', { param: 'account', message: '`account` must be the address of the wallet that pays.' });
  const { session } = await requireSolana(ctx, sessionId);
  // The wallet pays the payout asset itself, whatever the customer chose before.
  await paySession(ctx, sessionId, { pay_asset: session.receiveAsset, pay_network: session.receiveNetwork }, client);
  const { transaction } = await buildTransaction(ctx, sessionId, { sender: account });
  const { merchant, amount, currency } = await presentPublicSession(ctx, await findPublicView(ctx, sessionId));
  return { transaction, message: `${amount} ${currency} to ${merchant.name ?? 'the merchant'}` };
}

async function requireSolana(ctx: Context, sessionId: string) {
  const view = await findPublicView(ctx, sessionId);
  const { session } = view;
  if (session.receiveNetwork !== 'solana' || !session.livemode)
    fail('invalid_payment_state', { message: 'Only live checkouts on Solana can be paid by a transaction request.' });
  return view;
}

/** The icon in wallets for a merchant without a logo. */
const ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><rect width="64" height="64" rx="14" fill="#1f2933"/>' +
  '<path d="M18 33l10 10 18-22" fill="none" stroke="#fff" stroke-width="6" stroke-linecap="round" stroke-linejoin="round"/></svg>';
