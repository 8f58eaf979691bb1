import { chown, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findOtherOwner } from './owner.ts';

/** In the data directory: when the last backup was taken. */
export const LAST_BACKUP = 'last-backup';

/** Readable by the service, also if root has made the backup. */
export async function noteBackup(dataDir: string, takenAt: string): Promise<void> {
  const file = join(dataDir, LAST_BACKUP);
  await writeFile(file, takenAt, { mode: 0o600 });
  const owner = await findOtherOwner(dataDir);
  if (owner) await chown(file, owner.uid, owner.gid);
}

export async function findLastBackup(dataDir: string): Promise<Date | undefined> {
  const takenAt = new Date(await readFile(join(dataDir, LAST_BACKUP), 'utf8').catch(() => ''));
  return Number.isNaN(takenAt.getTime()) ? undefined : takenAt;
}
