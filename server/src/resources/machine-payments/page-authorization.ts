import { getAddress, type Hex, isAddress } from 'viem';
import type { Client } from '../../platform/http/admission/client.ts';
import type { Context } from '../../context.ts';
import { AUTHORIZATION_TYPES, challengeNonce } from '../../outside/chains/pure/authorization.ts';
import { machineAsset } from '../../outside/chains/machine-networks.ts';
import { fail, invariant } from '../../platform/errors.ts';
import { SECOND_MS, within } from '../../platform/time.ts';
import { isOpenPayment, type Payment } from '../../settlement/records/payment.ts';
import { findPublicView, type PublicView } from '../checkout-sessions/public-session.ts';
import { buildOffer, domainOf, facilitatorOf } from './build-offer.ts';
import { isObject } from './json.ts';
import * as mpp from './mpp.ts';
import type { Offer } from './offer.ts';
import { refuse } from './problem.ts';
import { payByCredential } from './pay.ts';
import { mayMoveMoney } from './proof.ts';
import { findCredentialsOf, type StoredCredential } from './store.ts';

/**
 * How long a page waits for the facilitator's list and the token's domain, the first time and later. Both are cached.
 */
const FIRST_LOOK_MS = 1_500;
const LOOK_MS = 200;

/** `pending`: a signature may still move money, so nothing else may be paid. */
export type PageAuthorization =
  | { state: 'pending' | 'open' | 'ended' }
  | { state: 'ready'; challenge: mpp.Challenge; typed_data: unknown };

/** Whether the customer of this checkout can pay by a signature alone. False if that cannot be learned quickly. */
export async function takesSignature(ctx: Context, view: PublicView): Promise<boolean> {
  const { session, payment } = view;
  const settings = ctx.config.networks[session.receiveNetwork];
  const machine = machineAsset(session.receiveNetwork, session.receiveAsset, session.livemode, settings);
  const isPossible = isOpenPayment(payment) && session.livemode && ctx.facilitators.has(session.receiveNetwork);
  if (!isPossible || machine?.family !== 'evm') return false;
  const name = `${machine.caip2} ${machine.token}`;
  const last = ctx.caches.signatureTokens.last(name);
  const asked = ctx.caches.signatureTokens.get(name, async () => {
    const found = await Promise.all([domainOf(ctx, view, machine), facilitatorOf(ctx, view, machine)]);
    return found.every((one) => one !== null);
  });
  return within(last === undefined ? FIRST_LOOK_MS : LOOK_MS, asked, last ?? false);
}

/** Whether a signature for this payment was accepted and may still move money. */
export async function isAuthorized(ctx: Pick<Context, 'db'>, payment: Payment): Promise<boolean> {
  return isOpenPayment(payment) && (await findCredentialsOf(ctx.db, payment.id)).some(mayMoveMoney);
}

/** What the customer's wallet signs to pay the amount due; without a payer, only the checkout's state. */
export async function presentAuthorization(
  ctx: Context,
  sessionId: string,
  payer: unknown,
  client: Client | null,
): Promise<PageAuthorization> {
  const view = await findPublicView(ctx, sessionId);
  const { payment, now } = view;
  if (await isAuthorized(ctx, payment)) return { state: 'pending' };
  if (!isOpenPayment(payment) || now >= payment.expiresAt) return { state: 'ended' };
  if (payer === undefined) return { state: 'open' };
  if (typeof payer !== 'string' || !isAddress(payer, { strict: false }))
    fail('invalid_request', { param: 'payer', message: '`payer` must be an address: 0x and 40 hex digits.' });
  const offer = await buildOffer(ctx, view, client);
  const challenge = mpp.challengesOf(offer, ctx.secrets).find((one) => mpp.typesOf(one).includes('authorization'));
  if (!challenge) refuse('method-unsupported', 'This checkout takes no signatures now. Send a transfer.');
  return { state: 'ready', challenge, typed_data: typedDataOf(offer, challenge, getAddress(payer)) };
}

/**
 * Takes the signature that the page's wallet made: a credential of the "Payment" HTTP scheme for its challenge, stored,
 * sent and settled like a program's.
 */
export async function payByPage(
  ctx: Context,
  sessionId: string,
  body: unknown,
  client: Client,
): Promise<{ state: StoredCredential['state'] }> {
  const { challenge, message, signature } = isObject(body) ? body : {};
  const found = mpp.toCredential({ challenge, payload: isObject(message) ? message : undefined });
  if (!found || typeof signature !== 'string')
    refuse('malformed-credential', 'Send `challenge`, `message` and `signature`.');
  if (mpp.sessionOf(found.challenge, ctx.secrets) !== sessionId)
    refuse('invalid-challenge', 'The challenge was not issued for this checkout, or it was changed.');
  const payload = { ...found.payload, type: 'authorization', signature: withPlainParity(signature) };
  const view = await findPublicView(ctx, sessionId);
  const { challenge: own } = found;
  const { state } = await payByCredential(ctx, view, { protocol: 'mpp', sessionId, challenge: own, payload }, client);
  return { state };
}

function typedDataOf(offer: Offer, challenge: mpp.Challenge, payer: string) {
  const { machine, domain } = offer;
  invariant(machine.family === 'evm' && domain, 'only tokens with a domain are offered by authorization');
  return {
    domain: { ...domain, chainId: machine.chainId, verifyingContract: machine.token },
    types: { EIP712Domain: DOMAIN_FIELDS, ...AUTHORIZATION_TYPES },
    primaryType: 'TransferWithAuthorization',
    message: {
      from: payer,
      to: offer.payTo,
      value: offer.amountUnits.toString(),
      validAfter: '0',
      validBefore: String(Math.floor(new Date(challenge.expires).getTime() / SECOND_MS)),
      nonce: challengeNonce(challenge),
    },
  };
}

const DOMAIN_FIELDS = [
  { name: 'name', type: 'string' },
  { name: 'version', type: 'string' },
  { name: 'chainId', type: 'uint256' },
  { name: 'verifyingContract', type: 'address' },
];

/** Some wallets end a signature with 0 or 1, but tokens accept only 27 and 28. */
function withPlainParity(signature: string): Hex | string {
  const [, start, parity] = /^(0x[0-9a-fA-F]{128})0([01])$/.exec(signature) ?? [];
  return start === undefined ? signature : `${start}${parity === '0' ? '1b' : '1c'}`;
}
