import type { LogoJson } from '@quittance/contract/dashboard';
import type { Context } from '../../../context.ts';
import type { Caller } from '../../../platform/caller.ts';
import type { Transaction } from '../../../platform/db/db.ts';
import { fail } from '../../../platform/errors.ts';
import { sha256 } from '../../../platform/secrets.ts';
import { lockAccount } from '../store.ts';
import { hashIn, logoUrl } from './address.ts';
import { readPicture } from './picture.ts';
import { deleteOtherLogos, saveLogo } from './store.ts';

export const LOGO_QUOTA = { name: 'logos', perMinute: 20, by: 'account' } as const;

/** Stores a picture that the account may then use. Beside it only the one in use is kept. */
export async function uploadLogo(ctx: Context, db: Transaction, caller: Caller, base64: string): Promise<LogoJson> {
  const picture = readPicture(Buffer.from(base64, 'base64'));
  if (typeof picture === 'string') fail('invalid_request', { param: 'picture', message: `\`picture\` ${picture}` });
  const hash = sha256(picture.bytes).toString('hex');
  const inUse = hashIn((await lockAccount(db, caller.id))?.logoUrl ?? null);
  await deleteOtherLogos(db, caller.id, inUse === null ? [] : [inUse]);
  await saveLogo(db, { ...picture, accountId: caller.id, hash, createdAt: caller.realNow });
  return { url: logoUrl(ctx.config.publicUrl, hash) };
}
