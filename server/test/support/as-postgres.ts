import { execFileSync } from 'node:child_process';
import { chownSync } from 'node:fs';

/** The user for a child process that runs PostgreSQL, which refuses root: for root, the one of its Debian package. */
export function asPostgres(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  return { uid: Number(execFileSync('id', ['-u', 'postgres'])), gid: Number(execFileSync('id', ['-g', 'postgres'])) };
}

export function giveToPostgres(path: string): void {
  const { uid, gid } = asPostgres();
  if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid);
}
