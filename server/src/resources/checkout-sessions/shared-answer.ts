import type { Context } from '../../context.ts';
import type { Cached } from '../../platform/cached.ts';
import { findVersion } from './public-session-store.ts';

/**
 * An answer about a session that is made once for all who ask for it within a second, as long as nothing changes that it shows. The
 * version is read before the answer is made, so that a kept answer is never older than its version. `variant` names all of the
 * request that the answer depends on.
 */
export async function sharedAnswer<T>(
  ctx: Pick<Context, 'db'>,
  cache: Cached<T>,
  { id, variant = '' }: { id: string; variant?: string },
  make: () => Promise<T>,
): Promise<T> {
  const version = await findVersion(ctx.db, id);
  return version === undefined ? make() : cache.get(`${id} ${version} ${variant}`, make);
}
