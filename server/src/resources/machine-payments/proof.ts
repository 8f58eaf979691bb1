import { sha256 } from '../../platform/secrets.ts';
import type { Challenge } from './mpp.ts';
import type { Offer } from './offer.ts';
import type { PaymentRequirements } from './x402.ts';
import type { StoredCredential } from './store.ts';

/** A credential of either protocol, well-formed. Nothing in it is believed yet. */
export type Credential =
  | { protocol: 'mpp'; sessionId: string; challenge: Challenge; payload: Record<string, unknown> }
  | { protocol: 'x402'; sessionId: string | null; accepted: Record<string, unknown>; payload: Record<string, unknown> };

/** What leaves the process once a credential is stored. */
export type Sendable =
  /** `number` is the sender's transaction number, on networks that count them. */
  | { type: 'broadcast'; signed: string; number?: number }
  | { type: 'settle'; payload: unknown; requirements: PaymentRequirements; resourceUrl: string }
  /** The payer has sent it; it is only looked for. */
  | { type: 'look'; txHash: string };

/** What a credential contains, read without asking anybody, and how it is judged against an offer. */
export interface Proof {
  kind: StoredCredential['kind'];
  /** Names what can be used once only. */
  replayText: string;
  /** Compares it with the offer, and asks the chain; throws a `PaymentProblemError` where it does not pay the offer. */
  judge(offer: Offer): Promise<Judged>;
}

/** A proof that pays the offer, as far as can be told before it is sent. */
export interface Judged extends Pick<StoredCredential, 'payer' | 'token' | 'nonce' | 'validBefore' | 'txHash'> {
  send: Sendable;
}

/** A transaction or an authorization is one wherever it is presented; a hash proves nothing, so each payment has its own. */
export function replayKeyOf(proof: Pick<Proof, 'kind' | 'replayText'>, paymentId: string): Buffer {
  return sha256([proof.kind, proof.replayText, ...(isProof(proof) ? [] : [paymentId])].join(' '));
}

/** Whether a credential of this kind is signed by its payer. A hash or a signature only names a transaction, and anyone can make one up. */
export function isProof({ kind }: Pick<StoredCredential, 'kind'>): boolean {
  return kind === 'transaction' || kind === 'authorization';
}

/** Whether an open credential of this kind may move money, so that no other may be asked for meanwhile. */
export function mayMoveMoney(credential: Pick<StoredCredential, 'kind' | 'state'>): boolean {
  return credential.state === 'open' && isProof(credential);
}
