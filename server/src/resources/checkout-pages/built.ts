import { existsSync, readFileSync } from 'node:fs';
import type { CheckoutRenderer, PageAssets } from '@quittance/web/checkout';

/** The pages as the build left them: the renderer, the addresses of its files, and where those lie. */
export interface BuiltPages {
  renderer: CheckoutRenderer;
  assets: PageAssets;
  folder: URL;
}

export const ASSETS_PATH = '/assets/checkout/';

/** Loads the built pages. Throws where they have not been built, with what to run. */
export async function loadBuiltPages(): Promise<BuiltPages> {
  const dist = new URL('../../../../web/dist/', import.meta.url);
  const manifestFile = new URL('checkout/manifest.json', dist);
  if (!existsSync(manifestFile)) throw new Error('The checkout pages have not been built. Run: npm run build -w web');
  const manifest = JSON.parse(readFileSync(manifestFile, 'utf8')) as Record<string, { file: string; css?: string[]; isEntry?: boolean }>;
  const entry = Object.values(manifest).find(({ isEntry }) => isEntry);
  if (!entry?.css?.[0]) throw new Error('The manifest of the checkout pages names no entry. Run: npm run build -w web');
  return {
    renderer: (await import(new URL('server/render.js', dist).href)) as CheckoutRenderer,
    assets: { script: ASSETS_PATH + entry.file, style: ASSETS_PATH + entry.css[0] },
    folder: new URL('checkout/', dist),
  };
}
