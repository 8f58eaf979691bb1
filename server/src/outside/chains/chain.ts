import type { AssetSymbol, ReceiveNetwork } from '@quittance/contract';
import { MINUTE_MS } from '../../platform/time.ts';
import type { SignedAuthorization, TokenDomain } from './pure/authorization.ts';
import type { SignedTransfer } from './pure/signed-transfer.ts';

/** A block as the chain links it. On Solana `number` is the slot. */
export interface BlockRef {
  number: bigint;
  hash: string;
  time: Date;
}

/** The newest block, and how far the chain itself calls blocks safe and finalized (null where it has no such tag). */
export interface Head extends BlockRef {
  safe: bigint | null;
  finalized: bigint | null;
}

/**
 * One inbound transfer, read and normalised: exact asset of ours, net amount credited, canonical addresses
 * (EIP-55 checksummed, or base58). Foreign tokens never become one.
 */
export interface Transfer {
  network: ReceiveNetwork;
  /** Lower-case 0x hex, or Solana's signature in base58. */
  txHash: string;
  /** Its ordinal within the transaction among transfers of its kind, so that a reorganisation cannot make two of one. */
  index: number;
  asset: AssetSymbol;
  /** The debited account; null where no instruction or call shows one. */
  from: string | null;
  to: string;
  amountUnits: bigint;
  block: BlockRef;
  /**
   * References that the debited account put on this transfer, as bytes: 32 (Solana Pay key in the transfer's
   * instruction, or memo) or 16 (calldata tag). A loose one counts only where the transaction holds a single transfer
   * to watched wallets, and only where the debited account sent or signed the transaction itself.
   */
  carried: Uint8Array[];
  /**
   * References that stand in the transaction and that anybody may have put there, at most 4. They attribute nothing;
   * they only name the payment that was probably meant. Left out where there are none.
   */
  unproven?: Uint8Array[];
  /**
   * A balance that grew without a transaction that anybody could show: a native transfer from inside a contract, where
   * no provider traces. `txHash` is then `block:<number>:<address>`, and `from` null.
   */
  untraced?: true;
}

/** What is watched on a network: payout wallet addresses, canonical. A set is never changed in place: make a new one. */
export interface Watching {
  addresses: ReadonlySet<string>;
  /** Only what an address sent to itself is shown. It brings no money, but proves who moves the address's money. */
  selfTransfers?: true;
}

/** What providers answered while one transaction was verified, and how many JSON-RPC calls they were sent for it. */
export interface CheckMemory {
  answers: Map<string, Promise<unknown>>;
  calls: number;
}

export function createCheckMemory(): CheckMemory {
  return { answers: new Map(), calls: 0 };
}

export type Pass = 'first' | 'second';

/** A payment that a reverted transaction was meant to make, with the references that it carried. */
export interface RevertedPayment {
  txHash: string;
  to: string;
  carried: Uint8Array[];
}

/** One transaction, looked up by its hash. */
export interface FoundTransaction {
  transfers: Transfer[];
  /** Null where it succeeded; otherwise the payments to watched addresses that it was meant to make. */
  reverted: RevertedPayment[] | null;
}

/** What one reading brought. */
export interface Reading {
  transfers: Transfer[];
  /** Payments to watched addresses that reverted, where the chain shows them cheaply. */
  reverted: RevertedPayment[];
  /** Everything after the block read from and up to this one has been read; the cursor may move here. */
  covered: BlockRef;
  /** The provider (host name only) it came from. */
  provider: string;
}

/** How far a chain has come, as far as finality needs it. */
export interface VerdictHead {
  number: bigint;
  safe: bigint | null;
  finalized: bigint | null;
}

/** A provider counts as unreachable only after every call to it has failed for this long. */
export const UNREACHABLE_MIN_MS = 10 * MINUTE_MS;

/** A provider that could not be asked, and for how long every call to it has failed. */
export interface Unreachable {
  provider: string;
  forMs: number;
}

/** What became of a transfer that was seen before, by the agreement of the configured providers (`rpc/quorum.ts`). */
export type Verdict =
  /**
   * It stands in this block. `providers` agree on receipt and block, `head` is how far the chain has come by their
   * agreement. `alone` names the providers that could not be asked where one of two decided without the other: the caller
   * must not act on that before the time, nor beyond the limits, that decision 12 sets.
   */
  | {
      type: 'stands';
      transfer: Transfer;
      providers: string[];
      head: VerdictHead;
      alone: { unreachable: Unreachable[] } | null;
    }
  /** Its transaction is no longer on the chain, or no longer pays this. What turned out to be there instead comes with it. */
  | { type: 'gone'; instead?: Transfer[] }
  /** Two providers contradict each other: hold, and alarm. */
  | { type: 'disagree'; details: string }
  /** A provider that is alive has not reached the block yet: ask again. */
  | { type: 'wait'; details: string }
  /** Too few providers answered; ask again. */
  | { type: 'unknown'; details: string };

/**
 * One network. Every answer is validated where it enters; a provider that fails is changed for another. Throws
 * `TemporaryError` where no provider answers.
 */
export interface Chain {
  readonly network: ReceiveNetwork;
  /** The newest block that the pass's provider knows. Never goes back in time for one pass unless the chain forked. */
  head(pass: Pass): Promise<Head>;
  /** The block of this number as the chain has it now, or undefined where it has none yet. A pass asks its own provider. */
  block(number: bigint, pass?: Pass): Promise<BlockRef | undefined>;
  /** The last block at or before an instant: where watching begins. */
  blockAt(time: Date): Promise<BlockRef>;
  /**
   * Reads what came to watched addresses after `after`, as far towards `until` as one step goes (windows adapt to the
   * providers). Throws `ForkError` where `after` is no longer on the chain.
   */
  read(after: BlockRef, until: Head, watching: Watching, pass: Pass): Promise<Reading>;
  /**
   * Verifies a seen transfer with every configured provider. With a `memory` shared by the transfers of one transaction,
   * each provider is asked about that transaction once.
   */
  check(transfer: Transfer, watching: Watching, memory?: CheckMemory): Promise<Verdict>;
  /**
   * Reads one transaction by hash: a customer's hint, a claim, or a provider's payout. Undefined where it is unknown. On
   * EVM networks native money from inside a contract is found only where the transaction names the watched address. A
   * hint has a budget of its own (`TemporaryError` where it is used up) with a share per client, and is answered from memory for
   * 10 seconds. So has a wallet's proof: strangers' hints do not delay it.
   */
  transaction(
    txHash: string,
    watching: Watching,
    options?: { asked?: 'hint' | 'proof'; client?: string | undefined },
  ): Promise<FoundTransaction | undefined>;
  /** Whether a contract lives at an address, where there are such: it may refuse a transfer that carries data. */
  hasCode?(address: string): Promise<boolean>;
  /** What lives at an address that is no ordinary wallet: worth a second look before money is sent there for good. */
  inhabitantOf?(address: string): Promise<Inhabitant | null>;
  /** An unsigned transfer in base64 for a connected wallet to sign and send, on networks where a page cannot make one by itself. */
  buildTransfer?(request: TransferRequest): Promise<string>;
  /** Hands a signed transaction to every provider; false where none took it, which is no proof that none sent it. */
  broadcast?(signed: string): Promise<boolean>;
  /** Whether a signed transaction of Solana (base64) would succeed now. */
  accepts?(signed: string): Promise<boolean>;
  /** What payments by a signature alone need to know, on networks of the Ethereum family. */
  readonly signed?: SignedPayments;
  /** How providers fare, for `/readyz`; what nobody answers for is not offered on the checkout page. */
  health(): ChainHealth;
  close(): Promise<void>;
}

/** A contract (on Solana: an account that a program owns), a program, or an account that holds a single token. */
export type Inhabitant = 'contract' | 'program' | 'token_account';

/** What one network shows about payments that were signed and are not on the chain yet. Addresses are checksummed. */
export interface SignedPayments {
  /** The name and version that payers of a token sign, read from the contract and checked; null where it has none. */
  domain(token: string): Promise<TokenDomain | null>;
  /** Whether an authorization would move its money now. */
  accepts(token: string, authorization: SignedAuthorization): Promise<boolean>;
  /** Whether a signed transaction would: it is its sender's next one, and token and fee can be paid. */
  acceptsTransfer(transfer: SignedTransfer): Promise<boolean>;
  /** Whether an authorization was used or canceled. True if any provider says so, null where one does not answer. */
  isUsed(token: string, payer: string, nonce: string): Promise<boolean | null>;
  /** Whether all providers agree that an account has sent a transaction of this number. */
  isNonceSpent(payer: string, nonce: number): Promise<boolean>;
}

export interface TransferRequest {
  /** The customer's wallet: it signs and pays what the network takes. */
  from: string;
  /** The payout wallet. */
  to: string;
  asset: AssetSymbol;
  amountUnits: bigint;
  /** As it is shown; goes along, so that the payment is known by it. A refund has none. */
  reference: string | null;
  memo?: string;
}

export interface ChainHealth {
  reachable: boolean;
  providers: { name: string; healthy: boolean; lastError: string | null }[];
}

/** The block read from is no longer on the chain. */
export class ForkError extends Error {
  override readonly name = 'ForkError';
}
