import { fileURLToPath } from 'node:url';
import tailwind from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { facts } from '../facts.ts';

const ENTRY = fileURLToPath(new URL('main.tsx', import.meta.url));

/** The merchant's dashboard: one initial bundle, and one chunk for each further view. */
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: '/assets/dashboard/',
  plugins: [react(), tailwind(), facts()],
  build: {
    outDir: fileURLToPath(new URL('../dist/dashboard', import.meta.url)),
    emptyOutDir: true,
    manifest: 'manifest.json',
    target: 'es2022',
    // The content policy allows only this service's files, so nothing is inlined into the page.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    // A person who starts the service for the first time does not need the timings of plugins.
    rollupOptions: {
      input: ENTRY,
      checks: { bundlerTimings: false },
      // What the first view needs arrives in three files instead of twenty. The entry stays alone, because it waits for a
      // language, whose file must not wait for it.
      output: {
        codeSplitting: {
          groups: [
            { name: 'libraries', tags: ['$initial'], test: /node_modules/, priority: 2 },
            { name: 'common', tags: ['$initial'], test: (id) => id !== ENTRY && !id.endsWith('.css'), priority: 1 },
          ],
        },
      },
    },
  },
});
