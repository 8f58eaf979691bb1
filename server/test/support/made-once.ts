import { existsSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { inject } from 'vitest';
import { withAside } from '../../src/platform/db/embedded/aside.ts';

/**
 * A folder that several files of tests need and that is slow to make: the first that needs it makes it, in the directory
 * of the run. Of two that make it at the same time, the later one uses what the earlier one made.
 */
export async function madeOnce(name: string, make: (folder: string) => Promise<unknown>): Promise<string> {
  const folder = join(inject('runDir'), name);
  if (existsSync(folder)) return folder;
  await withAside(folder, async (aside) => {
    await make(aside);
    await rename(aside, folder).catch((error: NodeJS.ErrnoException) => {
      if (!['ENOTEMPTY', 'EEXIST'].includes(error.code ?? '')) throw error;
    });
  });
  return folder;
}
