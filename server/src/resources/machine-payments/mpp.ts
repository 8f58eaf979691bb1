// The "Payment" HTTP authentication scheme: challenges out, credentials in. No I/O.
import { cutText } from '@quittance/contract/readable-text';
import type { Secrets } from '../../platform/secrets.ts';
import { decodeJson, encodeJson, isObject } from './json.ts';
import { canBeSigned, challengeEnd, type Offer } from './offer.ts';

const SCHEME = /^payment +(\S+)$/i;
const PURPOSE = 'machine payment challenges';
const MAX_TEXT_LENGTH = 200;

/** A challenge; `request` and `opaque` are base64url of canonical JSON. */
export interface Challenge {
  id: string;
  realm: string;
  method: 'evm' | 'solana';
  intent: 'charge';
  request: string;
  expires: string;
  opaque: string;
}

/** A program's credential: the challenge that it answers, and the proof of payment. */
export interface MppCredential {
  challenge: Challenge;
  payload: Record<string, unknown>;
}

/** Every way of paying an offer. The one that a facilitator sends comes first. */
export function challengesOf(offer: Offer, secrets: Secrets): Challenge[] {
  return requestsOf(offer).map(({ request, isSigned }) => {
    const fields = {
      realm: offer.realm,
      method: offer.machine.family,
      intent: 'charge' as const,
      request: encodeJson(request, 'base64url'),
      expires: challengeEnd(offer, isSigned).toISOString(),
      opaque: encodeJson({ session: offer.sessionId }, 'base64url'),
    };
    return { id: challengeId(fields, secrets), ...fields };
  });
}

/** The value of `WWW-Authenticate`. Several challenges are several list items. */
export function writeChallenges(challenges: readonly Challenge[]): string {
  const quoted = (name: string, value: string) => `${name}="${value.replaceAll(/["\\]/g, '\\$&')}"`;
  return challenges
    .map(({ id, realm, method, intent, request, expires, opaque }) =>
      [
        `Payment ${quoted('id', id)}`,
        quoted('realm', realm),
        quoted('method', method),
        quoted('intent', intent),
        quoted('request', request),
        quoted('expires', expires),
        quoted('opaque', opaque),
      ].join(', '),
    )
    .join(', ');
}

/** Reads `Authorization: Payment …`; undefined if it is malformed. */
export function readCredential(header: string): MppCredential | undefined {
  const [, encoded] = SCHEME.exec(header.trim()) ?? [];
  const value = encoded === undefined ? undefined : decodeJson(encoded, 'base64url');
  return value && toCredential(value);
}

/** A credential as JSON; undefined if it is malformed. */
export function toCredential(value: { challenge?: unknown; payload?: unknown }): MppCredential | undefined {
  if (!isObject(value.challenge) || !isObject(value.payload)) return undefined;
  const { id, realm, method, intent, request, expires, opaque } = value.challenge;
  const texts = [id, realm, method, intent, request, expires, opaque];
  if (!texts.every((text) => typeof text === 'string')) return undefined;
  // A digest would be a part of the id that this service never issued.
  if (value.challenge.digest !== undefined) return undefined;
  return { challenge: { id, realm, method, intent, request, expires, opaque } as Challenge, payload: value.payload };
}

/** The session that a challenge was issued for; undefined if this service did not issue it, or it was changed. */
export function sessionOf(challenge: Challenge, secrets: Secrets): string | undefined {
  if (challengeId(challenge, secrets) !== challenge.id) return undefined;
  const { session } = decodeJson(challenge.opaque, 'base64url') ?? {};
  return typeof session === 'string' ? session : undefined;
}

/** The offered request that a challenge repeats byte for byte; undefined if the offer has changed since. */
export function isOffered(challenge: Challenge, offer: Offer): boolean {
  return (
    challenge.realm === offer.realm &&
    challenge.method === offer.machine.family &&
    requestsOf(offer).some(({ request }) => encodeJson(request, 'base64url') === challenge.request)
  );
}

/** The credential types that a challenge of this service accepts. */
export function typesOf(challenge: Challenge): readonly string[] {
  if (challenge.method === 'solana') return ['transaction', 'signature'];
  const { methodDetails } = decodeJson(challenge.request, 'base64url') ?? {};
  const { credentialTypes } = (isObject(methodDetails) ? methodDetails : {}) as { credentialTypes?: string[] };
  return credentialTypes ?? [];
}

/** The value of `Payment-Receipt`. */
export function writeReceipt(receipt: unknown): string {
  return encodeJson(receipt, 'base64url');
}

function requestsOf(offer: Offer): { request: Record<string, unknown>; isSigned: boolean }[] {
  const { machine } = offer;
  const common = {
    amount: offer.amountUnits.toString(),
    recipient: offer.payTo,
    ...(offer.description !== null && { description: cutText(offer.description, MAX_TEXT_LENGTH) }),
  };
  if (machine.family === 'solana') {
    const methodDetails = {
      network: machine.cluster,
      ...(machine.mint !== null && { decimals: offer.decimals }),
    };
    // Clients write the external id as a memo, and a memo with the reference names the payment.
    const request = { ...common, currency: machine.mint ?? 'sol', externalId: offer.reference, methodDetails };
    return [{ request, isSigned: false }];
  }
  // Two challenges, because some clients reject one that also names types they do not know.
  const kinds = [
    ...(canBeSigned(offer) ? [{ credentialTypes: ['authorization'], isSigned: true }] : []),
    // A transfer that neither an amount nor a nonce identifies would match no payment.
    ...(offer.isReserved ? [{ credentialTypes: ['transaction', 'hash'], isSigned: false }] : []),
  ];
  return kinds.map(({ credentialTypes, isSigned }) => ({
    request: {
      ...common,
      currency: machine.token,
      externalId: offer.sessionId,
      methodDetails: { chainId: machine.chainId, credentialTypes, decimals: offer.decimals },
    },
    isSigned,
  }));
}

/** Binds every field, so that a challenge need not be stored. */
function challengeId(challenge: Omit<Challenge, 'id'>, secrets: Secrets): string {
  const { realm, method, intent, request, expires, opaque } = challenge;
  const slots = [realm, method, intent, request, expires, '', opaque];
  return secrets.keyedHash(slots.join('|'), PURPOSE).toString('base64url');
}
