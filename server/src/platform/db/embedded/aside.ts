import { rmSync } from 'node:fs';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { DAY_MS } from '../../time.ts';

const MARK = '.new-';

/**
 * Makes something in a directory beside `path`, from where it is moved to `path` once it is whole. The directory is removed
 * afterwards, also if this process ends before; what a killed process left is removed a day later.
 */
export async function withAside<T>(path: string, make: (aside: string) => Promise<T>): Promise<T> {
  await removeAbandoned(path);
  const aside = await mkdtemp(path + MARK);
  const abandon = () => rmSync(aside, { recursive: true, force: true, maxRetries: 20, retryDelay: 25 });
  process.once('exit', abandon);
  try {
    return await make(aside);
  } finally {
    process.off('exit', abandon);
    await rm(aside, { recursive: true, force: true });
  }
}

async function removeAbandoned(path: string): Promise<void> {
  for (const name of await readdir(dirname(path))) {
    if (!name.startsWith(basename(path) + MARK)) continue;
    const left = join(dirname(path), name);
    // A younger one may belong to a process that still runs.
    const isOld = await stat(left)
      .then(({ mtimeMs }) => Date.now() - mtimeMs > DAY_MS)
      .catch(() => false);
    if (isOld) await rm(left, { recursive: true, force: true });
  }
}
