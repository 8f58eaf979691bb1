import { chmod, rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

/**
 * Builds the command as one JavaScript file, so that it runs on every supported Node without installing anything else.
 */
const root = fileURLToPath(new URL('..', import.meta.url));
await rm(`${root}dist`, { recursive: true, force: true });
const bundle = await rolldown({ cwd: root, input: 'src/main.ts', platform: 'node', transform: { target: 'node20' } });
await bundle.write({ file: 'dist/quittance.js', format: 'esm' });
await chmod(`${root}dist/quittance.js`, 0o755);
