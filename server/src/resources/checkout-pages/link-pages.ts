import type { LinkPage } from '@quittance/web/checkout';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../../context.ts';
import { ApiError, fail } from '../../platform/errors.ts';
import { objectQuota } from '../../platform/http/admission/client-quota.ts';
import { type Client, clientOf } from '../../platform/http/admission/client.ts';
import { makeClaim } from '../../platform/http/idempotency/claim.ts';
import { Idempotency } from '../../platform/http/idempotency/idempotency.ts';
import { drawn, pathId, sendPage } from '../../platform/http/page.ts';
import type { Limiter } from '../../platform/http/admission/rate-limit.ts';
import { isId, newId } from '../../platform/ids.ts';
import { type MachineDoor, refuseVisit } from '../machine-payments/routes.ts';
import { LINK_QUOTA, openLink } from '../payment-links/open.ts';
import { findLinkForOpening } from '../payment-links/store.ts';
import type { Visitor } from '../payment-links/visitor.ts';
import { canonicalJson } from '../../platform/canonical-json.ts';
import { sha256 } from '../../platform/secrets.ts';
import { brandedAssets } from './brand.ts';
import type { BuiltPages } from './built.ts';
import { estimate } from './estimate.ts';
import { bodyOf } from './forms.ts';
import { readVisitor, refusedFields } from './link-form.ts';
import { keepLocale, localeOf } from './locale.ts';
import { logoOf } from './logos.ts';
import { sendNotice } from './notices.ts';
import { PAGE, type PageExchange, withNotices } from './show.ts';
import { findLinkPage } from './store.ts';
import { visitorCurrency } from './visitor-currency.ts';

const OPENED_PER_MINUTE = 30;
/** Stands in a drawn page for the key of the visit. No merchant can know it. */
const ANY_VISIT = newId('req');

/** Payment links: a visit creates nothing; the button opens one session per visit, however often it is pressed. */
export function serveLinkPages(
  server: FastifyInstance,
  ctx: Context,
  pages: BuiltPages,
  { limiter, door }: { limiter: Limiter; door: MachineDoor },
): void {
  const quota = limiter.quota('open-link', OPENED_PER_MINUTE, 60);
  const countLink = objectQuota({ limiter, profile: ctx.config.profile }, LINK_QUOTA);
  const idempotency = new Idempotency(ctx.db, ctx.secrets);

  const countOpening = async (client: Client) => {
    const verdict = await quota.take(client);
    if (!verdict.allowed) throw new ApiError('rate_limited', { retryAfterSeconds: verdict.retryAfterSeconds });
  };

  server.post('/pay/:id', (request, reply) =>
    door.answerLink(request, reply, async () => {
      await countOpening(clientOf(request));
      const id = pathId('pl', request);
      await countLink?.(id, clientOf(request));
      const now = await ctx.db.now();
      return ctx.db.transaction(async (db) => (await openLink(db, id, now, null)).session.id);
    }),
  );

  server.get('/pay/:id', PAGE, (request, reply) =>
    withNotices(pages, request, reply, async () =>
      door.isFor(request) ? refuseVisit(reply) : showLink(ctx, pages, { request, reply }),
    ),
  );

  server.post('/pay/:id/open', (request, reply) =>
    withNotices(pages, request, reply, async () => {
      const id = pathId('pl', request);
      await countOpening(clientOf(request));
      await countLink?.(id, clientOf(request));

      const { idempotency_key: key, ...typed } = bodyOf(request);
      const { link } = (await findLinkForOpening(ctx.db, id)) ?? fail('not_found');
      try {
        const visitor = readVisitor(link, typed);
        const now = await ctx.db.now();
        const open = async (db: Parameters<typeof openLink>[0]) => (await openLink(db, id, now, visitor)).session.id;
        const sessionId =
          key && isId('req', key)
            ? await openOnce(idempotency, { key, visitor, path: `/pay/${id}/open`, requestId: request.id, now }, open)
            : await ctx.db.transaction(open);
        return reply.redirect(`/checkout/${sessionId}`, 303);
      } catch (error) {
        // The checkout's own page shows this, with the merchant's contact.
        if (error instanceof ApiError && error.code === 'link_disabled') return reply.redirect(`/pay/${id}`, 303);
        if (error instanceof ApiError && error.code === 'invalid_request' && error.param !== null)
          return showLink(ctx, pages, { request, reply }, { typed, refused: refusedFields(link, typed, error.param) });
        throw error;
      }
    }),
  );
}

/** What was typed into the form, and the fields that were refused. It is shown to its visitor alone. */
type Refused = Pick<LinkPage, 'typed' | 'refused'>;

async function showLink(
  ctx: Context,
  pages: BuiltPages,
  { request, reply }: PageExchange,
  refused?: Refused,
): Promise<unknown> {
  const id = pathId('pl', request);
  const url = `${ctx.config.publicUrl}/pay/${id}`;
  const link = await findLinkPage(ctx.db, id, await ctx.db.now());
  if (!link) fail('not_found');
  if (!link.active) {
    const about = { merchant: link.merchant, address: url };
    return sendNotice(pages, new ApiError('link_disabled'), { request, reply }, about);
  }
  keepLocale(request, reply, pages.renderer.locales);
  const locale = localeOf(request, pages.renderer.locales);
  const currency = visitorCurrency(request.headers['accept-language']);
  const about = link.page.openAmount ? null : await estimate(ctx.prices, link.page, { currency, locale });
  const draw = async () => {
    const logo = logoOf(ctx, link.settings, `/pay/${id}`);
    const html = pages.renderer.renderPaymentLink(
      { ...link.page, ...refused, url, logo, locale, estimate: about, idempotencyKey: ANY_VISIT },
      brandedAssets(pages, link.settings.brand),
    );
    return drawn(html, { frameParents: link.settings.frameParents, ...(refused && { status: 400 }) });
  };
  const page = refused
    ? await draw()
    : await ctx.caches.pages.get(`link ${locale} ${about} ${JSON.stringify(link)}`, draw);
  return sendPage(reply, page.html.text.replaceAll(ANY_VISIT, newId('req')), page.options);
}

interface Visit {
  key: string;
  visitor: Visitor;
  path: string;
  requestId: string;
  now: Date;
}

/**
 * The session that this visit's button opened, now or earlier. Who went back and said something else, such as another
 * amount, opens another one.
 */
async function openOnce(
  idempotency: Idempotency,
  { key, visitor, path, requestId, now }: Visit,
  open: (db: Parameters<typeof openLink>[0]) => Promise<string>,
): Promise<string> {
  const claim = makeClaim({
    accountId: path,
    livemode: true,
    key: `${key} ${sha256(canonicalJson(visitor)).toString('base64url')}`,
    requestId,
    method: 'POST',
    path,
    body: undefined,
    now,
  });
  const { body } = await idempotency.inTransaction(claim, async (db) => ({
    status: 303,
    body: Buffer.from(await open(db)),
  }));
  return body.toString();
}
