import { drawn, pathId, sendDrawn, type DrawnPage } from '../../platform/http/page.ts';
import { fileURLToPath } from 'node:url';
import formbody from '@fastify/formbody';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Context } from '../../context.ts';
import { serveFiles } from '../../platform/http/files.ts';
import { clientOf, limitedClient } from '../../platform/http/admission/client.ts';
import type { Limiter } from '../../platform/http/admission/rate-limit.ts';
import { findPublicView, sharedAnswer } from '../checkout-sessions/public-session.ts';
import { hasReceipt } from '../receipts/receipt-for.ts';
import { serveBrands } from './brand.ts';
import { ASSETS_PATH, type BuiltPages } from './built.ts';
import { conversionPrice } from './conversion-price.ts';
import { serveForms } from './forms.ts';
import { serveLinkPages } from './link-pages.ts';
import { serveLogos } from './logos.ts';
import { keepLocale } from './locale.ts';
import { serveMachineDoor } from '../machine-payments/routes.ts';
import { servePaymasters } from '../paymasters/routes.ts';
import { serveSolanaPay } from '../solana-pay/routes.ts';
import { chosenIn, readPage, viewOf } from './read-page.ts';
import { PAGE, showCheckout, withNotices } from './show.ts';
import { findReceiptDetails } from './store.ts';

/** The pages that customers see. Each works by links and forms alone; the script only makes them quicker. */
export async function registerCheckoutPages(
  server: FastifyInstance,
  ctx: Context,
  pages: BuiltPages,
  limiter: Limiter,
): Promise<void> {
  await server.register(formbody, { bodyLimit: 16 * 1024 });
  await serveFiles(server, { root: fileURLToPath(pages.folder), prefix: ASSETS_PATH });
  serveBrands(server, pages);
  serveLogos(server, ctx);
  const door = serveMachineDoor(server, ctx, limiter);
  serveSolanaPay(server, ctx, limiter);
  servePaymasters(server, ctx, limiter);
  serveForms(server, ctx, pages, { limiter, door });
  serveLinkPages(server, ctx, pages, { limiter, door });

  server.get('/embed.js', (_request, reply) =>
    reply
      .type('text/javascript; charset=utf-8')
      .headers({ 'cache-control': 'public, max-age=3600', 'cross-origin-resource-policy': 'cross-origin' })
      .send(pages.embedScript),
  );

  server.get('/checkout/:id', PAGE, (request, reply) =>
    door.isFor(request)
      ? door.answer(request, reply)
      : withNotices(pages, request, reply, () => showCheckout(ctx, pages, { request, reply })),
  );

  // For the page's script, where no provider answered while the page was read.
  server.get('/checkout/:id/price', PAGE, (request, reply) =>
    withNotices(pages, request, reply, async () => {
      const view = await findPublicView(ctx, pathId('cs', request));
      const { asset = '', network = '' } = chosenIn(request);
      const client = limitedClient(ctx.config, clientOf(request));
      const price = await conversionPrice(ctx, view, { asset, network }, client);
      return reply.header('cache-control', 'no-store').send({ price });
    }),
  );

  server.get('/receipt/:id', PAGE, (request, reply) =>
    withNotices(pages, request, reply, async () => {
      const id = pathId('cs', request);
      const variant = `receipt ${viewOf(pages, request)}`;
      const page = await sharedAnswer(ctx, ctx.caches.pages, { id, variant }, () => drawReceipt(ctx, pages, request));
      keepLocale(request, reply, pages.renderer.locales);
      return sendDrawn(reply, page);
    }),
  );
}

async function drawReceipt(ctx: Context, pages: BuiltPages, request: FastifyRequest): Promise<DrawnPage> {
  const { page, view, assets, options } = await readPage(ctx, pages, request);
  const { id } = view.session;
  const receipt = {
    url: `${ctx.config.publicUrl}/receipt/${id}`,
    paidAt: view.payment.paidAt?.toISOString() ?? null,
    signedUrl: (await hasReceipt(ctx, view.payment)) ? `/checkout/${id}/receipt` : null,
    details: await findReceiptDetails(ctx.db, view.session.accountId),
  };
  return drawn(pages.renderer.renderReceipt({ ...page, orderId: view.session.orderId }, receipt, assets), options);
}
