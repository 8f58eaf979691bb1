import { getAddress, type Hex, isAddress, isHash } from 'viem';
import type { Context } from '../../context.ts';
import { challengeNonce, isSignedByPayer, type SignedAuthorization } from '../../outside/chains/pure/authorization.ts';
import {
  readSignedTransfer,
  type SignedTransfer,
  type TransferFault,
} from '../../outside/chains/pure/signed-transfer.ts';
import { later, SECOND_MS } from '../../platform/time.ts';
import { isObject } from './json.ts';
import { canBeSigned, latestSignature, type Offer } from './offer.ts';
import { refuse } from './problem.ts';
import type { Credential, ValidProof, Proof } from './proof.ts';
import { requirementsOf } from './x402.ts';

/** A payment with less time left could end before it is mined. */
const MIN_VALID_MS = 6 * SECOND_MS;
/** How much later than requested a signature may end, because clocks differ. */
const MAX_VALID_MS = 900 * SECOND_MS;

/** Reads an EIP-3009 authorization of either protocol. */
export function readAuthorization(ctx: Context, credential: Credential): Proof {
  const one = authorizationIn(credential);
  return {
    kind: 'authorization',
    replayText: `${one.from} ${one.nonce}`,
    trace: { type: 'authorization', one },
    verify: (offer) => verifyAuthorization(ctx, credential, one, offer),
  };
}

/** Reads a raw signed transaction. */
export async function readTransaction(ctx: Context, { payload }: Credential): Promise<Proof> {
  const { signature: raw } = payload;
  const transfer = typeof raw === 'string' ? await readSignedTransfer(raw) : undefined;
  if (!transfer || typeof raw !== 'string')
    refuse('malformed-credential', 'The transaction cannot be read as one signed token transfer and nothing else.');
  return {
    kind: 'transaction',
    replayText: transfer.txHash,
    trace: { type: 'transaction', txHash: transfer.txHash },
    async verify(offer) {
      const { machine } = offer;
      if (machine.family !== 'evm' || transfer.chainId !== machine.chainId)
        refuse('verification-failed', 'The transaction is for another network.', 'invalid_network');
      if (transfer.token !== getAddress(machine.token))
        refuse('verification-failed', 'The transaction calls another token than the one that is asked for.');
      requireRecipient(transfer.to, offer);
      requireAmount(transfer.amountUnits, offer);
      if (offer.livemode) await requireNoFault(ctx, transfer, offer);
      return {
        payer: transfer.from,
        token: machine.token,
        nonce: null,
        accountNonce: BigInt(transfer.nonce),
        validBefore: null,
        txHash: transfer.txHash,
        send: { type: 'broadcast', signed: raw },
      };
    },
  };
}

const FAULTS: Record<TransferFault, string> = {
  gas: 'No block takes the transaction: its `gas` is less than the transfer needs, or more than one transaction may have.',
  maxFeePerGas:
    'No block takes the transaction now: its `maxFeePerGas`, or its `gasPrice`, is below the base fee of the newest block.',
  other: 'The network would not carry the transaction out now: check its nonce, and the balances for amount and fee.',
};

async function requireNoFault(ctx: Context, transfer: SignedTransfer, { network }: Offer): Promise<void> {
  const { signed } = ctx.chains.get(network) ?? {};
  const fault = signed ? await signed.faultOf(transfer) : 'other';
  if (fault !== null) refuse('verification-failed', FAULTS[fault]);
}

/** Reads the hash of a transaction that the payer has sent. */
export function readHash({ payload }: Credential): Proof {
  const { hash } = payload;
  if (typeof hash !== 'string' || !isHash(hash))
    refuse('malformed-credential', '`hash` must be a transaction hash: 0x and 64 hex digits.');
  const txHash = hash.toLowerCase();
  return {
    kind: 'hash',
    replayText: txHash,
    trace: { type: 'transaction', txHash },
    verify: async () => ({
      payer: null,
      token: null,
      nonce: null,
      validBefore: null,
      txHash,
      send: { type: 'look', txHash },
    }),
  };
}

function authorizationIn({ protocol, payload }: Credential): SignedAuthorization {
  const fields = protocol === 'mpp' ? payload : isObject(payload.authorization) ? payload.authorization : {};
  const { from, to, value, validAfter, validBefore, nonce } = fields;
  const { signature } = payload;
  if (
    !isPlainAddress(from) ||
    !isPlainAddress(to) ||
    !isNumber(value) ||
    !isNumber(validAfter) ||
    !isNumber(validBefore) ||
    typeof nonce !== 'string' ||
    !isHash(nonce) ||
    typeof signature !== 'string' ||
    !/^0x[0-9a-fA-F]{130}$/.test(signature)
  )
    refuse(
      'malformed-credential',
      'The authorization must have from, to, value, validAfter, validBefore, a nonce of 32 bytes and a signature of 65 bytes.',
    );
  return {
    from: getAddress(from),
    to: getAddress(to),
    value: BigInt(value),
    validAfter: BigInt(validAfter),
    validBefore: BigInt(validBefore),
    nonce: nonce.toLowerCase() as Hex,
    signature: signature.toLowerCase() as Hex,
  };
}

async function verifyAuthorization(
  ctx: Context,
  credential: Credential,
  one: SignedAuthorization,
  offer: Offer,
): Promise<ValidProof> {
  const { machine, domain } = offer;
  const requirements = requirementsOf(offer);
  if (machine.family !== 'evm' || !domain || !requirements || !canBeSigned(offer))
    refuse('method-unsupported', 'This checkout takes no authorizations now. Use one of the offered types.');
  requireRecipient(one.to, offer);
  requireAmount(one.value, offer);
  requireTime(one, offer);
  if (credential.protocol === 'mpp' && one.nonce !== challengeNonce(credential.challenge))
    refuse('verification-failed', 'The nonce is not the hash of the challenge.');
  if (!(await isSignedByPayer({ chainId: machine.chainId, address: machine.token, domain }, one)))
    refuse(
      'verification-failed',
      "The signature is not the payer's for this token, network and authorization.",
      'invalid_exact_evm_payload_signature',
    );
  if (offer.livemode && !(await ctx.chains.get(offer.network)?.signed?.accepts(machine.token, one)))
    refuse(
      'verification-failed',
      "The token would not carry the authorization out now: it was used, the payer's balance is too low, or it is not valid yet.",
      'insufficient_funds',
    );
  const { signature, ...message } = one;
  const authorization = {
    ...message,
    value: message.value.toString(),
    validAfter: message.validAfter.toString(),
    validBefore: message.validBefore.toString(),
  };
  return {
    payer: one.from,
    token: machine.token,
    nonce: Buffer.from(one.nonce.slice(2), 'hex'),
    validBefore: new Date(Number(one.validBefore) * SECOND_MS),
    txHash: null,
    send: { type: 'settle', payload: { signature, authorization }, requirements, resourceUrl: offer.resourceUrl },
  };
}

function requireRecipient(to: string, { payTo }: Offer): void {
  if (getAddress(to) !== getAddress(payTo))
    refuse(
      'verification-failed',
      'The payment goes to another address than the one that is asked for.',
      'invalid_exact_evm_payload_recipient_mismatch',
    );
}

function requireAmount(units: bigint, { amountUnits }: Offer): void {
  if (units === amountUnits) return;
  refuse(
    units < amountUnits ? 'payment-insufficient' : 'verification-failed',
    `The payment moves ${units} units; exactly ${amountUnits} are asked for.`,
    'invalid_exact_evm_payload_authorization_value_mismatch',
  );
}

function requireTime({ validAfter, validBefore }: SignedAuthorization, offer: Offer): void {
  const { now } = offer;
  const seconds = (instant: Date) => BigInt(Math.floor(instant.getTime() / SECOND_MS));
  if (validBefore < seconds(later(now, MIN_VALID_MS)))
    refuse('payment-expired', 'The authorization ends too soon, or has ended.');
  if (validBefore > seconds(latestSignature(offer)) || validBefore > seconds(later(now, MAX_VALID_MS)))
    refuse('verification-failed', 'The authorization is valid for longer than it was asked for.');
  if (validAfter >= seconds(now))
    refuse(
      'verification-failed',
      'The authorization is not valid yet.',
      'invalid_exact_evm_payload_authorization_valid_after',
    );
}

function isPlainAddress(value: unknown): value is string {
  return typeof value === 'string' && isAddress(value, { strict: false });
}

function isNumber(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9]{1,78}$/.test(value) && BigInt(value) < 2n ** 256n;
}
