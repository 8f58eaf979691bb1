import { execFileSync } from 'node:child_process';
import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

/** Builds the package: ES modules and CommonJS, each with its declarations. */
const root = new URL('..', import.meta.url);
const dist = new URL('dist/', root);
await rm(dist, { recursive: true, force: true });

const bundle = await rolldown({
  cwd: fileURLToPath(root),
  input: { index: 'src/index.ts', webhooks: 'src/webhooks.ts' },
  platform: 'neutral',
});
const shared = { dir: 'dist', minify: false, chunkFileNames: 'shared-[hash].js' } as const;
await bundle.write({ ...shared, format: 'esm', entryFileNames: '[name].js' });
await bundle.write({ ...shared, format: 'cjs', entryFileNames: '[name].cjs', chunkFileNames: 'shared-[hash].cjs' });

execFileSync('tsc', ['-p', 'tsconfig.build.json'], { cwd: fileURLToPath(root), stdio: 'inherit' });
for (const name of await readdir(dist)) {
  if (!name.endsWith('.d.ts')) continue;
  const text = (await readFile(new URL(name, dist), 'utf8')).replaceAll(/(from '\.\/[^']+)\.ts'/g, "$1.js'");
  await writeFile(new URL(name, dist), text);
  await writeFile(
    new URL(name.replace('.d.ts', '.d.cts'), dist),
    text.replaceAll(/(from '\.\/[^']+)\.js'/g, "$1.cjs'"),
  );
}
await cp(new URL('../LICENSE', root), new URL('LICENSE', dist)).catch(() => undefined);
