import { createHash, randomBytes } from 'node:crypto';
import type { IdempotencyClaim } from '../../platform/http/idempotency/claim.ts';
import { derivedId, newId } from '../../platform/ids.ts';
import type { Secrets } from '../../platform/secrets.ts';

/** Identifies a session, its payment and the money for it. */
export interface Identity {
  sessionId: string;
  paymentId: string;
  reference: Buffer;
}

export function newIdentity(): Identity {
  return { sessionId: newId('cs'), paymentId: newId('pay'), reference: randomBytes(32) };
}

/**
 * The identity derived from an account, its Idempotency-Key and the request: if a restored database has lost the
 * session, the same request creates it again, and money that carries its reference is found. It includes the master
 * key, because a session's id is a capability and keys are often order numbers. It includes the request, so that a key
 * reused for another request never inherits money.
 *
 * A new id begins with the time, but the same request must have the same id later. So the time is that of the key, if
 * it is a UUID of version 7, as the SDK sends it.
 */
export function keyedIdentity(
  secrets: Secrets,
  { accountId, livemode, key, fingerprint }: Pick<IdempotencyClaim, 'accountId' | 'livemode' | 'key' | 'fingerprint'>,
): Identity {
  const timeMs = timeOf(key);
  // Sessions of releases whose ids had no time keep their references for themselves.
  const form = timeMs === undefined ? [] : ['with time'];
  const request = JSON.stringify([accountId, livemode, key, fingerprint.toString('hex'), ...form]);
  // The reference is public on the chain. Each part has its own hash, so that none reveals another.
  const root = secrets.keyedHash(request, 'session identity');
  return {
    sessionId: derivedId('cs', root, timeMs),
    paymentId: derivedId('pay', root, timeMs),
    reference: createHash('sha256').update('reference ').update(root).digest(),
  };
}

const UUID_7 = /^([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

/** The milliseconds with which a UUID of version 7 begins. */
function timeOf(key: string): number | undefined {
  const [, high, low] = UUID_7.exec(key) ?? [];
  return high && low ? Number.parseInt(high + low, 16) : undefined;
}
