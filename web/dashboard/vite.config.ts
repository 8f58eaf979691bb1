import { fileURLToPath } from 'node:url';
import tailwind from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** The merchant's dashboard: one bundle to begin with, a piece for each further view. */
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: '/assets/dashboard/',
  plugins: [react(), tailwind()],
  build: {
    outDir: fileURLToPath(new URL('../dist/dashboard', import.meta.url)),
    emptyOutDir: true,
    manifest: 'manifest.json',
    target: 'es2022',
    // The content policy allows our own files only, so nothing is written into the page.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    // How long which plugin took is no news to whoever starts the service for the first time on a slow machine.
    rollupOptions: { input: fileURLToPath(new URL('main.tsx', import.meta.url)), checks: { bundlerTimings: false } },
  },
});
