import { statfs } from 'node:fs/promises';
import type { Context } from '../context.ts';
import { findLastBackup } from '../platform/db/embedded/last-backup.ts';
import { DAY_MS, HOUR_MS } from '../platform/time.ts';

const LOOK_EVERY_MS = HOUR_MS;
/** By then a daily timer has failed twice in a row. */
export const MAX_BACKUP_AGE_MS = 2 * DAY_MS;
/** PostgreSQL ends when it cannot write its log, and a backup needs room as well. */
export const MIN_FREE_BYTES = 2_000_000_000;

export interface UpkeepWatch {
  lookedAtMs: number | null;
}

/**
 * Reports that the disk of the embedded database is almost full, or that its backups have stopped. A server that never
 * made one may be backed up by other means.
 */
export async function reportUpkeep(
  { config, db, log }: Pick<Context, 'config' | 'db' | 'log'>,
  watch: UpkeepWatch,
  atMs: number,
  findFree = findFreeBytes,
): Promise<void> {
  if (config.databaseUrl || config.profile === 'development') return;
  if (watch.lookedAtMs !== null && atMs - watch.lookedAtMs < LOOK_EVERY_MS) return;
  watch.lookedAtMs = atMs;
  const free = await findFree(config.dataDir);
  if (free < MIN_FREE_BYTES)
    log.error({ alarm: 'disk_almost_full', free }, `disk almost full: ${megabytes(free)} are left for the database`);
  const takenAt = await findLastBackup(config.dataDir);
  if (takenAt && (await db.now()).getTime() - takenAt.getTime() > MAX_BACKUP_AGE_MS)
    log.error({ alarm: 'backup_overdue', takenAt }, 'backup overdue: the last one is older than two days');
}

export async function findFreeBytes(directory: string): Promise<number> {
  const { bavail, bsize } = await statfs(directory);
  return bavail * bsize;
}

export function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1e6)} MB`;
}
