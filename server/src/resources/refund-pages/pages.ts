import type { RefundPage } from '@quittance/web/checkout';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Context } from '../../context.ts';
import { ApiError } from '../../platform/errors.ts';
import { clientOf, limitedClient } from '../../platform/http/admission/client.ts';
import { clientQuota, objectQuota } from '../../platform/http/admission/client-quota.ts';
import type { Limiter } from '../../platform/http/admission/rate-limit.ts';
import { sendPage } from '../../platform/http/page.ts';
import { formatDisplayAmount } from '../../platform/money.ts';
import { presentUnits } from '../../settlement/records/present-payment.ts';
import { signingFamilyOf } from '../accounts/signed-by-wallet.ts';
import { findAccount } from '../accounts/store.ts';
import { brandedAssets } from '../checkout-pages/brand.ts';
import type { BuiltPages } from '../checkout-pages/built.ts';
import { bodyOf } from '../checkout-pages/forms.ts';
import { keepLocale, localeOf } from '../checkout-pages/locale.ts';
import { logoOf } from '../checkout-pages/logos.ts';
import { PAGE, type PageExchange, withNotices } from '../checkout-pages/show.ts';
import { findPageSettings } from '../checkout-pages/store.ts';
import { answerLink, type AskedRefund, findAskedRefund, refundText, reviewTyped } from '../refunds/answer-link.ts';
import { findPayers } from '../refunds/payers.ts';
import { linkStatusOf } from '../refunds/refund.ts';

/** Each answer may look an address up on its network, or ask contract wallets about a signature. */
const ANSWERS_PER_MINUTE = 20;
const QUOTA = {
  name: 'refund-link',
  perMinute: 30,
  perClient: 10,
  message: 'Too many answers to this link. Try again in a minute.',
  messageToClient: 'Too many answers to this link from you. Try again in a minute.',
};

/** Where a customer names the address of their refund. Opening the page changes nothing, as often as it is opened. */
export function serveRefundPages(server: FastifyInstance, ctx: Context, pages: BuiltPages, limiter: Limiter): void {
  const needs = { limiter, profile: ctx.config.profile };
  const count = clientQuota(needs, 'refund-answers', ANSWERS_PER_MINUTE);
  const countLink = objectQuota(needs, QUOTA);

  server.get('/refund/:token', PAGE, (request, reply) =>
    withNotices(pages, request, reply, async () =>
      showRefund(ctx, pages, { request, reply }, { asked: await findAskedRefund(ctx, tokenOf(request)) }),
    ),
  );

  server.post('/refund/:token', PAGE, (request, reply) =>
    withNotices(pages, request, reply, async () => {
      const token = tokenOf(request);
      await count(clientOf(request));
      const asked = await findAskedRefund(ctx, token);
      await countLink?.(asked.refund.id, clientOf(request));
      const { address = '', signature = null, review, change } = bodyOf(request);
      const client = limitedClient(ctx.config, clientOf(request)) ?? clientOf(request);
      const typed = signature === null ? address.trim() : '';
      if (change !== undefined) return showRefund(ctx, pages, { request, reply }, { asked, typed });
      try {
        if (review !== undefined && stageOf(asked, await ctx.db.now()) === 'ask') {
          const shown = { asked, review: await reviewTyped(ctx, asked, { address, client }) };
          return await showRefund(ctx, pages, { request, reply }, shown);
        }
        if ((await answerLink(ctx, asked, { address, signature, client })) === 'taken')
          return reply.redirect(`/refund/${token}`, 303);
        const now = { asked: await findAskedRefund(ctx, token), error: 'used' as const, status: 409 };
        return await showRefund(ctx, pages, { request, reply }, now);
      } catch (error) {
        const refused = error instanceof ApiError ? errorOf(error) : undefined;
        if (refused === undefined) throw error;
        return showRefund(ctx, pages, { request, reply }, { asked, error: refused, typed, status: 400 });
      }
    }),
  );
}

/** Whatever has another form is looked up as little as an unknown token. */
function tokenOf({ params }: FastifyRequest): string {
  return (params as { token: string }).token;
}

function errorOf({ code, param }: ApiError): RefundPage['error'] | undefined {
  if (code === 'invalid_signature') return 'wallet';
  if (code !== 'invalid_refund') return code === 'service_unavailable' ? 'busy' : undefined;
  return param === 'recipient' ? 'recipient' : 'address';
}

async function showRefund(
  ctx: Context,
  pages: BuiltPages,
  { request, reply }: PageExchange,
  shown: { asked: AskedRefund; error?: RefundPage['error']; typed?: string; review?: string; status?: number },
): Promise<unknown> {
  const { refund, payment } = shown.asked;
  const [account, settings, now] = await Promise.all([
    findAccount(ctx.db, payment.accountId),
    findPageSettings(ctx.db, payment.accountId),
    ctx.db.now(),
  ]);
  const stage = stageOf(shown.asked, now);
  keepLocale(request, reply, pages.renderer.locales);
  const page: RefundPage = {
    locale: localeOf(request, pages.renderer.locales),
    path: `/refund/${tokenOf(request)}`,
    merchant: {
      name: account?.name ?? null,
      logo_url: settings.logoUrl,
      support_email: account?.supportEmail ?? null,
      support_url: account?.supportUrl ?? null,
    },
    logo: payment.sessionId ? logoOf(ctx, settings, `/checkout/${payment.sessionId}`) : null,
    livemode: refund.livemode,
    amount: formatDisplayAmount(refund.amountMinor),
    currency: refund.currency,
    description: payment.description,
    orderId: payment.orderId,
    coinAmount: presentUnits(refund.amountUnits, refund.asset, refund.network),
    asset: refund.asset,
    network: refund.network,
    stage,
    address: refund.toAddress ?? refund.link.address,
    txHash: refund.txHash,
    expiresAt: refund.link.expiresAt.toISOString(),
    typed: shown.typed ?? '',
    review: shown.review ?? null,
    error: shown.error ?? null,
    sign: stage === 'ask' ? await readSign(ctx, shown.asked) : null,
  };
  const html = pages.renderer.renderRefund(page, brandedAssets(pages, settings.brand));
  return sendPage(reply, html, { status: shown.status ?? 200 });
}

/** Wallets hold real money, which a test must not ask for. */
async function readSign(ctx: Context, { refund, payment }: AskedRefund): Promise<RefundPage['sign']> {
  const family = signingFamilyOf(refund.network);
  const payers = family && refund.livemode ? await findPayers(ctx.db, payment, refund) : [];
  return family && payers.length > 0 ? { family, payers, text: refundText(ctx, refund, '{address}') } : null;
}

function stageOf({ refund }: AskedRefund, now: Date): RefundPage['stage'] {
  switch (refund.status) {
    case 'requested':
      if (linkStatusOf(refund) === 'answered') return 'named';
      return refund.link.expiresAt > now ? 'ask' : 'closed';
    case 'planned':
    case 'sent':
      return refund.status;
    case 'final':
      return 'returned';
    case 'failed':
    case 'cancelled':
      return 'closed';
  }
}
