import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';
import { inject } from 'vitest';
import { madeOnce } from './made-once.ts';

/** Files that Node starts. */
export interface ServiceBundle {
  /** The service, as `server/src/main.ts`. */
  main: string;
  /** The commands of `quittance-server`, as `server/src/commands/main.ts`. */
  command: string;
}

/**
 * The service and its commands as a few files in this folder, in which each part still finds the files beside its source.
 * They start in a third of the time: most of it goes into finding and stripping a thousand modules.
 */
export async function bundleService(folder: string): Promise<ServiceBundle> {
  const source = (path: string) => fileURLToPath(new URL(`../../src/${path}`, import.meta.url));
  const bundle = await rolldown({
    input: { main: source('main.ts'), command: source('commands/main.ts') },
    platform: 'node',
    external: ['pg-native'],
    logLevel: 'silent',
    plugins: [
      {
        name: 'keep the address of each source',
        transform: (code, id) =>
          code.includes('import.meta.url') && id.endsWith('.ts')
            ? code.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href))
            : undefined,
      },
    ],
  });
  await bundle.write({
    dir: folder,
    format: 'esm',
    entryFileNames: '[name]-all.mjs',
    chunkFileNames: '[name]-[hash].mjs',
  });
  for (const name of ['main', 'command']) await writeFile(join(folder, `${name}.mjs`), startsCompiled(name));
  return filesIn(folder);
}

/** What the first process has compiled, the later ones read. Stored at once, because many of them are killed. */
function startsCompiled(name: string): string {
  return `import { enableCompileCache, flushCompileCache } from 'node:module';
enableCompileCache(import.meta.dirname + '/compiled');
await import('./${name}-all.mjs');
flushCompileCache();
`;
}

/** The bundle of this run of the tests. */
export async function bundledService(): Promise<ServiceBundle> {
  return filesIn(await madeOnce('service', bundleService));
}

/** Where Node keeps what it compiles of the sources, for tests that start them as they are. */
export function compiledDirectory(): string {
  return join(inject('runDir'), 'compiled');
}

function filesIn(folder: string): ServiceBundle {
  return { main: join(folder, 'main.mjs'), command: join(folder, 'command.mjs') };
}
