import type { Brand, CheckoutPage } from '@quittance/web/checkout';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../../context.ts';
import { sendPage } from '../../platform/http/page.ts';
import { readWebAddress } from '../../platform/web-address.ts';
import { ownLogoPath } from '../accounts/logos/address.ts';
import { brandedAssets } from '../checkout-pages/brand.ts';
import type { BuiltPages } from '../checkout-pages/built.ts';
import { localeOf } from '../checkout-pages/locale.ts';
import { previewCheckout } from '@quittance/contract/dashboard';

const COLOR = /^#[0-9a-fA-F]{6}$/;
const PREVIEW_SECONDS = 3_600;

/** The checkout page with unsaved settings, for its merchant alone, in a frame of the settings page. */
export function servePreview(server: FastifyInstance, ctx: Context, pages: BuiltPages): void {
  server.get<{ Querystring: Record<string, unknown> }>(
    '/dashboard/preview',
    { config: { endpoint: previewCheckout } },
    (request, reply) => {
      const text = (name: string) => (typeof request.query[name] === 'string' ? request.query[name] : '');
      const brand: Brand = {
        accent: COLOR.test(text('accent')) ? text('accent') : null,
        background: COLOR.test(text('background')) ? text('background') : null,
        theme: oneOf(text('theme'), ['light', 'dark'] as const),
        corners: oneOf(text('corners'), ['round', 'soft', 'square'] as const),
      };
      const logo = text('logo');
      const stored = ownLogoPath(ctx.config.publicUrl, logo);
      const page = samplePage({
        locale: localeOf(request, pages.renderer.locales),
        name: text('name').trim().slice(0, 100) || null,
        logo:
          typeof readWebAddress(logo, { insecure: 'nowhere', isPlain: true }) === 'string' ? stored : (stored ?? logo),
        url: `${ctx.config.publicUrl}/checkout/preview`,
        now: new Date(),
      });
      // Without its script, because the sample has no session to follow.
      const assets = { ...brandedAssets(pages, brand), script: '' };
      return sendPage(reply, pages.renderer.renderCheckout(page, assets), {
        frameParents: ["'self'"],
        imageOrigins: ['https:'],
      });
    },
  );
}

function oneOf<T extends string>(text: string, values: readonly T[]): T | null {
  return values.find((value) => value === text) ?? null;
}

function samplePage(given: {
  locale: string;
  name: string | null;
  logo: string | null;
  url: string;
  now: Date;
}): CheckoutPage {
  return {
    session: {
      id: 'preview',
      status: 'created',
      amount: '49.00',
      currency: 'USD',
      refunded_amount: '0.00',
      can_retry: false,
      description: null,
      line_items: null,
      merchant: { name: given.name, logo_url: null, support_email: null, support_url: null },
      livemode: true,
      expires_at: new Date(given.now.getTime() + PREVIEW_SECONDS * 1_000).toISOString(),
      server_time: given.now.toISOString(),
      options: [
        {
          asset: 'USDC',
          network: 'base',
          kind: 'direct',
          available: true,
          estimated_amount: '49.000000',
          typical_seconds: 20,
        },
      ],
      payment: null,
    },
    locale: given.locale,
    view: 'auto',
    choice: null,
    typed: '',
    error: null,
    noticed: false,
    links: { page: given.url, success: null, cancel: null, restart: null },
    logo: given.logo,
    frameParents: [],
  };
}
