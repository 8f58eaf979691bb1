import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../../context.ts';
import { ApiError, fail } from '../../platform/errors.ts';
import { type Client, clientOf, limitedClient } from '../../platform/http/admission/client.ts';
import { clientQuota } from '../../platform/http/admission/client-quota.ts';
import type { Limiter } from '../../platform/http/admission/rate-limit.ts';
import { pathId } from '../../platform/http/path-id.ts';
import { findSessionById } from '../checkout-sessions/store.ts';
import { sendFailure } from './answer.ts';
import { CORS, OPEN_PATHS, servePreflights } from './cors.ts';
import { DISCOVERY_PATH, discoveryDocument } from './discovery.ts';
import { answerFailure, answerProgram, isFromProgram } from './door.ts';
import { payByPage, presentAuthorization } from './page-authorization.ts';
import { readCredential } from './read-credential.ts';

/** The same limit as for the page's forms. */
const REQUESTS_PER_MINUTE = 60;

/** The handlers for programs: at their own path, and at the addresses of the pages. */
export interface MachineDoor {
  isFor(request: FastifyRequest): boolean;
  /** Answers for a session. */
  answer(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply>;
  /** Answers for a payment link: opens a session, or finds the session of the credential. */
  answerLink(request: FastifyRequest, reply: FastifyReply, open: () => Promise<string>): Promise<FastifyReply>;
}

export function serveMachineDoor(server: FastifyInstance, ctx: Context, limiter: Limiter): MachineDoor {
  const count = clientQuota({ limiter, profile: ctx.config.profile }, 'machine-payments', REQUESTS_PER_MINUTE);

  async function answerFor(request: FastifyRequest, reply: FastifyReply, sessionId: string): Promise<FastifyReply> {
    reply.header('content-location', `/checkout/${sessionId}/pay`);
    return answerProgram(ctx, request, reply, sessionId);
  }

  const door: MachineDoor = {
    isFor: isFromProgram,
    async answer(request, reply) {
      if (OPEN_PATHS.includes(request.routeOptions.url ?? '')) reply.headers(CORS);
      try {
        await count(clientOf(request));
        return await answerFor(request, reply, pathId('cs', request));
      } catch (error) {
        return answerFailure(ctx, reply, error);
      }
    },
    async answerLink(request, reply, open) {
      reply.headers(CORS);
      try {
        await count(clientOf(request));
        const linkId = pathId('pl', request);
        const named = readCredential(ctx, request)?.sessionId;
        if (!named) return await answerFor(request, reply, await open());
        const found = await findSessionById(ctx.db, named);
        if (found?.session.paymentLinkId !== linkId) fail('not_found');
        return await answerFor(request, reply, named);
      } catch (error) {
        return answerFailure(ctx, reply, error);
      }
    },
  };

  server.get('/checkout/:id/pay', (request: FastifyRequest, reply) => door.answer(request, reply));
  server.post('/checkout/:id', (request: FastifyRequest, reply) => door.answer(request, reply));
  server.get(DISCOVERY_PATH, (_request, reply) =>
    reply
      .header('cache-control', 'public, max-age=3600')
      .type('application/json; charset=utf-8')
      .send(JSON.stringify(discoveryDocument(ctx.config.publicUrl))),
  );
  servePreflights(server);
  servePageAuthorization(server, ctx, count);
  return door;
}

/** Payment by a signature on the checkout page: what to sign, and the signature. Expected failures are problems. */
function servePageAuthorization(
  server: FastifyInstance,
  ctx: Context,
  count: (client: Client) => Promise<unknown>,
): void {
  const path = '/checkout/:id/authorization';
  const answering = async (request: FastifyRequest, reply: FastifyReply, answer: (id: string) => Promise<object>) => {
    reply.header('cache-control', 'no-store').type('application/json; charset=utf-8');
    try {
      await count(clientOf(request));
      return reply.send(JSON.stringify(await answer(pathId('cs', request))));
    } catch (error) {
      return answerFailure(ctx, reply, error);
    }
  };
  server.get(path, (request: FastifyRequest, reply) =>
    answering(request, reply, (id) =>
      presentAuthorization(
        ctx,
        id,
        (request.query as { payer?: unknown }).payer,
        limitedClient(ctx.config, clientOf(request)),
      ),
    ),
  );
  server.post(path, (request: FastifyRequest, reply) =>
    answering(request, reply, (id) => payByPage(ctx, id, request.body, clientOf(request))),
  );
}

/** A visit to a link opens no session, for programs either. */
export function refuseVisit(reply: FastifyReply): FastifyReply {
  reply.header('allow', 'POST');
  return sendFailure(
    reply,
    new ApiError('method_not_allowed', { message: 'Send POST to this address: that opens a checkout to pay.' }),
  );
}
