import { pathToFileURL } from 'node:url';
import type { Plugin } from 'vite';

/**
 * Runs modules named `*.facts.ts` while building, so that a page gets the values that they export instead of the tables
 * of the contract that they are derived from.
 */
export function facts(): Plugin {
  return {
    name: 'facts',
    async load(id) {
      if (!id.endsWith('.facts.ts')) return undefined;
      const values = (await import(pathToFileURL(id).href)) as Record<string, unknown>;
      return Object.entries(values)
        .map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};`)
        .join('\n');
    },
  };
}
