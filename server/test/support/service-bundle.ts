import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';
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
  await bundle.write({ dir: folder, format: 'esm', entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' });
  return filesIn(folder);
}

/** The bundle of this run of the tests. */
export async function bundledService(): Promise<ServiceBundle> {
  return filesIn(await madeOnce('service', bundleService));
}

function filesIn(folder: string): ServiceBundle {
  return { main: join(folder, 'main.mjs'), command: join(folder, 'command.mjs') };
}
