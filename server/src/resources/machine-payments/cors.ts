import type { FastifyInstance } from 'fastify';

/** Where a page of any origin may ask and pay for its visitor: a checkout's address is all that is needed. */
export const OPEN_PATHS = ['/checkout/:id/pay', '/pay/:id'];

const EXPOSED =
  'WWW-Authenticate, PAYMENT-REQUIRED, PAYMENT-RESPONSE, Payment-Receipt, Retry-After, Content-Location, Request-Id';
const SENT = 'Authorization, PAYMENT-SIGNATURE, Accept, Content-Type, Prefer';

/** Without `Access-Control-Allow-Credentials`, so that no cookie of ours ever travels along. */
export const CORS = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': EXPOSED,
  'cross-origin-resource-policy': 'cross-origin',
};

/** Answers the question that browsers ask before a request with a payment. */
export function servePreflights(server: FastifyInstance): void {
  const headers = {
    ...CORS,
    'access-control-allow-methods': 'GET, POST',
    'access-control-allow-headers': SENT,
    'access-control-max-age': '600',
  };
  for (const path of OPEN_PATHS) server.options(path, (_request, reply) => reply.status(204).headers(headers).send());
}
