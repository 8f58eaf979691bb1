import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Context } from '../context.ts';
import type { Caller } from '../platform/caller.ts';
import { sandboxAddress } from '../outside/routers/sandbox/addresses.ts';
import { newId } from '../platform/ids.ts';
import { createApiKey } from '../resources/accounts/api-keys.ts';
import { findOrCreateEmailAccount } from '../resources/accounts/store.ts';
import { createPayoutWallet } from '../resources/payout-wallets/create.ts';
import { findDefaultWallet } from '../resources/payout-wallets/store.ts';
import { type DemoAccount, isKeyValid } from './store.ts';

const EMAIL = 'demo@example.com';
// No key of it is known, and it is not a known example: no one can mistake it for an address to pay.
const ADDRESS = sandboxAddress('base', 'demo wallet');

/**
 * The account that the first start in development creates, with a test key and a default payout wallet; later starts
 * find it again.
 */
export async function findOrCreateDemoAccount(ctx: Context): Promise<DemoAccount> {
  const file = join(ctx.config.dataDir, 'demo.json');
  const kept = await readStoredAccount(file);
  if (kept && (await isKeyValid(ctx.db, kept))) return kept;

  const made = await createDemoAccount(ctx);
  await keepDemoAccount(ctx, made);
  return made;
}

/** Written beside the old file and moved over it, so that it is never incomplete. */
export async function keepDemoAccount(ctx: Context, demo: DemoAccount): Promise<void> {
  const file = join(ctx.config.dataDir, 'demo.json');
  await writeFile(`${file}.new`, `${JSON.stringify(demo, null, 2)}\n`, { mode: 0o600 });
  await rename(`${file}.new`, file);
}

async function createDemoAccount(ctx: Context): Promise<DemoAccount> {
  const now = await ctx.db.now();
  return ctx.db.transaction(async (db) => {
    const id = await findOrCreateEmailAccount(db, { id: newId('acc'), email: EMAIL, now });
    const caller: Caller = {
      id,
      livemode: false,
      via: 'login',
      keyId: null,
      scopes: null,
      loginMethod: 'email',
      defaults: {},
      now,
      realNow: now,
    };
    const { secret } = await createApiKey(db, caller, { livemode: false, label: 'Demo' });
    const wallet =
      (await findDefaultWallet(db, caller)) ??
      (await createPayoutWallet(ctx, db, caller, {
        asset: 'USDC',
        network: 'base',
        address: ADDRESS,
        label: 'Demo wallet',
      }));
    return { accountId: id, email: EMAIL, testKey: secret, payoutWalletId: wallet.id };
  });
}

/** Undefined if the file is missing or unreadable: the next step then makes a new key for the same account. */
async function readStoredAccount(file: string): Promise<DemoAccount | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as DemoAccount;
  } catch {
    return undefined;
  }
}
