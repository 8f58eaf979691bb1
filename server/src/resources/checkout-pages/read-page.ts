import type { CheckoutPage, PageAssets, PageLinks, PublicSession } from '@quittance/web/checkout';
import { PAY_ASSETS } from '@quittance/contract';
import type { FastifyRequest } from 'fastify';
import type { Context } from '../../context.ts';
import { clientOf, limitedClient } from '../../platform/http/admission/client.ts';
import type { PageOptions } from '../../platform/http/page.ts';
import { pathId } from '../../platform/http/page.ts';
import { SECOND_MS, within } from '../../platform/time.ts';
import { findPublicView, presentPublicSession, type PublicView } from '../checkout-sessions/public-session.ts';
import { noteWaiting } from '../checkout-sessions/note-waiting.ts';
import { fillIn } from '../checkout-sessions/redirect-url.ts';
import type { CheckoutSession } from '../checkout-sessions/session.ts';
import { findContinued } from '../checkout-sessions/try-store.ts';
import { isAuthorized, takesSignature } from '../machine-payments/page-authorization.ts';
import { hasHints } from '../../settlement/attribution/hint-store.ts';
import { presentUnits } from '../../settlement/records/present-payment.ts';
import { isUnsent, type StoredRefund } from '../refunds/refund.ts';
import { findRefundsOf } from '../refunds/store.ts';
import { brandedAssets } from './brand.ts';
import type { BuiltPages } from './built.ts';
import { localeOf } from './locale.ts';
import { logoOf } from './logos.ts';
import { conversionPrice } from './conversion-price.ts';
import { findPageSettings } from './store.ts';

/** A checkout page before it is drawn. */
export interface ReadPage {
  page: CheckoutPage;
  view: PublicView;
  assets: PageAssets;
  options: PageOptions;
}

/** A page does not wait longer than this for a provider. */
const PRICE_TIMEOUT_MS = 1.5 * SECOND_MS;

const VIEWS = ['choose', 'noticed', 'exchange'];

interface ViewQuery {
  view?: string;
  asset?: string;
  network?: string;
}

/** All of a request that `readPage` reads, beside the session's id. */
export function viewOf({ renderer }: BuiltPages, request: FastifyRequest): string {
  const { view, asset, network } = chosenIn(request);
  return JSON.stringify([localeOf(request, renderer.locales), view, asset, network]);
}

/** What a request chooses. What names nothing is left out, so that made-up texts are not views of their own. */
export function chosenIn({ query }: FastifyRequest): ViewQuery {
  const { view, asset, network } = query as ViewQuery;
  const isKnown = PAY_ASSETS.some((known) => known.asset === asset && known.network === network);
  return { ...(VIEWS.includes(view ?? '') && { view }), ...(isKnown && { asset, network }) };
}

/**
 * Everything that the page of a session shows. What it reads of the request is named by `viewOf`, but for the client whose
 * share of previews a price takes.
 */
export async function readPage(ctx: Context, pages: BuiltPages, request: FastifyRequest): Promise<ReadPage> {
  const id = pathId('cs', request);
  const view = await findPublicView(ctx, id);
  // Without a script, a page that is loaded again and again is the only sign of a customer who waits.
  await noteWaiting(ctx, view);
  const { status } = view.payment;
  const isOver = ['expired', 'failed', 'refund_required'].includes(status);
  const [session, settings, gasless, authorized, refunds, hinted, retry] = await Promise.all([
    presentPublicSession(ctx, view),
    findPageSettings(ctx.db, view.session.accountId),
    takesSignature(ctx, view),
    isAuthorized(ctx, view.payment),
    view.payment.refunds.ids.length > 0 ? findRefundsOf(ctx.db, view.payment) : [],
    ['created', 'pending', 'expired'].includes(status) && hasHints(ctx.db, view.payment.id),
    isOver ? findContinued(ctx.db, id) : undefined,
  ]);
  const query = chosenIn(request);
  const [only] = session.options.length === 1 ? session.options : [];
  const isOnly = only?.kind === 'routed' && only.available && session.payment === null && query.view !== 'choose';
  const offered = isOnly
    ? only
    : session.options.find(
        (option) => option.kind === 'routed' && option.asset === query.asset && option.network === query.network,
      );
  // What is not known in time, the script asks for.
  const price =
    offered &&
    (await within(
      PRICE_TIMEOUT_MS,
      conversionPrice(ctx, view, offered, limitedClient(ctx.config, clientOf(request))),
      null,
    ));
  const walletConnect = view.session.livemode ? ctx.config.walletConnect : null;
  return {
    page: {
      session,
      locale: localeOf(request, pages.renderer.locales),
      view: query.view === 'choose' ? 'choose' : 'auto',
      exchange: query.view === 'exchange',
      choice: offered ? { asset: offered.asset, network: offered.network, ...(price && { price }) } : null,
      typed: '',
      error: null,
      noticed: hinted || query.view === 'noticed',
      // Not before the customer may have to name it to the merchant.
      orderId: isOver ? view.session.orderId : null,
      ...refundsOf(refunds),
      links: linksOf(ctx, view.session, session.status, retry),
      logo: logoOf(ctx, settings, `/checkout/${id}`),
      frameParents: settings.frameParents,
      gasless,
      ...(walletConnect && { walletConnect }),
      ...(authorized && { wallet: { step: 'sent', hash: null, signed: true } }),
    },
    view,
    assets: brandedAssets(pages, settings.brand),
    options: {
      frameParents: settings.frameParents,
      connectOrigins: walletConnect ? [new URL(walletConnect.relayUrl).origin] : [],
    },
  };
}

/** Of refunds with the newest first: the newest that has not arrived yet, and those that have, oldest first. */
function refundsOf(refunds: readonly StoredRefund[]): Pick<CheckoutPage, 'refund' | 'refunds'> {
  const shown = ({ amountUnits, asset, network }: StoredRefund) => ({
    amount: presentUnits(amountUnits, asset, network),
    asset,
    network,
  });
  const pending = refunds.find((one) => isUnsent(one) || one.status === 'sent');
  return {
    ...(pending && { refund: { ...shown(pending), sent: pending.status === 'sent' } }),
    refunds: refunds
      .filter(({ status }) => status === 'final')
      .map((one) => ({ ...shown(one), at: (one.sentAt ?? one.createdAt).toISOString(), txHash: one.txHash }))
      .reverse(),
  };
}

function linksOf(
  ctx: Context,
  session: CheckoutSession,
  status: PublicSession['status'],
  retry: Awaited<ReturnType<typeof findContinued>>,
): PageLinks {
  const filled = (url: string | null) => (url === null ? null : fillIn(url, encodeURIComponent(session.id)));
  return {
    page: `${ctx.config.publicUrl}/checkout/${session.id}`,
    solanaPay: requestOf(ctx, session),
    // A customer who has not paid must not reach the merchant's thank-you page.
    success: status === 'paid' ? filled(session.successUrl) : null,
    cancel: filled(session.cancelUrl),
    restart: session.paymentLinkId === null ? null : `/pay/${session.paymentLinkId}`,
    retry: retry ? `/checkout/${retry.id}` : null,
    ...(retry?.isPaid && { isRetryPaid: true }),
  };
}

/** Wallets fetch transaction requests over https only. */
function requestOf({ config: { publicUrl } }: Context, session: CheckoutSession): string | null {
  const isPossible = session.livemode && session.receiveNetwork === 'solana' && publicUrl.startsWith('https://');
  return isPossible ? `solana:${publicUrl}/checkout/${session.id}/solana-pay` : null;
}
