import type { FastifyRequest } from 'fastify';
import type { Context } from '../../context.ts';
import { isId } from '../../platform/ids.ts';
import { readAuthorization, readHash, readTransaction } from './evm-proof.ts';
import { MAX_CREDENTIAL_LENGTH } from './json.ts';
import * as mpp from './mpp.ts';
import type { Offer } from './offer.ts';
import { refuse } from './problem.ts';
import type { Credential, Proof } from './proof.ts';
import { readSolanaSignature, readSolanaTransaction } from './solana-proof.ts';
import * as x402 from './x402.ts';
import * as x402v1 from './x402-v1.ts';

/** The protocol of a request's payment; null if it carries none. */
export function protocolOf({ headers }: Pick<FastifyRequest, 'headers'>): 'mpp' | 'x402' | null {
  if (headers['payment-signature'] !== undefined || headers['x-payment'] !== undefined) return 'x402';
  return /^payment(\s|$)/i.test(headers.authorization ?? '') ? 'mpp' : null;
}

/** The credential that a request carries; null if it carries none. Throws if it is malformed. */
export function readCredential(ctx: Context, request: Pick<FastifyRequest, 'headers' | 'params'>): Credential | null {
  switch (protocolOf(request)) {
    case 'mpp':
      return readMpp(ctx, request.headers.authorization ?? '');
    case 'x402':
      return request.headers['payment-signature'] === undefined
        ? readX402v1(request)
        : readX402(request.headers['payment-signature']);
    default:
      return null;
  }
}

/** The contents of a credential. The offers of its protocol name the kinds. */
export function readProof(ctx: Context, credential: Credential, isSolana: boolean): Promise<Proof> | Proof {
  const { payload, protocol } = credential;
  if (protocol === 'x402')
    return isSolana ? readSolanaTransaction(ctx, credential) : readAuthorization(ctx, credential);
  const types = mpp.typesOf(credential.challenge);
  if (typeof payload.type !== 'string' || !types.includes(payload.type))
    refuse('malformed-credential', `\`payload.type\` must be one of ${types.join(', ')}.`);
  switch (payload.type) {
    case 'authorization':
      return readAuthorization(ctx, credential);
    case 'hash':
      return readHash(credential);
    case 'signature':
      return readSolanaSignature(credential);
    default:
      return isSolana ? readSolanaTransaction(ctx, credential) : readTransaction(ctx, credential);
  }
}

/** Rejects a credential that does not match the current offer byte for byte. */
export function requireOffered(credential: Credential, offer: Offer): void {
  if (credential.protocol === 'mpp') {
    if (new Date(credential.challenge.expires) <= offer.now)
      refuse('payment-expired', 'The challenge has expired. Answer the new one.');
    if (!mpp.isOffered(credential.challenge, offer))
      refuse('invalid-challenge', 'The challenge is not what this checkout asks for now. Answer the new one.');
    return;
  }
  const isOld = credential.version === 1;
  const { isOffered } = isOld ? x402v1 : x402;
  if (!isOffered(credential, offer))
    refuse(
      'invalid-challenge',
      isOld
        ? '`scheme` and `network` are not what this checkout asks for now. Repeat those of the entry in `accepts`.'
        : '`accepted` is not what this checkout asks for now. Repeat one entry of `accepts` unchanged.',
    );
}

function readMpp(ctx: Context, header: string): Credential {
  requireLength(header);
  const found = mpp.readCredential(header);
  if (!found)
    refuse('malformed-credential', 'The credential must be base64url of JSON with `challenge` and `payload`.');
  const sessionId = mpp.sessionOf(found.challenge, ctx.secrets);
  if (sessionId === undefined) refuse('invalid-challenge', 'The challenge was not issued here, or it was changed.');
  return { protocol: 'mpp', sessionId, ...found };
}

function readX402(header: string | string[] | undefined): Credential {
  if (typeof header !== 'string')
    refuse('malformed-credential', 'Send one `PAYMENT-SIGNATURE` of x402 version 2.', 'invalid_x402_version');
  requireLength(header);
  const found = x402.readPayload(header);
  if (!found)
    refuse(
      'malformed-credential',
      'The payment must be base64 of JSON with `x402Version` 2, `accepted` and `payload`.',
    );
  const sessionId = x402.sessionOf(found);
  return { protocol: 'x402', sessionId: sessionId !== undefined && isId('cs', sessionId) ? sessionId : null, ...found };
}

/** Version 1 names no checkout: the address does, where it is that of a checkout. */
function readX402v1({ headers, params }: Pick<FastifyRequest, 'headers' | 'params'>): Credential {
  const header = headers['x-payment'];
  if (typeof header !== 'string') refuse('malformed-credential', 'Send one `X-PAYMENT`.');
  requireLength(header);
  const found = x402v1.readPayload(header);
  if (!found)
    refuse(
      'malformed-credential',
      'The payment must be base64 of JSON with `x402Version` 1, `scheme`, `network` and `payload`.',
    );
  const { id = '' } = params as { id?: string };
  return { protocol: 'x402', sessionId: isId('cs', id) ? id : null, ...found };
}

function requireLength(header: string): void {
  if (header.length > MAX_CREDENTIAL_LENGTH)
    refuse('malformed-credential', `The credential must have at most ${MAX_CREDENTIAL_LENGTH} characters.`);
}
