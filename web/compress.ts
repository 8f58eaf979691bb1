import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

/**
 * The last step of the build: stores a compressed copy of every file that browsers load, so that serving costs nothing.
 */
const dist = fileURLToPath(new URL('dist', import.meta.url));
// Below this size the headers are larger.
const MIN_BYTES = 600;

for (const room of ['checkout', 'dashboard']) {
  for (const name of readdirSync(join(dist, room), { recursive: true, encoding: 'utf8' })) {
    if (!/\.(js|css|svg)$/.test(name)) continue;
    const file = join(dist, room, name);
    const bytes = readFileSync(file);
    if (bytes.length < MIN_BYTES) continue;
    writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }));
    writeFileSync(
      `${file}.br`,
      brotliCompressSync(bytes, {
        params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
      }),
    );
  }
}
