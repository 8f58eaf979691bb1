import preact from '@preact/preset-vite';
import { defineConfig } from 'vite';

/** The browser bundle of the checkout pages; `--ssr` builds the same pages for the server. */
export default defineConfig(({ isSsrBuild }) => ({
  plugins: [preact({ devToolsEnabled: false, prefreshEnabled: false })],
  build: isSsrBuild
    ? { outDir: 'dist/server', target: 'node22' }
    : { outDir: 'dist/checkout', manifest: 'manifest.json', target: 'es2022', modulePreload: false, rollupOptions: { input: 'checkout/client.tsx' } },
  ssr: { noExternal: true },
  base: '/assets/checkout/',
}));
