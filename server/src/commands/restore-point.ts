import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** In the data directory: what the last `restore` has restored. */
export const RESTORE_POINT = 'restored.json';

/** The time of the backup that was restored last, or undefined. */
export async function findRestorePoint(dataDir: string): Promise<Date | undefined> {
  const text = await readFile(join(dataDir, RESTORE_POINT), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : new Date(JSON.parse(text).takenAt);
}
