import type { Context } from '../../context.ts';
import { lockName } from '../../platform/db/advisory-lock.ts';
import { readClock } from '../../platform/db/clock.ts';
import type { Transaction } from '../../platform/db/db.ts';
import { fail } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { later, SECOND_MS } from '../../platform/time.ts';
import { validateAddress } from '../payout-wallets/validate-address.ts';
import { deleteNonce, findLiveNonces, insertNonce } from './nonce-store.ts';
import { type LoginNetwork, NONCE_LIFE_MS, signInMessage } from '../accounts/sign-in-message.ts';

const LIVE_NONCES = 5;

/** The text that this wallet is to sign, and for how long it may. */
export async function issueNonce(
  ctx: Context,
  db: Transaction,
  request: { address: string; network: LoginNetwork },
): Promise<{ message: string; expiresInSeconds: number }> {
  const { network } = request;
  const address = readLoginAddress(network, request.address);
  const now = await readClock(db);
  await lockName(db, `login wallet:${network}:${address}`);

  const live = await findLiveNonces(db, network, address, now);
  const [newest, oldest] = [live[0], live.at(-1)];
  if (newest && oldest && live.length >= LIVE_NONCES) {
    // Anybody may ask for any wallet's text. While the newest is fresh it is given out again, and one that is given out stays
    // good for minutes: so a stranger who asks and asks can neither use the five up nor push the owner's out.
    const leftMs = newest.expires_at.getTime() - now.getTime();
    if (leftMs >= NONCE_LIFE_MS / 2)
      return { message: newest.message, expiresInSeconds: Math.floor(leftMs / SECOND_MS) };
    await deleteNonce(db, oldest.id);
  }
  const message = signInMessage({ network, address, publicUrl: ctx.config.publicUrl, now });
  await insertNonce(db, { id: newId('nonce'), network, address, message, now, expiresAt: later(now, NONCE_LIFE_MS) });
  return { message, expiresInSeconds: NONCE_LIFE_MS / SECOND_MS };
}

function readLoginAddress(network: LoginNetwork, text: string): string {
  const verdict = validateAddress(network, text);
  return verdict.ok ? verdict.address : fail('invalid_nonce_request', { param: 'address', message: verdict.why });
}
