import type { CheckoutPage } from '@quittance/web/checkout';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../../context.ts';
import { ApiError } from '../../platform/errors.ts';
import { sendPage } from '../../platform/http/page.ts';
import type { BuiltPages } from './built.ts';
import { keepLocale } from './locale.ts';
import { type Exchange, sendNotice } from './notices.ts';
import { readPage } from './read-page.ts';

export type PageRequest = FastifyRequest<{ Params: { id: string } }>;

export interface PageExchange extends Exchange {
  request: PageRequest;
}

/** The page of a session in its current state, with a message for the visitor. */
export async function showCheckout(
  ctx: Context,
  pages: BuiltPages,
  { request, reply }: PageExchange,
  shown: Partial<CheckoutPage> & { status?: number } = {},
): Promise<unknown> {
  const { page, assets, options } = await readPage(ctx, pages, request);
  const { status = 200, ...changes } = shown;
  keepLocale(request, reply, pages.renderer.locales);
  // Shows a program that opened the page where it can pay.
  reply.header('link', `<${page.links.page}/pay>; rel="payment"`);
  return sendPage(reply, pages.renderer.renderCheckout({ ...page, ...changes }, assets), { ...options, status });
}

/** Shows a page. An expected failure is shown as a page too. */
export async function withNotices(
  pages: BuiltPages,
  request: FastifyRequest,
  reply: FastifyReply,
  show: () => Promise<unknown>,
): Promise<unknown> {
  try {
    return await show();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return sendNotice(pages, error, { request, reply });
  }
}
