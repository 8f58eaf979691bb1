import type { Brand, PageAssets } from '@quittance/web/checkout';
import type { FastifyInstance } from 'fastify';
import { fail } from '../../platform/errors.ts';
import type { BuiltPages } from './built.ts';

const NONE = 'none';
const PATH = new RegExp(
  `^([0-9a-f]{6}|${NONE})-([0-9a-f]{6}|${NONE})-(light|dark|${NONE})-(round|soft|square|${NONE})\\.css$`,
);

/** The files of a page with its merchant's brand. */
export function brandedAssets({ assets }: BuiltPages, brand: Brand): PageAssets {
  return { ...assets, brandStyle: brandPath(brand), theme: brand.theme };
}

/**
 * The address of this brand's stylesheet; undefined if the merchant has no brand. The address contains the whole brand.
 */
function brandPath({ accent, background, theme, corners }: Brand): string | undefined {
  if (!accent && !background && !theme && !corners) return undefined;
  return `/assets/brand/${[nameOf(accent), nameOf(background), theme ?? NONE, corners ?? NONE].join('-')}.css`;
}

/** Serves merchants' brands as stylesheets from this origin: the content policy allows no style in the page. */
export function serveBrands(server: FastifyInstance, { renderer }: BuiltPages): void {
  server.get<{ Params: { look: string } }>('/assets/brand/:look', (request, reply) => {
    const [, accent, background, theme, corners] = PATH.exec(request.params.look) ?? [];
    if (!accent || !background) fail('not_found');
    const brand = {
      accent: colorOf(accent),
      background: colorOf(background),
      theme: chosen(theme) as Brand['theme'],
      corners: chosen(corners) as Brand['corners'],
    };
    return reply
      .type('text/css; charset=utf-8')
      .header('cache-control', 'public, max-age=31536000, immutable')
      .send(renderer.renderBrandStyle(brand));
  });
}

function nameOf(color: string | null): string {
  return color === null ? NONE : color.slice(1).toLowerCase();
}

function colorOf(name: string): string | null {
  return name === NONE ? null : `#${name}`;
}

function chosen(name: string | undefined): string | null {
  return name === undefined || name === NONE ? null : name;
}
