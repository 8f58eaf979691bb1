import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../../context.ts';
import { ApiError, fail } from '../../platform/errors.ts';
import { clientQuota } from '../../platform/http/admission/client-quota.ts';
import { type Client, clientOf, limitedClient } from '../../platform/http/admission/client.ts';
import type { Limiter } from '../../platform/http/admission/rate-limit.ts';
import { pathId } from '../../platform/http/page.ts';
import { preflightHeaders, publicHeaders } from '../../platform/http/server/headers.ts';
import { findSessionById } from '../checkout-sessions/store.ts';
import { sendFailure } from './answer.ts';
import { answerFailure, answerProgram, isFromProgram } from './door.ts';
import { payByPage, presentAuthorization } from './page-authorization.ts';
import { readCredential } from './read-credential.ts';

/** Where programs learn how to pay here. Each checkout states its amount; none is listed. */
const DISCOVERY_PATH = '/openapi.json';

/** Pages of any origin may call these paths, because the checkout's address is the only credential. */
const OPEN_PATHS = ['/checkout/:id/pay', '/pay/:id'];

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

const EXPOSED_HEADERS =
  'WWW-Authenticate, PAYMENT-REQUIRED, PAYMENT-RESPONSE, X-PAYMENT-RESPONSE, Payment-Receipt, Retry-After, ' +
  'Content-Location, Request-Id';
const REQUEST_HEADERS = 'Authorization, PAYMENT-SIGNATURE, X-PAYMENT, Accept, Content-Type, Prefer';

const CORS = publicHeaders(EXPOSED_HEADERS);

/** Answers the preflight requests of browsers. */
function servePreflights(server: FastifyInstance): void {
  const headers = { ...CORS, ...preflightHeaders(['GET', 'POST'], REQUEST_HEADERS) };
  for (const path of OPEN_PATHS) server.options(path, (_request, reply) => reply.status(204).headers(headers).send());
}

const OFFERS = [
  { intent: 'charge', method: 'evm', amount: null, description: 'A token transfer of the exact amount that is asked.' },
  { intent: 'charge', method: 'solana', amount: null, description: 'A transfer of the exact amount that is asked.' },
];

/** An OpenAPI document of the payment endpoints for programs, with the extensions of the "Payment" HTTP scheme. */
function discoveryDocument(publicUrl: string) {
  return {
    openapi: '3.1.0',
    info: { title: 'Quittance checkouts', version: '1.0.0' },
    servers: [{ url: publicUrl }],
    'x-service-info': { docs: { homepage: `${publicUrl}/docs`, apiReference: `${publicUrl}/v1/openapi.json` } },
    paths: {
      '/checkout/{id}/pay': { get: operation('payCheckout', 'Pay a checkout', 'The checkout: `cs_…`.') },
      '/pay/{id}': {
        post: {
          ...operation('payPaymentLink', 'Open a payment link and pay it', 'The payment link: `pl_…`.'),
          requestBody: { required: false, content: { 'application/json': { schema: { type: 'object' } } } },
        },
      },
    },
  };
}

function operation(operationId: string, summary: string, description: string) {
  return {
    operationId,
    summary,
    'x-payment-info': { offers: OFFERS },
    parameters: [{ name: 'id', in: 'path', required: true, description, schema: { type: 'string' } }],
    responses: {
      200: { description: 'Paid: the session and its receipt.' },
      202: { description: 'Money is on its way. Ask again after `Retry-After` seconds, and do not pay again.' },
      402: { description: 'Payment required: the challenges of both protocols.' },
      409: { description: 'Another credential for this checkout is being settled, or this one was used before.' },
      410: { description: 'The checkout is over.' },
    },
  };
}
