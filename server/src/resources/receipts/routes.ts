import { endpoints, type ReceiptJson } from '@quittance/contract';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Context } from '../../context.ts';
import { fail } from '../../platform/errors.ts';
import { publicHeaders } from '../../platform/http/server/headers.ts';
import { type Route, route } from '../../platform/http/route.ts';
import { pathId } from '../../platform/http/page.ts';
import { type Jwks, jwksPath } from '../../platform/signing/jws.ts';
import { readJwks } from '../../platform/signing/signing-keys.ts';
import type { Payment } from '../../settlement/records/payment.ts';
import { findPayment, findPaymentOfSession } from '../../settlement/records/payment-store.ts';
import { receiptFor } from './receipt-for.ts';
import { verifyReceipt, registerVerifyPage } from './verify.ts';

export const receiptRoutes: Route<Context>[] = [
  route(endpoints.getReceipt, async (ctx: Context, { caller, params }) =>
    requireReceipt(ctx, await findPayment(ctx.db, caller, params.id)),
  ),

  route(endpoints.getPublicReceipt, async (ctx: Context, { params }) =>
    requireReceipt(ctx, await findPaymentOfSession(ctx.db, params.id)),
  ),

  route(endpoints.verifyReceipt, (ctx: Context, { body }) => verifyReceipt(ctx, body.receipt), { transaction: false }),
];

/** The bytes of a session's receipt, and the public keys that verify them. */
export function registerReceiptPages(server: FastifyInstance, ctx: Context): void {
  registerVerifyPage(server);

  server.get('/checkout/:id/receipt', async (request, reply) => {
    const { jws, id } = await requireReceipt(ctx, await findPaymentOfSession(ctx.db, pathId('cs', request)));
    return reply
      .type('application/jwt')
      .headers({ 'cache-control': 'no-store', 'content-disposition': `attachment; filename="${id}.jwt"` })
      .send(jws);
  });

  for (const livemode of [true, false]) {
    server.get(jwksPath({ id: ':id', livemode }), async (request, reply) =>
      sendJwks(reply, await readJwks(ctx, { id: pathId('acc', request), livemode })),
    );
  }
  // No key signs for the whole service: a receiver that believed one would believe every account of it.
  server.get('/.well-known/jwks.json', async (_request, reply) => sendJwks(reply, { keys: [] }));
}

function sendJwks(reply: FastifyReply, jwks: Jwks): FastifyReply {
  return reply
    .type('application/jwk-set+json')
    .headers({ ...publicHeaders(), 'cache-control': 'public, max-age=60' })
    .send(JSON.stringify(jwks));
}

async function requireReceipt(ctx: Context, payment: Payment | undefined): Promise<ReceiptJson> {
  const found = payment ?? fail('not_found', { param: 'id' });
  return (
    (await receiptFor(ctx, found)) ??
    fail('invalid_payment_state', {
      message: 'There is no receipt yet: no final transfer counts for this payment.',
    })
  );
}
