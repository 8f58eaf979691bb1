import { fileURLToPath } from 'node:url';
import formbody from '@fastify/formbody';
import files from '@fastify/static';
import { TEST_ACTIONS, type TestAction } from '@quittance/contract';
import type { CheckoutPage } from '@quittance/web/checkout';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../../context.ts';
import { readClock } from '../../platform/db/clock.ts';
import { ApiError } from '../../platform/errors.ts';
import { type PageOptions, sendPage } from '../../platform/http/page.ts';
import { newId, isId } from '../../platform/ids.ts';
import { paySession, type PayRequest } from '../checkout-sessions/pay.ts';
import { findPublicView, presentPublicSession } from '../checkout-sessions/public-session.ts';
import { submitTransaction } from '../checkout-sessions/submit-transaction.ts';
import { actOnTestSession } from '../test-helpers/act.ts';
import { openLink } from '../payment-links/open.ts';
import { findLinkPage, findPageSettings } from './store.ts';
import { ASSETS_PATH, type BuiltPages, loadBuiltPages } from './built.ts';
import { localeOf } from './locale.ts';

type PageRequest = FastifyRequest<{ Params: { id: string } }>;
type Form = Record<string, string | undefined>;

/** The pages that customers see. Every one works by links and forms alone; the script only makes them quicker. */
export async function registerCheckoutPages(server: FastifyInstance, ctx: Context): Promise<void> {
  const pages = await loadBuiltPages();
  await server.register(formbody, { bodyLimit: 16 * 1024 });
  await server.register(files, { root: fileURLToPath(pages.folder), prefix: ASSETS_PATH, index: false, immutable: true, maxAge: '1y' });

  server.get('/checkout/:id', (request: PageRequest, reply) => withNotices(pages, request, reply, () => showCheckout(ctx, pages, request, reply)));

  server.post('/checkout/:id/pay', (request: PageRequest, reply) => withNotices(pages, request, reply, async () => {
    const form = request.body as Form;
    return formOf(ctx, pages, request, reply, form, () => paySession(ctx, request.params.id, {
      pay_asset: form.asset ?? '', pay_network: form.network ?? '',
      ...(form.refund_address !== undefined && { refund_address: form.refund_address.trim() }),
    } satisfies PayRequest));
  }));

  server.post('/checkout/:id/transactions', (request: PageRequest, reply) => withNotices(pages, request, reply, async () => {
    const form = request.body as Form;
    return formOf(ctx, pages, request, reply, form, () => submitTransaction(ctx, request.params.id, { tx_hash: form.tx_hash?.trim() ?? '' }));
  }));

  server.post('/checkout/:id/test', (request: PageRequest, reply) => withNotices(pages, request, reply, async () => {
    const { action } = request.body as Form;
    if (!isTestAction(action)) throw new ApiError('invalid_request', { param: 'action' });
    return formOf(ctx, pages, request, reply, {}, () => actOnTestSession(ctx, request.params.id, action));
  }));

  server.get('/receipt/:id', (request: PageRequest, reply) => withNotices(pages, request, reply, async () => {
    const { page, options } = await readPage(ctx, pages, request);
    return sendPage(reply, pages.renderer.renderReceipt(page, pages.assets), options);
  }));

  server.get('/pay/:id', (request: PageRequest, reply) => withNotices(pages, request, reply, async () => {
    const link = isId('pl', request.params.id) ? await findLinkPage(ctx.db, request.params.id) : undefined;
    if (!link) throw new ApiError('not_found');
    if (!link.active) throw new ApiError('link_disabled');
    const html = pages.renderer.renderPaymentLink({ ...link, locale: localeOf(request, pages.renderer.locales), idempotencyKey: newId('req') }, pages.assets);
    return sendPage(reply, html, { imageOrigins: originsOf(link.merchant.logo_url) });
  }));

  server.post('/pay/:id/open', (request: PageRequest, reply) => withNotices(pages, request, reply, async () => {
    const { id } = request.params;
    if (!isId('pl', id)) throw new ApiError('not_found');
    const { session } = await ctx.db.transaction(async (db) => openLink(ctx, db, id, await readClock(db)));
    return reply.redirect(`/checkout/${session.id}`, 303);
  }));
}

async function showCheckout(ctx: Context, pages: BuiltPages, request: PageRequest, reply: FastifyReply, told: Partial<CheckoutPage> & { status?: number } = {}) {
  const { page, options } = await readPage(ctx, pages, request);
  const { status = 200, ...changes } = told;
  return sendPage(reply, pages.renderer.renderCheckout({ ...page, ...changes }, pages.assets), { ...options, status });
}

/** Does what a form asks and shows the page again; what was refused is said on it, with what was typed kept. */
async function formOf(ctx: Context, pages: BuiltPages, request: PageRequest, reply: FastifyReply, form: Form, act: () => Promise<unknown>) {
  try {
    await act();
  } catch (error) {
    if (!(error instanceof ApiError) || error.code === 'not_found') throw error;
    const isRefund = form.refund_address !== undefined;
    return showCheckout(ctx, pages, request, reply, {
      status: error.status, error: error.message, refundAddress: form.refund_address ?? '',
      ...(isRefund && { choice: { asset: form.asset ?? '', network: form.network ?? '' } }),
    });
  }
  return reply.redirect(`/checkout/${request.params.id}`, 303);
}

async function readPage(ctx: Context, pages: BuiltPages, request: PageRequest): Promise<{ page: CheckoutPage; options: PageOptions }> {
  const { id } = request.params;
  if (!isId('cs', id)) throw new ApiError('not_found');
  const view = await findPublicView(ctx, id);
  const [session, settings] = await Promise.all([presentPublicSession(ctx, view), findPageSettings(ctx.db, view.session.accountId)]);
  const query = request.query as { view?: string; asset?: string; network?: string };
  const offered = session.options.find((option) => option.kind === 'routed' && option.asset === query.asset && option.network === query.network);
  const filled = (url: string | null) => url?.replaceAll('{CHECKOUT_SESSION_ID}', encodeURIComponent(id)) ?? null;
  return {
    page: {
      session,
      locale: localeOf(request, pages.renderer.locales),
      view: query.view === 'choose' ? 'choose' : 'auto',
      choice: offered ? { asset: offered.asset, network: offered.network } : null,
      refundAddress: '',
      error: null,
      returnUrl: session.status === 'paid' ? filled(view.session.successUrl) : null,
      cancelUrl: filled(view.session.cancelUrl),
      pageUrl: `${ctx.config.publicUrl}/checkout/${id}`,
    },
    options: { frameParents: settings.frameParents, imageOrigins: originsOf(session.merchant.logo_url) },
  };
}

/** What is not there, or cannot be shown, has a page of its own instead of an envelope. */
async function withNotices(pages: BuiltPages, request: FastifyRequest, reply: FastifyReply, show: () => Promise<unknown>): Promise<unknown> {
  try {
    return await show();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const kind = error.code === 'not_found' ? 'not_found' : error.code === 'link_disabled' ? 'link_disabled' : 'unavailable';
    return sendPage(reply, pages.renderer.renderNotice({ locale: localeOf(request, pages.renderer.locales), kind }, pages.assets), { status: error.status });
  }
}

function isTestAction(action: string | undefined): action is TestAction {
  return (TEST_ACTIONS as readonly (string | undefined)[]).includes(action);
}

function originsOf(url: string | null): string[] {
  return url && URL.canParse(url) ? [new URL(url).origin] : [];
}
