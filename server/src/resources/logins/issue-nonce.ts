import { type LoginNetwork, signInText } from '@quittance/contract';
import type { Context } from '../../context.ts';
import { lockName, readClock, type Transaction } from '../../platform/db/db.ts';
import { fail } from '../../platform/errors.ts';
import { newId, randomBase62 } from '../../platform/ids.ts';
import { later, MINUTE_MS, SECOND_MS } from '../../platform/time.ts';
import { validateAddress } from '../payout-wallets/validate-address.ts';
import { deleteNonce, findLiveNonces, insertNonce } from './nonce-store.ts';

const NONCE_LIFE_MS = 5 * MINUTE_MS;

const LIVE_NONCES = 5;

/** The text that this wallet must sign, and until when. */
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
    // Anyone can request any wallet's text. While the newest is fresh it is returned again, and each one stays valid
    // for minutes, so a stranger's requests can neither use up the five texts nor displace the owner's.
    const leftMs = newest.expiresAt.getTime() - now.getTime();
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

/** The text for a wallet to sign, with a new nonce. */
export function signInMessage({
  network,
  address,
  publicUrl,
  now,
}: {
  network: LoginNetwork;
  address: string;
  publicUrl: string;
  now: Date;
}): string {
  return signInText({
    network,
    address,
    publicUrl,
    nonce: randomBase62(22),
    issuedAt: now,
    expiresAt: later(now, NONCE_LIFE_MS),
  });
}
