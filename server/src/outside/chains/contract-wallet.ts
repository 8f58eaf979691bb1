import type { ReceiveNetwork } from '@quittance/contract';

export type EvmNetwork = Exclude<ReceiveNetwork, 'solana'>;

/** Who asks. Each kind has places of its own, so that strangers' logins delay neither proofs nor claims. */
export type SignatureAsker =
  | { for: 'login'; client: string | undefined }
  | { for: 'proof'; account: string }
  | { for: 'claim' };

/** Asks a chain whether a wallet that is a contract, and so has no key of its own, stands by a signature. */
export interface ContractWalletVerifier {
  /**
   * True only where two providers of the network agree, because one alone could let itself into any account. False where the
   * wallet says no, has no code, or fewer than two providers answered. Throws `TemporaryError` when too much is asked at once,
   * by all askers of a kind, by this one, or about this address.
   */
  isSigned(
    signed: { network: EvmNetwork; address: string; message: string; signature: string },
    asker: SignatureAsker,
  ): Promise<boolean>;
}
