import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../../context.ts';
import { ApiError, fail } from '../../platform/errors.ts';
import { clientQuota } from '../../platform/http/admission/client-quota.ts';
import { errorEnvelope } from '../../platform/http/server/errors.ts';
import type { Limiter } from '../../platform/http/admission/rate-limit.ts';
import { isId } from '../../platform/ids.ts';
import { openRelay, relay } from './relay.ts';

const REQUESTS_PER_MINUTE = 60;
/** A wallet asks twice for one payment. */
const RELAYS_PER_HOUR = 20;
const PATH = '/checkout/:id/paymaster';

type ById = FastifyRequest<{ Params: { id: string; ticket?: string } }>;

/** Wallets call this from their own pages. Credentials are not allowed. */
const CORS = { 'access-control-allow-origin': '*', 'cross-origin-resource-policy': 'cross-origin' };
const PREFLIGHT = { 'access-control-allow-methods': 'POST', 'access-control-allow-headers': 'Content-Type' };

/** The merchant's paymaster (ERC-7677). Only this service calls it, because its address contains a key. */
export function servePaymasters(server: FastifyInstance, ctx: Context, limiter: Limiter): void {
  const count = clientQuota({ limiter, profile: ctx.config.profile }, 'paymasters', REQUESTS_PER_MINUTE);
  const relays = limiter.quota('paymaster-relays', RELAYS_PER_HOUR, 3_600);
  const { origin } = new URL(ctx.config.publicUrl);

  const answering = async (request: ById, reply: FastifyReply, answer: (id: string) => Promise<object>) => {
    reply.header('cache-control', 'no-store').type('application/json; charset=utf-8');
    try {
      await count(request.ip);
      const { id } = request.params;
      return reply.send(JSON.stringify(await answer(isId('cs', id) ? id : fail('not_found'))));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.retryAfterSeconds !== undefined) reply.header('retry-after', String(error.retryAfterSeconds));
      return reply.status(error.status).send(JSON.stringify(errorEnvelope(error, request.id)));
    }
  };

  // Browsers send the origin with every POST, so no other page can get a ticket for its visitor's wallet.
  server.post(PATH, (request: ById, reply) =>
    answering(request, reply, async (id) => {
      if (request.headers.origin !== origin) fail('not_found');
      return { url: await openRelay(ctx, id) };
    }),
  );

  server.options(`${PATH}/:ticket`, (_request, reply) =>
    reply
      .status(204)
      .headers({ ...CORS, ...PREFLIGHT })
      .send(),
  );

  server.post(`${PATH}/:ticket`, (request: ById, reply) => {
    reply.headers(CORS);
    return answering(request, reply, async (id) => {
      const { allowed, retryAfterSeconds } = await relays.take(id);
      if (!allowed)
        fail('rate_limited', { message: 'This checkout asked its paymaster too often.', retryAfterSeconds });
      return (await relay(ctx, id, request.params.ticket ?? '', request.body)) as object;
    });
  });
}
