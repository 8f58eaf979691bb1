import { Buffer } from 'node:buffer';
import { createHmac, randomBytes } from 'node:crypto';
import type { Secrets } from '../../platform/secrets.ts';

/** A new signing secret: `whsec_` and base64 of 24 random bytes, as Standard Webhooks has it. */
export function newSigningSecret(): string {
  return PREFIX + randomBytes(24).toString('base64');
}

/**
 * The headers that prove a body comes from us: our own, keyed with the secret's characters, and beside it those of
 * Standard Webhooks, keyed with the bytes that the secret encodes. While a rotated secret overlaps, both sign.
 */
export function signatureHeaders(secrets: readonly string[], eventId: string, at: Date, body: Uint8Array): Record<string, string> {
  const seconds = String(Math.floor(at.getTime() / 1000));
  const own = secrets.map((secret) => `v1=${createHmac('sha256', secret).update(`${seconds}.`).update(body).digest('hex')}`);
  const standard = secrets.map((secret) => `v1,${createHmac('sha256', Buffer.from(secret.slice(PREFIX.length), 'base64'))
    .update(`${eventId}.${seconds}.`).update(body).digest('base64')}`);
  return {
    'service-signature': `t=${seconds},${own.join(',')}`,
    'webhook-id': eventId,
    'webhook-timestamp': seconds,
    'webhook-signature': standard.join(' '),
  };
}

export function sealSecret(secrets: Secrets, endpointId: string, secret: string): Buffer {
  return secrets.seal(secret, placeOf(endpointId));
}

export function openSecret(secrets: Secrets, endpointId: string, sealed: Uint8Array): string {
  return secrets.open(sealed, placeOf(endpointId)).toString('utf8');
}

const PREFIX = 'whsec_';

function placeOf(endpointId: string): string {
  return `webhook_endpoints.secret:${endpointId}`;
}
