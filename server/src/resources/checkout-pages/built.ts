import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import type { CheckoutRenderer, PageAssets } from '@quittance/web/checkout';

/** The built pages: the renderer, and the addresses and location of its files. */
export interface BuiltPages {
  renderer: CheckoutRenderer;
  assets: PageAssets;
  folder: URL;
  /** The script for merchants' pages. Its address never changes. */
  embedScript: Buffer;
}

export const ASSETS_PATH = '/assets/checkout/';

type Manifest = Record<string, { file: string; css?: string[] } | undefined>;

/** Loads the built pages. Throws if they are not built, with the command to run. */
export async function loadBuiltPages(): Promise<BuiltPages> {
  const dist = new URL('../../../../web/dist/', import.meta.url);
  const manifestFile = new URL('checkout/manifest.json', dist);
  if (!existsSync(manifestFile)) throw new Error('The checkout pages are not built. Run: npm run build -w web');
  const manifest = JSON.parse(readFileSync(manifestFile, 'utf8')) as Manifest;
  const [page, served, embed, refund] = ['client.tsx', 'served.ts', 'embed.ts', 'refund.ts'].map(
    (name) => manifest[`checkout/${name}`],
  );
  if (!page?.css?.[0] || !served || !embed || !refund)
    throw new Error("The build of the checkout pages is another version's. Run: npm run build -w web");
  const integrity = Object.fromEntries(
    [page.file, page.css[0], served.file, refund.file].map((file) => [
      ASSETS_PATH + file,
      integrityOf(readFileSync(new URL(`checkout/${file}`, dist))),
    ]),
  );
  return {
    renderer: (await import(new URL('server/render.js', dist).href)) as CheckoutRenderer,
    assets: {
      script: ASSETS_PATH + page.file,
      style: ASSETS_PATH + page.css[0],
      servedScript: ASSETS_PATH + served.file,
      refundScript: ASSETS_PATH + refund.file,
      integrity,
    },
    folder: new URL('checkout/', dist),
    embedScript: readFileSync(new URL(`checkout/${embed.file}`, dist)),
  };
}

/** The hash that a browser checks before it uses a file: a cache or a proxy in between cannot change it. */
function integrityOf(bytes: Buffer): string {
  return `sha384-${createHash('sha384').update(bytes).digest('base64')}`;
}
