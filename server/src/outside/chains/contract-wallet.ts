import type { EvmNetwork } from '@quittance/contract';
import type { Client } from '../../platform/http/admission/client.ts';

/** Who asks. Each kind has its own slots, so that logins of strangers delay neither proofs nor claims. */
export type SignatureAsker = { for: 'login' | 'proof'; client: Client | null } | { for: 'claim' };

/** Checks signatures of contract wallets, which have no key of their own. */
export interface ContractWalletVerifier {
  /**
   * True only if two providers of the network agree, because a single one could log itself in to any account. False if
   * the wallet rejects the signature, has no code, or fewer than two providers answered. Throws `TemporaryError` if too
   * many checks are running, of the same kind, for the same asker, or of the same address.
   */
  isSigned(
    signed: { network: EvmNetwork; address: string; message: string; signature: string },
    asker: SignatureAsker,
  ): Promise<boolean>;
}
