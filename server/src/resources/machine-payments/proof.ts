import type { SignedAuthorization } from '../../outside/chains/pure/authorization.ts';
import { sha256 } from '../../platform/secrets.ts';
import type { Challenge } from './mpp.ts';
import type { Offer } from './offer.ts';
import type { PaymentRequirements, X402Credential } from './x402.ts';
import type { StoredCredential } from './store.ts';

/** A well-formed credential of either protocol. Its contents are not verified yet. */
export type Credential =
  | { protocol: 'mpp'; sessionId: string; challenge: Challenge; payload: Record<string, unknown> }
  | ({ protocol: 'x402'; sessionId: string | null } & X402Credential);

/** What is sent once a credential is stored. */
export type Sendable =
  | { type: 'broadcast'; signed: string }
  | { type: 'settle'; payload: unknown; requirements: PaymentRequirements; resourceUrl: string }
  /** The payer has sent it, so it is only looked up. */
  | { type: 'look'; txHash: string };

/** How a network shows that a credential was carried out. */
export type Trace =
  | { type: 'transaction'; txHash: string }
  | { type: 'authorization'; one: SignedAuthorization }
  /** A facilitator's transaction, whose hash is not known. Its memo names the payment once it is read. */
  | { type: 'memo' };

/** A credential's contents, and how to verify them against an offer. Reading them asks no network. */
export interface Proof {
  kind: StoredCredential['kind'];
  /** Identifies what can be used only once. */
  replayText: string;
  trace: Trace;
  /** Compares it with the offer and asks the chain; throws a `PaymentProblemError` if it does not pay the offer. */
  verify(offer: Offer): Promise<ValidProof>;
}

/** A proof that pays the offer, as far as is known before it is sent. */
export interface ValidProof extends Pick<StoredCredential, 'payer' | 'token' | 'nonce' | 'validBefore' | 'txHash'> {
  /** The transaction's nonce, on networks where an account numbers its transactions. */
  accountNonce?: bigint;
  send: Sendable;
}

/**
 * A transaction or an authorization is the same for every payment. A hash proves nothing, so each payment has its own
 * key for it.
 */
export function replayKeyOf(proof: Pick<Proof, 'kind' | 'replayText'>, paymentId: string): Buffer {
  return sha256([proof.kind, proof.replayText, ...(isProof(proof) ? [] : [paymentId])].join(' '));
}

/**
 * Whether the payer signed a credential of this kind. A hash or a signature only names a transaction, and anyone can
 * make one up.
 */
export function isProof({ kind }: Pick<StoredCredential, 'kind'>): boolean {
  return kind === 'transaction' || kind === 'authorization';
}

/** Whether an open credential of this kind may move money, so that no other one may be requested meanwhile. */
export function mayMoveMoney(credential: Pick<StoredCredential, 'kind' | 'state'>): boolean {
  return credential.state === 'open' && isProof(credential);
}
