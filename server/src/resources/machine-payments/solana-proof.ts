import { base58 } from '@scure/base';
import type { Context } from '../../context.ts';
import { readSignedSolanaTransfer, tokenAccountOf } from '../../outside/chains/pure/signed-solana-transfer.ts';
import { isSignature } from '../../outside/chains/solana-key.ts';
import { later, MINUTE_MS } from '../../platform/time.ts';
import { canBeSigned, type Offer } from './offer.ts';
import { refuse } from './problem.ts';
import type { Credential, ValidProof, Proof } from './proof.ts';
import { requirementsOf } from './x402.ts';

/** A transaction is valid for 150 blocks, about a minute. After this time it is not looked up any more. */
const TRANSACTION_LIFE_MS = 10 * MINUTE_MS;

/** Reads a signed Solana transaction, whose fee the payer or (in x402) the facilitator pays. */
export function readSolanaTransaction(ctx: Context, credential: Credential): Proof {
  const { transaction } = credential.payload;
  const transfer = typeof transaction === 'string' ? readSignedSolanaTransfer(transaction) : undefined;
  if (!transfer || typeof transaction !== 'string')
    refuse(
      'malformed-credential',
      'The transaction cannot be read as one transfer that the payer signed, with nothing beside it but memos and compute limits.',
    );
  return {
    kind: 'transaction',
    replayText: base58.encode(transfer.payerSignature),
    trace: transfer.txHash === null ? { type: 'memo' } : { type: 'transaction', txHash: transfer.txHash },
    async verify(offer): Promise<ValidProof> {
      await requireTransfer(transfer, offer);
      const send = credential.protocol === 'x402' ? toSettle(transaction, offer) : toBroadcast(transaction, transfer);
      if (credential.protocol === 'x402') requireFeePayer(transfer, offer);
      // Without a reserved amount only the memo identifies the payment.
      if (credential.protocol === 'x402' || !offer.isReserved) requireMemo(transfer, offer);
      if (!offer.isReserved) await requireOwnSource(transfer);
      if (offer.livemode && !(await ctx.chains.get(offer.network)?.accepts?.(transaction)))
        refuse(
          'verification-failed',
          'The network would not carry the transaction out now: check its blockhash, and the balances for amount and fee.',
        );
      return {
        payer: transfer.payer,
        token: transfer.mint,
        nonce: null,
        validBefore: later(offer.now, TRANSACTION_LIFE_MS),
        txHash: transfer.txHash,
        send,
      };
    },
  };
}

/** Reads the signature of a transaction that the payer has sent. */
export function readSolanaSignature({ payload }: Credential): Proof {
  const { signature } = payload;
  if (typeof signature !== 'string' || !isSignature(signature))
    refuse('malformed-credential', '`signature` must be the signature of a transaction: 64 bytes in base58.');
  return {
    kind: 'signature',
    replayText: signature,
    trace: { type: 'transaction', txHash: signature },
    verify: async () => ({
      payer: null,
      token: null,
      nonce: null,
      validBefore: null,
      txHash: signature,
      send: { type: 'look', txHash: signature },
    }),
  };
}

type Transfer = NonNullable<ReturnType<typeof readSignedSolanaTransfer>>;

async function requireTransfer(transfer: Transfer, offer: Offer): Promise<void> {
  const { machine } = offer;
  if (machine.family !== 'solana' || transfer.mint !== machine.mint)
    refuse('verification-failed', 'The transaction moves another coin than the one that is asked for.');
  const destination = machine.mint === null ? offer.payTo : await tokenAccountOf(offer.payTo, machine.mint);
  if (transfer.destination !== destination)
    refuse('verification-failed', 'The transaction pays another account than the one that is asked for.');
  if (transfer.amountUnits !== offer.amountUnits)
    refuse(
      transfer.amountUnits < offer.amountUnits ? 'payment-insufficient' : 'verification-failed',
      `The transaction moves ${transfer.amountUnits} units; exactly ${offer.amountUnits} are asked for.`,
    );
}

function toBroadcast(transaction: string, transfer: Transfer): ValidProof['send'] {
  if (!transfer.isComplete)
    refuse('verification-failed', 'A signature is missing or wrong: the payer pays the fee and signs the whole.');
  return { type: 'broadcast', signed: transaction };
}

function toSettle(transaction: string, offer: Offer): ValidProof['send'] {
  const requirements = requirementsOf(offer);
  if (!requirements || !canBeSigned(offer))
    refuse('method-unsupported', 'No facilitator settles this checkout now. Use one of the offered types.');
  return { type: 'settle', payload: { transaction }, requirements, resourceUrl: offer.resourceUrl };
}

/** The fee payer must be the facilitator's key. */
function requireFeePayer(transfer: Transfer, offer: Offer): void {
  if (transfer.feePayer !== offer.facilitator?.feePayer)
    refuse('verification-failed', 'The fee payer is not the one that is asked for.');
  if (transfer.payer === transfer.feePayer)
    refuse('verification-failed', 'The fee payer must not be the account that pays.');
}

/** The memo must contain the reference, which identifies the payment. */
function requireMemo(transfer: Transfer, offer: Offer): void {
  if (transfer.memos.length !== 1 || transfer.memos[0] !== offer.reference)
    refuse('verification-failed', 'The transaction must have one memo: the reference that is asked for.');
}

/** A memo counts only if the debited account signed it, and the key that signs may be its delegate. */
async function requireOwnSource({ payer, mint, source }: Transfer): Promise<void> {
  if (mint !== null && source !== (await tokenAccountOf(payer, mint)))
    refuse(
      'verification-failed',
      'The transaction must debit the associated token account of the key that signs it: only its memo names the payment.',
    );
}
