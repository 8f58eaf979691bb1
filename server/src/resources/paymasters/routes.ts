import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../../context.ts';
import { fail } from '../../platform/errors.ts';
import { clientOf } from '../../platform/http/admission/client.ts';
import { clientQuota } from '../../platform/http/admission/client-quota.ts';
import type { Limiter } from '../../platform/http/admission/rate-limit.ts';
import { preflightHeaders, publicHeaders } from '../../platform/http/server/headers.ts';
import { refuseBadText } from '../../platform/http/validation/text.ts';
import { pathId } from '../../platform/http/page.ts';
import { openRelay, relay } from './relay.ts';

const REQUESTS_PER_MINUTE = 60;
const PATH = '/checkout/:id/paymaster';

/** The merchant's paymaster (ERC-7677), reached only through this service, because its URL contains a key. */
export function servePaymasters(server: FastifyInstance, ctx: Context, limiter: Limiter): void {
  const count = clientQuota({ limiter, profile: ctx.config.profile }, 'paymasters', REQUESTS_PER_MINUTE);
  const { origin } = new URL(ctx.config.publicUrl);
  /** Wallets call this from their own pages. Browsers send no cookies with it. */
  const cors = publicHeaders('Retry-After, Request-Id');

  const answering = async (request: FastifyRequest, reply: FastifyReply, answer: (id: string) => Promise<unknown>) => {
    reply.header('cache-control', 'no-store').type('application/json; charset=utf-8');
    await count(clientOf(request));
    return reply.send(JSON.stringify(await answer(pathId('cs', request))));
  };

  // Browsers send the origin with every POST, so no other page can get a ticket for its visitor's wallet.
  server.post(PATH, (request: FastifyRequest, reply) =>
    answering(request, reply, async (id) => {
      if (request.headers.origin !== origin) fail('not_found');
      return { url: await openRelay(ctx, id) };
    }),
  );

  server.options(`${PATH}/:ticket`, (_request, reply) =>
    reply
      .status(204)
      .headers({ ...cors, ...preflightHeaders(['POST'], 'Content-Type') })
      .send(),
  );

  server.post(`${PATH}/:ticket`, (request: FastifyRequest, reply) => {
    reply.headers(cors);
    return answering(request, reply, (id) => {
      refuseBadText(request.body, 'invalid_request');
      const { body } = request;
      const { ticket = '' } = request.params as { ticket?: string };
      return relay(ctx, limiter, { sessionId: id, ticket, body, client: clientOf(request) });
    });
  });
}
