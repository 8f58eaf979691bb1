// A program's side of both protocols, written by hand, so that tests can change every part of it.
import type { Hex } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import { challengeNonce, AUTHORIZATION_TYPES } from '../../src/outside/chains/pure/authorization.ts';
import type { Inject, TestAnswer } from './inject.ts';

export interface Challenge {
  id: string;
  realm: string;
  method: string;
  intent: string;
  request: string;
  expires: string;
  opaque: string;
}

type Data = any;

export function challengesIn(answer: TestAnswer): Challenge[] {
  const header = String(answer.headers['www-authenticate'] ?? '');
  return header
    .split(/(?:^|, )Payment /)
    .filter(Boolean)
    .map((one) =>
      Object.fromEntries([...one.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, name, value]) => [name, value])),
    );
}

export function requestOf(challenge: Challenge): Data {
  return decode(challenge.request, 'base64url');
}

/** The challenge that accepts this type of credential. */
export function challengeFor(answer: TestAnswer, type: string): Challenge {
  const found = challengesIn(answer).find((one) =>
    one.method === 'solana'
      ? ['transaction', 'signature'].includes(type)
      : requestOf(one).methodDetails.credentialTypes.includes(type),
  );
  if (!found) throw new Error(`no challenge takes ${type}: ${answer.status} ${answer.raw}`);
  return found;
}

export function mppHeader(challenge: Challenge, payload: unknown): string {
  return `Payment ${encode({ challenge, payload }, 'base64url')}`;
}

export function requiredIn(answer: TestAnswer): Data {
  return decode(String(answer.headers['payment-required'] ?? ''), 'base64');
}

export interface Signing {
  from?: string;
  to?: string;
  value?: string;
  validAfter?: string;
  validBefore?: string;
  nonce?: Hex;
  domain?: { name: string; version: string; chainId?: number; verifyingContract?: string };
}

/** A payload of x402, as a client signs it for one entry of `accepts`. */
export async function signX402(accepted: Data, payer: PrivateKeyAccount, changes: Signing = {}): Promise<Data> {
  const { domain, ...fields } = changes;
  const authorization = {
    from: payer.address,
    to: accepted.payTo,
    value: accepted.amount,
    validAfter: '0',
    validBefore: String(Math.floor(Date.now() / 1000) + accepted.maxTimeoutSeconds),
    nonce: `0x${Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('hex')}`,
    ...fields,
  };
  const chainId = Number(accepted.network.split(':')[1]);
  const { name, version } = accepted.extra;
  const signature = await sign(payer, authorization, {
    name,
    version,
    chainId,
    verifyingContract: accepted.asset,
    ...domain,
  });
  return { x402Version: 2, accepted, payload: { signature, authorization } };
}

/** The offer of version 1, from the body of a 402. */
export function oldOfferIn(answer: TestAnswer): Data {
  return answer.body.accepts?.[0];
}

/** A payload of x402 version 1, as its clients sign it: it repeats the scheme and the network of the offer. */
export async function signX402v1(offer: Data, payer: PrivateKeyAccount, changes: Signing & { chainId: number }) {
  const { chainId, ...fields } = changes;
  const same = { ...offer, network: `eip155:${chainId}`, amount: offer.maxAmountRequired };
  const { payload } = await signX402(same, payer, fields);
  return { x402Version: 1, scheme: offer.scheme, network: offer.network, payload };
}

export function x402Header(payload: unknown): string {
  return encode(payload, 'base64');
}

/** An `authorization` payload of the "Payment" scheme. */
export async function signMpp(
  challenge: Challenge,
  payer: PrivateKeyAccount,
  domain: { name: string; version: string },
  changes: Signing = {},
): Promise<Data> {
  const request = requestOf(challenge);
  const authorization = {
    from: payer.address,
    to: request.recipient,
    value: request.amount,
    validAfter: '0',
    validBefore: String(Math.floor(new Date(challenge.expires).getTime() / 1000)),
    nonce: challengeNonce(challenge),
    ...changes,
  };
  const signature = await sign(payer, authorization, {
    ...domain,
    chainId: request.methodDetails.chainId,
    verifyingContract: request.currency,
  });
  return { type: 'authorization', ...authorization, signature };
}

/** Requests an offer, and presents credentials, at a session's payment address. */
export function machineClient(inject: Inject) {
  const at = (sessionId: string) => `/checkout/${sessionId}/pay`;
  return {
    ask: (sessionId: string) => inject('GET', at(sessionId)),
    payMpp: (sessionId: string, challenge: Challenge, payload: unknown, headers: Record<string, string> = {}) =>
      inject('GET', at(sessionId), { headers: { authorization: mppHeader(challenge, payload), ...headers } }),
    payX402: (sessionId: string, payload: unknown, headers: Record<string, string> = {}) =>
      inject('GET', at(sessionId), { headers: { 'payment-signature': x402Header(payload), ...headers } }),
    payX402v1: (sessionId: string, payload: unknown, headers: Record<string, string> = {}) =>
      inject('GET', at(sessionId), { headers: { 'x-payment': x402Header(payload), ...headers } }),
    /** Requests an offer and pays by x402. */
    async buy(sessionId: string, payer: PrivateKeyAccount, changes: Signing = {}) {
      const asked = await inject('GET', at(sessionId));
      return this.payX402(sessionId, await signX402(requiredIn(asked).accepts[0], payer, changes));
    },
  };
}

function sign(payer: PrivateKeyAccount, message: Data, domain: Data): Promise<Hex> {
  return payer.signTypedData({
    domain,
    types: AUTHORIZATION_TYPES,
    primaryType: 'TransferWithAuthorization',
    message: {
      ...message,
      value: BigInt(message.value),
      validAfter: BigInt(message.validAfter),
      validBefore: BigInt(message.validBefore),
    },
  });
}

function encode(value: unknown, alphabet: 'base64' | 'base64url'): string {
  return Buffer.from(JSON.stringify(value)).toString(alphabet);
}

export function decode(text: string, alphabet: 'base64' | 'base64url'): Data {
  return JSON.parse(Buffer.from(text, alphabet).toString());
}
