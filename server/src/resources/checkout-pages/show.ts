import { drawn, pathId, sendDrawn } from '../../platform/http/page.ts';
import type { CheckoutPage } from '@quittance/web/checkout';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../../context.ts';
import { ApiError } from '../../platform/errors.ts';
import { sharedAnswer } from '../checkout-sessions/public-session.ts';
import type { BuiltPages } from './built.ts';
import { estimate } from './estimate.ts';
import { keepLocale } from './locale.ts';
import { type Exchange, sendNotice } from './notices.ts';
import { readPage, viewOf } from './read-page.ts';
import { visitorCurrency } from './visitor-currency.ts';

/** A page is drawn in several milliseconds, in which no other request is answered. */
export const PAGE = { config: { cost: 5 } };

export interface PageExchange extends Exchange {
  request: FastifyRequest;
}

/** The page of a session in its current state, with a message for the visitor. */
export async function showCheckout(
  ctx: Context,
  pages: BuiltPages,
  { request, reply }: PageExchange,
  shown: Partial<CheckoutPage> & { status?: number } = {},
): Promise<unknown> {
  const { status = 200, ...changes } = shown;
  const currency = visitorCurrency(request.headers['accept-language']);
  const draw = async () => {
    const { page, assets, options } = await readPage(ctx, pages, request);
    const about = await estimate(ctx.prices, page.session, { currency, locale: page.locale });
    return drawn(pages.renderer.renderCheckout({ ...page, estimate: about, ...changes }, assets), {
      ...options,
      status,
    });
  };
  const id = pathId('cs', request);
  // What a visitor typed is shown to them alone.
  const page =
    Object.keys(shown).length > 0
      ? await draw()
      : await sharedAnswer(
          ctx,
          ctx.caches.pages,
          { id, variant: `checkout ${currency} ${viewOf(pages, request)}` },
          draw,
        );
  keepLocale(request, reply, pages.renderer.locales);
  // Shows a program that opened the page where it can pay.
  reply.header('link', `<${ctx.config.publicUrl}/checkout/${id}/pay>; rel="payment"`);
  return sendDrawn(reply, page);
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
