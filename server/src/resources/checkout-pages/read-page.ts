import type { CheckoutPage, PageAssets, PageLinks, PublicSession } from '@quittance/web/checkout';
import { PAY_ASSETS } from '@quittance/contract';
import type { FastifyRequest } from 'fastify';
import type { Context } from '../../context.ts';
import type { PageOptions } from '../../platform/http/page.ts';
import { pathId } from '../../platform/http/page.ts';
import { findPublicView, presentPublicSession, type PublicView } from '../checkout-sessions/public-session.ts';
import { fillIn } from '../checkout-sessions/redirect-url.ts';
import type { CheckoutSession } from '../checkout-sessions/session.ts';
import { isAuthorized, takesSignature } from '../machine-payments/page-authorization.ts';
import { brandedAssets } from './brand.ts';
import type { BuiltPages } from './built.ts';
import { localeOf } from './locale.ts';
import { findPageSettings } from './store.ts';

/** A checkout page before it is drawn. */
export interface ReadPage {
  page: CheckoutPage;
  view: PublicView;
  assets: PageAssets;
  options: PageOptions;
}

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
function chosenIn({ query }: FastifyRequest): ViewQuery {
  const { view, asset, network } = query as ViewQuery;
  const isKnown = PAY_ASSETS.some((known) => known.asset === asset && known.network === network);
  return { ...(VIEWS.includes(view ?? '') && { view }), ...(isKnown && { asset, network }) };
}

/** Everything that the page of a session shows. What it reads of the request is named by `viewOf`. */
export async function readPage(ctx: Context, pages: BuiltPages, request: FastifyRequest): Promise<ReadPage> {
  const id = pathId('cs', request);
  const view = await findPublicView(ctx, id);
  const [session, settings, gasless, authorized] = await Promise.all([
    presentPublicSession(ctx, view),
    findPageSettings(ctx.db, view.session.accountId),
    takesSignature(ctx, view),
    isAuthorized(ctx, view.payment),
  ]);
  const query = chosenIn(request);
  const [only] = session.options.length === 1 ? session.options : [];
  const isOnly = only?.kind === 'routed' && only.available && session.payment === null && query.view !== 'choose';
  const offered = isOnly
    ? only
    : session.options.find(
        (option) => option.kind === 'routed' && option.asset === query.asset && option.network === query.network,
      );
  const walletConnect = view.session.livemode ? ctx.config.walletConnect : null;
  return {
    page: {
      session,
      locale: localeOf(request, pages.renderer.locales),
      view: query.view === 'choose' ? 'choose' : 'auto',
      exchange: query.view === 'exchange',
      choice: offered ? { asset: offered.asset, network: offered.network } : null,
      typed: '',
      error: null,
      noticed: query.view === 'noticed',
      links: linksOf(ctx, view.session, session.status),
      logo: settings.logoUrl ? `/checkout/${id}/logo` : null,
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

function linksOf(ctx: Context, session: CheckoutSession, status: PublicSession['status']): PageLinks {
  const filled = (url: string | null) => (url === null ? null : fillIn(url, encodeURIComponent(session.id)));
  return {
    page: `${ctx.config.publicUrl}/checkout/${session.id}`,
    solanaPay: requestOf(ctx, session),
    // A customer who has not paid must not reach the merchant's thank-you page.
    success: status === 'paid' ? filled(session.successUrl) : null,
    cancel: filled(session.cancelUrl),
    restart: session.paymentLinkId === null ? null : `/pay/${session.paymentLinkId}`,
  };
}

/** Wallets fetch transaction requests over https only. */
function requestOf({ config: { publicUrl } }: Context, session: CheckoutSession): string | null {
  const isPossible = session.livemode && session.receiveNetwork === 'solana' && publicUrl.startsWith('https://');
  return isPossible ? `solana:${publicUrl}/checkout/${session.id}/solana-pay` : null;
}
