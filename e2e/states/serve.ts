import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname } from 'node:path';
import type { CheckoutRenderer, PageAssets } from '@quittance/web/checkout';
import { STATES } from './states.ts';

const DIST = new URL('../../web/dist/', import.meta.url);
const TYPES: Record<string, string> = { '.js': 'text/javascript', '.css': 'text/css' };

/** Serves every built state of the checkout pages at `/<name>?lang=<language>`, without a service. */
export async function serveStates(): Promise<
  AsyncDisposable & { url: string; address(name: string, locale: string): string; locales: readonly string[] }
> {
  const renderer = (await import(new URL('server/render.js', DIST).href)) as CheckoutRenderer;
  const manifest = JSON.parse(readFileSync(new URL('checkout/manifest.json', DIST), 'utf8')) as Record<
    string,
    { file: string; css?: string[] }
  >;
  const file = (name: string) => `/assets/checkout/${name}`;
  const page = manifest['checkout/client.tsx'];
  const assets: PageAssets = {
    script: file(page?.file ?? ''),
    style: file(page?.css?.[0] ?? ''),
    servedScript: file(manifest['checkout/served.ts']?.file ?? ''),
    refundScript: file(manifest['checkout/refund.ts']?.file ?? ''),
  };

  const server = createServer((request, response) => {
    const address = new URL(request.url ?? '/', url);
    const asset = /^\/assets\/checkout\/(assets\/[\w.-]+)$/.exec(address.pathname)?.[1];
    if (asset)
      return response
        .writeHead(200, { 'content-type': TYPES[extname(asset)] ?? 'text/plain' })
        .end(readFileSync(new URL(`checkout/${asset}`, DIST)));
    // The script follows its session, which never changes.
    if (address.pathname.endsWith('/events'))
      return response.writeHead(200, { 'content-type': 'text/event-stream' }).write(':\n\n');
    const state = STATES.find(({ name }) => `/${name}` === address.pathname);
    if (!state) return response.writeHead(404).end();
    const html = state.draw(
      renderer,
      assets,
      address.searchParams.get('lang') ?? 'en',
      'https://pay.example.com/checkout/cs_4fzqzXm2V9pQ7rT1kB3nW8yA',
    );
    return response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(html);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    locales: renderer.locales,
    address: (name, locale) => `${url}/${name}?lang=${locale}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
