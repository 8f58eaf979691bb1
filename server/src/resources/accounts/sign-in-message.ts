import { type LoginNetwork, signInText } from '@quittance/contract';
import { randomBase62 } from '../../platform/ids.ts';
import { later, MINUTE_MS } from '../../platform/time.ts';

export const NONCE_LIFE_MS = 5 * MINUTE_MS;

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
