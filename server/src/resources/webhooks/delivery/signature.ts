import { Buffer } from 'node:buffer';
import { createHmac, createSecretKey, type KeyObject, randomBytes, sign } from 'node:crypto';
import type { Secrets } from '../../../platform/secrets.ts';

/** The keys of one signing secret: for Quittance's own signature, and for Standard Webhooks. */
export interface SigningKeys {
  /** From the secret's characters, including `whsec_`. */
  own: KeyObject;
  /** From the bytes that the secret encodes. */
  standard: KeyObject;
}

/** A new signing secret: `whsec_` and 24 random bytes in base64, as in Standard Webhooks. */
export function newSigningSecret(): string {
  return PREFIX + randomBytes(24).toString('base64');
}

export function signingKeys(secret: string): SigningKeys {
  return {
    own: createSecretKey(Buffer.from(secret)),
    standard: createSecretKey(Buffer.from(secret.slice(PREFIX.length), 'base64')),
  };
}

/** The key of the endpoint's account and mode, and the endpoint that its signature is for. */
export interface PublicKeySigner {
  key: KeyObject;
  endpointId: string;
}

export interface Signed {
  keys: readonly SigningKeys[];
  eventId: string;
  at: Date;
  body: Uint8Array;
  publicKeySigner?: PublicKeySigner | null;
}

/**
 * The headers that prove where a body comes from. While a rotated secret overlaps, both sign. With `publicKeySigner`, a
 * receiver can also verify with the public keys of the account and mode. `v1a` of Standard Webhooks is the same at every
 * endpoint that gets the event, so a second signature names the endpoint.
 */
export function signatureHeaders({ keys, eventId, at, body, publicKeySigner = null }: Signed): Record<string, string> {
  const seconds = String(Math.floor(at.getTime() / 1000));
  const own = keys.map((key) => `v1=${createHmac('sha256', key.own).update(`${seconds}.`).update(body).digest('hex')}`);
  const standard = keys.map(
    (key) => `v1,${createHmac('sha256', key.standard).update(`${eventId}.${seconds}.`).update(body).digest('base64')}`,
  );
  const headers = {
    'service-signature': `t=${seconds},${own.join(',')}`,
    'webhook-id': eventId,
    'webhook-timestamp': seconds,
    'webhook-signature': standard.join(' '),
  };
  if (!publicKeySigner) return headers;
  const { key, endpointId } = publicKeySigner;
  const signed = (prefix: string) => sign(null, Buffer.concat([Buffer.from(`${prefix}.${seconds}.`), body]), key);
  return {
    ...headers,
    'webhook-signature': `${headers['webhook-signature']} v1a,${signed(eventId).toString('base64')}`,
    'service-audience': `endpoint=${endpointId},v1a=${signed(`${endpointId}.${eventId}`).toString('hex')}`,
  };
}

export function sealSecret(secrets: Secrets, endpointId: string, secret: string): Buffer {
  return secrets.seal(secret, placeOf(endpointId));
}

export function openSecret(secrets: Secrets, endpointId: string, sealed: Buffer): string {
  return secrets.open(sealed, placeOf(endpointId)).toString('utf8');
}

/** What opens signing secrets, and the keys that it opened recently. */
export interface KeyRing {
  secrets: Secrets;
  caches: { webhookKeys: Map<string, SigningKeys> };
}

/** The keys of a sealed secret. */
export function openKeys({ secrets, caches }: KeyRing, endpointId: string, sealed: Buffer): SigningKeys {
  const place = `${endpointId}:${sealed.toString('base64')}`;
  let keys = caches.webhookKeys.get(place);
  if (!keys) {
    keys = signingKeys(openSecret(secrets, endpointId, sealed));
    caches.webhookKeys.set(place, keys);
  }
  return keys;
}

const PREFIX = 'whsec_';

function placeOf(endpointId: string): string {
  return `webhook_endpoints.secret:${endpointId}`;
}
