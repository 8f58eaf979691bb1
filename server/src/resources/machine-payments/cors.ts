import type { FastifyInstance } from 'fastify';
import { preflightHeaders, publicHeaders } from '../../platform/http/server/headers.ts';

/** Pages of any origin may call these paths, because the checkout's address is the only credential. */
export const OPEN_PATHS = ['/checkout/:id/pay', '/pay/:id'];

const EXPOSED_HEADERS =
  'WWW-Authenticate, PAYMENT-REQUIRED, PAYMENT-RESPONSE, Payment-Receipt, Retry-After, Content-Location, Request-Id';
const REQUEST_HEADERS = 'Authorization, PAYMENT-SIGNATURE, Accept, Content-Type, Prefer';

export const CORS = publicHeaders(EXPOSED_HEADERS);

/** Answers the preflight requests of browsers. */
export function servePreflights(server: FastifyInstance): void {
  const headers = { ...CORS, ...preflightHeaders(['GET', 'POST'], REQUEST_HEADERS) };
  for (const path of OPEN_PATHS) server.options(path, (_request, reply) => reply.status(204).headers(headers).send());
}
