import type { Brand } from '@quittance/web/checkout';
import type { FastifyInstance } from 'fastify';
import { fail } from '../../platform/errors.ts';
import type { BuiltPages } from './built.ts';

const NONE = 'none';

/** Where the stylesheet of these colours is; undefined where the merchant has chosen none. Its address says all that is in it. */
export function brandPath({ accent, background }: Brand): string | undefined {
  if (!accent && !background) return undefined;
  return `/assets/brand/${nameOf(accent)}-${nameOf(background)}.css`;
}

/** Serves merchants' colours as stylesheets of our own: the content policy allows no style in the page. */
export function serveBrands(server: FastifyInstance, { renderer }: BuiltPages): void {
  server.get<{ Params: { colors: string } }>('/assets/brand/:colors', (request, reply) => {
    const [, accent, background] = /^([0-9a-f]{6}|none)-([0-9a-f]{6}|none)\.css$/.exec(request.params.colors) ?? [];
    if (!accent || !background) fail('not_found');
    return reply.type('text/css; charset=utf-8').header('cache-control', 'public, max-age=31536000, immutable')
      .send(renderer.renderBrandStyle({ accent: colorOf(accent), background: colorOf(background) }));
  });
}

function nameOf(color: string | null): string {
  return color === null ? NONE : color.slice(1).toLowerCase();
}

function colorOf(name: string): string | null {
  return name === NONE ? null : `#${name}`;
}
