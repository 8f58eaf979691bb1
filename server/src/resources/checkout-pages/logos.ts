import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../../context.ts';
import { fail } from '../../platform/errors.ts';
import { pathId } from '../../platform/http/page.ts';
import { hashIn, ownLogoPath } from '../accounts/logos/address.ts';
import { findLogo } from '../accounts/logos/store.ts';
import { findLogoOf, type PageSettings } from './store.ts';

/** A stored logo may have 180 KiB. */
const PICTURE = { config: { cost: 5 } };

/** Serves merchants' logos from this origin, so that no other host learns who opens a checkout. */
export function serveLogos(server: FastifyInstance, ctx: Context): void {
  const showOf = (prefix: 'cs' | 'pl') => async (request: FastifyRequest, reply: FastifyReply) => {
    const found = await findLogoOf(ctx.db, pathId(prefix, request));
    const picture = (found?.logoUrl && (await pictureAt(ctx, found.logoUrl))) || fail('not_found');
    return sendPicture(reply, picture, { caching: 'private, max-age=3600', styles: "style-src 'unsafe-inline'; " });
  };
  server.get('/checkout/:id/logo', PICTURE, showOf('cs'));
  server.get('/pay/:id/logo', PICTURE, showOf('pl'));

  server.get('/logos/:hash', PICTURE, async (request, reply) => {
    const hash = hashIn(`${ctx.config.publicUrl}${request.url}`) ?? fail('not_found');
    const picture = (await findLogo(ctx.db, hash)) ?? fail('not_found');
    return sendPicture(reply, picture, { caching: 'public, max-age=86400, immutable', styles: '' });
  });
}

/** Where a page finds the logo of its merchant; `page` is its own path. */
export function logoOf(ctx: Pick<Context, 'config'>, { logoUrl }: PageSettings, page: string): string | null {
  return logoUrl === null ? null : (ownLogoPath(ctx.config.publicUrl, logoUrl) ?? `${page}/logo`);
}

/** A picture that is stored here is never fetched, also after the service was given another host name. */
async function pictureAt(ctx: Context, url: string) {
  const hash = hashIn(url);
  return (hash !== null && (await findLogo(ctx.db, hash))) || ctx.pictures.fetch(url);
}

function sendPicture(
  reply: FastifyReply,
  { type, bytes }: { type: string; bytes: Buffer },
  { caching, styles }: { caching: string; styles: string },
): FastifyReply {
  return reply
    .type(type)
    .headers({
      'cache-control': caching,
      // Opened by itself, an SVG could otherwise run scripts. It may have styles.
      'content-security-policy': `default-src 'none'; ${styles}sandbox`,
    })
    .send(bytes);
}
