import { lchown, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** The user of the service, if root works on the data directory of another user. PostgreSQL then runs as that user. */
export interface Owner {
  uid: number;
  gid: number;
}

/** To whom the first of these paths that exists belongs. Undefined if that is root, or root is not who asks. */
export async function findOtherOwner(...paths: string[]): Promise<Owner | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  for (const path of paths) {
    const found = await stat(path).catch(() => undefined);
    if (found) return found.uid === 0 ? undefined : { uid: found.uid, gid: found.gid };
  }
  return undefined;
}

/**
 * Gives this user what root has made: a directory with all that is in it. Only before anything runs as that user there,
 * which could put links to other directories into it.
 */
export async function handOver(directory: string, owner: Owner | undefined): Promise<void> {
  if (!owner) return;
  // With types, a link to a directory is not followed.
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  for (const path of [directory, ...entries.map(({ parentPath, name }) => join(parentPath, name))])
    await lchown(path, owner.uid, owner.gid);
}
