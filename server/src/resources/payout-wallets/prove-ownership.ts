import type { Context } from '../../context.ts';
import type { Caller } from '../../platform/caller.ts';
import type { Db } from '../../platform/db/db.ts';
import { fail } from '../../platform/errors.ts';
import { randomBase62 } from '../../platform/ids.ts';
import { later, MINUTE_MS, SECOND_MS } from '../../platform/time.ts';
import { isSignedByWallet } from '../accounts/signed-by-wallet.ts';
import type { PayoutWallet } from './payout-wallet.ts';
import { deleteChallenge, findChallenge, findWallet, saveChallenge, saveProof } from './store.ts';

const CHALLENGE_LIFE_MS = 5 * MINUTE_MS;

export interface WalletProof {
  walletId: string;
  proved: boolean;
  message: string | null;
  expiresInSeconds: number | null;
}

/** A text that the wallet was given, and whether the signature is the wallet's over it. */
export interface JudgedSignature {
  message: string;
  fits: boolean;
}

/** Judges the signature that was sent, outside a transaction, because a contract wallet's chain may have to be asked. */
export async function judgeSignature(
  ctx: Context,
  caller: Caller,
  id: string,
  signature: string | undefined,
): Promise<JudgedSignature | undefined> {
  if (signature === undefined) return undefined;
  const wallet = await findWallet(ctx.db, caller, id);
  const open = wallet && (await findChallenge(ctx.db, wallet.id, caller.realNow));
  if (!wallet || !open) return undefined;
  return { message: open.message, fits: await isSignedByWallet(ctx, { ...wallet, message: open.message, signature }) };
}

/** Shows that an address is the account's: first a text to sign, then its signature. */
export async function proveWalletOwnership(
  db: Db,
  caller: Caller,
  id: string,
  signature: string | undefined,
  judged: JudgedSignature | undefined,
): Promise<WalletProof> {
  const wallet = (await findWallet(db, caller, id)) ?? fail('not_found', { param: 'id' });
  if (wallet.provedAt) return proved(wallet);
  if (signature === undefined) return challenge(db, wallet, caller.realNow);

  const open = await findChallenge(db, wallet.id, caller.realNow);
  // Another text may have been given meanwhile.
  if (!open || !judged?.fits || judged.message !== open.message) {
    fail('invalid_signature', {
      param: 'signature',
      message:
        'The signature does not match a message issued for this wallet in the last five minutes. Send a request without a signature to get a new message, and sign it unchanged.',
    });
  }
  await saveProof(db, wallet, caller.now);
  await deleteChallenge(db, wallet.id);
  return proved(wallet);
}

function proved(wallet: PayoutWallet): WalletProof {
  return { walletId: wallet.id, proved: true, message: null, expiresInSeconds: null };
}

async function challenge(db: Db, wallet: PayoutWallet, now: Date): Promise<WalletProof> {
  const message = [
    'Quittance wallet ownership',
    `Wallet: ${wallet.id}`,
    `Network: ${wallet.network}`,
    `Address: ${wallet.address}`,
    `Nonce: ${randomBase62(22)}`,
  ].join('\n');
  await saveChallenge(db, wallet.id, { message, expiresAt: later(now, CHALLENGE_LIFE_MS) });
  return { walletId: wallet.id, proved: false, message, expiresInSeconds: CHALLENGE_LIFE_MS / SECOND_MS };
}
