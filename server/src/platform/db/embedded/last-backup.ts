import { randomUUID } from 'node:crypto';
import { open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { findOtherOwner } from './owner.ts';

/** In the data directory: when the last backup was taken. */
export const LAST_BACKUP = 'last-backup';

/**
 * Readable by the service, also if root has made the backup. The directory is the service's, so root follows no link in it:
 * a new file takes the place of what is there.
 */
export async function noteBackup(dataDir: string, takenAt: string): Promise<void> {
  const file = join(dataDir, `${LAST_BACKUP}.${randomUUID()}`);
  const handle = await open(file, 'wx', 0o600);
  try {
    await handle.writeFile(takenAt);
    const owner = await findOtherOwner(dataDir);
    if (owner) await handle.chown(owner.uid, owner.gid);
  } finally {
    await handle.close();
  }
  await rename(file, join(dataDir, LAST_BACKUP));
}

export async function findLastBackup(dataDir: string): Promise<Date | undefined> {
  const takenAt = new Date(await readFile(join(dataDir, LAST_BACKUP), 'utf8').catch(() => ''));
  return Number.isNaN(takenAt.getTime()) ? undefined : takenAt;
}
