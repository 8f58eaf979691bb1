import type { NoticePage } from '@quittance/web/checkout';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ApiError } from '../../platform/errors.ts';
import { headPage } from '../../platform/http/page.ts';
import type { BuiltPages } from './built.ts';
import { localeOf } from './locale.ts';

/** The merchant to contact, and the page. */
export type NoticeAbout = Pick<NoticePage, 'merchant' | 'address'>;

/** A request of a browser, and the reply to it. */
export interface Exchange {
  request: FastifyRequest;
  reply: FastifyReply;
}

/** Sends a page instead of an error envelope. */
export function sendNotice(
  pages: BuiltPages,
  error: ApiError,
  exchange: Exchange,
  about: NoticeAbout = {},
): FastifyReply {
  const { reply } = exchange;
  if (error.retryAfterSeconds !== undefined) reply.header('retry-after', String(error.retryAfterSeconds));
  return reply.send(drawNotice(pages, error, exchange, about));
}

/** The page of an error. The response has its headers already. */
export function drawNotice(
  { renderer, assets }: BuiltPages,
  error: ApiError,
  { request, reply }: Exchange,
  about: NoticeAbout = {},
): string {
  const [path = '/'] = request.url.split('?', 1);
  const notice: NoticePage = {
    kind: kindOf(error),
    locale: localeOf(request, renderer.locales),
    // The address of a form has no page.
    path: /^\/(checkout|pay|receipt|refund)\/\w+/.exec(path)?.[0] ?? '/',
    ...about,
    requestId: error.status >= 500 ? request.id : null,
  };
  headPage(reply, { status: error.status });
  return renderer.renderNotice(notice, assets);
}

function kindOf({ code, status }: ApiError): NoticePage['kind'] {
  if (code === 'link_disabled') return 'link_disabled';
  if (code === 'rate_limited') return 'busy';
  return status >= 500 ? 'unavailable' : 'not_found';
}
