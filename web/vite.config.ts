import { defineConfig } from 'vite';
import { facts } from './facts.ts';

const [dist, pages] = ['dist/checkout', ['client.tsx', 'served.ts', 'embed.ts', 'refund.ts']];

/** The browser bundle of the checkout pages; `--ssr` builds the same pages for the server. */
export default defineConfig(({ isSsrBuild }) => ({
  plugins: [facts()],
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: isSsrBuild
    ? { outDir: 'dist/server', target: 'node22' }
    : {
        outDir: dist,
        manifest: 'manifest.json',
        target: 'es2022',
        modulePreload: false,
        rollupOptions: { input: pages.map((page) => `checkout/${page}`) },
      },
  ssr: { noExternal: true },
  base: '/assets/checkout/',
}));
