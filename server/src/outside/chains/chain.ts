import type { AssetSymbol, ReceiveNetwork } from '@quittance/contract';
import type { Client, Stranger } from '../../platform/http/admission/client.ts';
import { MINUTE_MS } from '../../platform/time.ts';
import type { SignedAuthorization, TokenDomain } from './pure/authorization.ts';
import type { SignedTransfer, TransferFault } from './pure/signed-transfer.ts';

/** A block reference. On Solana `number` is the slot. */
export interface BlockRef {
  number: bigint;
  hash: string;
  time: Date;
}

/**
 * The newest block and the chain's own safe and finalized block numbers: null if it has no such tag, and `NOT_ASKED` where they
 * were not asked for, so that nothing is final by them.
 */
export interface Head extends BlockRef {
  safe: bigint | null;
  finalized: bigint | null;
}

/** Before every block. Null would let a count of blocks decide instead. */
export const NOT_ASKED = -1n;

/** A head as a provider reports it; without tags if they were not asked for. */
export type ReportedHead = BlockRef & Partial<Pick<Head, 'safe' | 'finalized'>>;

/** Whether a head needs current tags. Each costs as much as the head itself. */
export interface HeadOptions {
  tags: boolean;
}

export interface CheckOptions extends HeadOptions {
  /**
   * Whether the caller needs no higher head. Until it is enough, slower providers are waited for, for seconds: of three,
   * one of the first two to answer may stand still. Omitted, any head is enough.
   */
  isEnough?: ((head: VerdictHead) => boolean) | undefined;
}

/**
 * One inbound transfer, normalized: an exact asset of the Safe List, the net amount credited, canonical addresses
 * (EIP-55 checksummed, or base58). Other tokens never become a transfer.
 */
export interface Transfer {
  network: ReceiveNetwork;
  /** Lowercase 0x hex, or Solana's signature in base58. */
  txHash: string;
  /** The ordinal within the transaction among transfers of its kind, so that a reorg cannot duplicate a transfer. */
  index: number;
  asset: AssetSymbol;
  /** The debited account; null if no instruction or call shows one. */
  from: string | null;
  to: string;
  amountUnits: bigint;
  block: BlockRef;
  /**
   * References that the debited account attached to this transfer, as bytes: 32 (Solana Pay key in the transfer's
   * instruction, or memo) or 16 (calldata tag). A loose reference counts only if the transaction has a single transfer
   * to watched wallets and the debited account sent or signed the transaction itself.
   */
  carried: Uint8Array[];
  /**
   * At most 4 references in the transaction that anyone may have written. They attribute nothing and only name the
   * likely payment. Omitted if empty.
   */
  unproven?: Uint8Array[];
  /**
   * A balance increase without a known transaction: an internal transfer that no provider traces. `txHash` is
   * `block:<number>:<address>`, and `from` is null.
   */
  untraced?: true;
}

/** The watched payout wallet addresses of a network, canonical. A set is never mutated: create a new one. */
export interface Watching {
  addresses: ReadonlySet<string>;
  /** Returns only transfers from an address to itself. They bring no money but prove control of the address. */
  selfTransfers?: true;
  /**
   * The sum of the other stored transfers of the same coin to the same address in the same block: those that no
   * transaction shows, and those with a higher index than the given one. For providers that show only a balance, which
   * must cover all of them.
   */
  creditedBeside?(transfer: Transfer, aboveIndex: number): Promise<bigint>;
}

/** Cached answers of providers while something is verified or looked up, and the number of JSON-RPC calls sent for it. */
export interface AnswerCache {
  answers: Map<string, Promise<unknown>>;
  calls: number;
}

export function createAnswerCache(): AnswerCache {
  return { answers: new Map(), calls: 0 };
}

export type Pass = 'first' | 'second';

/** Which pass begins to read, and the head that it reads toward. */
export interface Start {
  pass: Pass;
  head: Head;
}

/** A block, and the provider that named it. */
export interface NamedBlock extends BlockRef {
  provider?: string;
}

/** A payment that a reverted transaction attempted, with the references that its payer attached. */
export interface RevertedPayment {
  txHash: string;
  /** Null if a contract would have paid. */
  from: string | null;
  to: string;
  amountUnits: bigint;
  carried: Uint8Array[];
}

/** One transaction, looked up by its hash. */
export interface FoundTransaction {
  /** The host name of the provider that knew it. */
  provider: string;
  transfers: Transfer[];
  /** Null if it succeeded; otherwise the payments to watched addresses that it attempted. */
  reverted: RevertedPayment[] | null;
  /** The block in which it reverted, or paid no watched address; on the sandbox it is not said. */
  emptyIn?: bigint;
  /** A second provider that says the same: that it reverted, or that it pays no watched address. */
  alsoBy?: string;
  /** No money moved, by as many providers as a verdict needs: it reverted, or they do not know it. */
  movedNothing?: true;
}

/** One read step: from which block toward which head, for which wallets, in which pass. */
export interface ReadStep {
  after: BlockRef;
  until: Head;
  watching: Watching;
  pass: Pass;
  /** For the second pass: the provider that the first pass read these blocks from, if that is known. */
  firstReader?: string | undefined;
  /** The provider to read from, for a look beside the passes, which choose theirs. */
  only?: string;
  /** Whether references are traced without a limit: a watcher must not be delayed by strangers, and a person may wait. */
  tracesAll?: true;
}

/** Blocks, `from` and `to` included, in which some transfers of an asset could not be looked for. */
export interface UnseenBlocks {
  asset: AssetSymbol;
  from: BlockRef;
  to: BlockRef;
  /** What the providers lack. */
  why: string;
}

/** The result of one read step. */
export interface Reading {
  transfers: Transfer[];
  /** Reverted payments to watched addresses, if the chain reveals them at low cost. */
  reverted: RevertedPayment[];
  /** All blocks after the starting block up to this one have been read. The cursor may move here. */
  covered: BlockRef;
  /** The host name of the provider. */
  provider: string;
  /** Covered blocks in which not everything could be looked for. Omitted if everything could. */
  unseen?: UnseenBlocks[];
  /** Nothing was covered although a provider names a higher head: none of them served a block. */
  isStalled?: true;
}

/** The chain's progress as needed for finality. */
export interface VerdictHead {
  number: bigint;
  safe: bigint | null;
  finalized: bigint | null;
  /** Whether fewer providers than a verdict needs know a tag: one of them may have invented it. */
  hasTagOfFew?: true;
}

/** A provider counts as unreachable only after every call to it has failed for this long. */
export const UNREACHABLE_MIN_MS = 10 * MINUTE_MS;

/** After this time without an answer of any other provider, one provider's reading decides what has been read. */
export const DOWN_TO_ONE_AFTER_MS = 1 * MINUTE_MS;

/** An unreachable provider, and for how long every call to it has failed. */
export interface Unreachable {
  provider: string;
  forMs: number;
}

/** The verdict on a seen transfer, by the quorum of the configured providers (`rpc/quorum.ts`). */
export type Verdict =
  /**
   * The transfer is in this block. `providers` agree on receipt and block, and `head` is the chain's progress by their
   * agreement. `alone` lists the unreachable providers if one of two decided without the other. The caller must then
   * respect the waiting time and the limits of decision 12.
   */
  | {
      type: 'stands';
      transfer: Transfer;
      providers: string[];
      head: VerdictHead;
      alone: { unreachable: Unreachable[] } | null;
    }
  /**
   * The transaction is no longer on the chain, or no longer makes this transfer. `instead` has its current transfers,
   * `named` what too few say of them, `alone` who said so if one of two decided without the other.
   */
  | { type: 'gone'; instead?: Transfer[]; named?: Transfer[]; alone?: { provider: string; unreachable: string[] } }
  /**
   * Providers disagree: hold the transfer and raise an alarm. `isDenied` if as many as a verdict needs deny it or its
   * references: it cannot stand as it was reported.
   */
  | { type: 'disagree'; details: string; isDenied?: true }
  /** A reachable provider has not reached the block yet: retry. */
  | { type: 'wait'; details: string }
  /** Too few providers answered: retry. */
  | { type: 'unknown'; details: string };

/**
 * One network. Every response is validated on entry, and a failing provider is replaced by another. Throws
 * `TemporaryError` if no provider answers.
 */
export interface Chain {
  readonly network: ReceiveNetwork;
  /** The newest block of the pass's provider, by default with its tags. Never goes back for one pass unless the chain reorganized. */
  head(pass: Pass, options?: HeadOptions): Promise<Head>;
  /** The canonical block with this number, or undefined if it does not exist yet. Each pass uses its own provider. */
  block(number: bigint, by?: Pass | { only: string }): Promise<BlockRef | undefined>;
  /**
   * Whether most of three or more providers have this block, so that one that claims another in its place is not followed.
   * False with fewer providers, which decide as they are asked, and while too few answer.
   */
  isHeldByMost(block: BlockRef): Promise<boolean>;
  /**
   * The last block at or before an instant, where watching begins: the earliest that any provider names, but not absurdly
   * far below the head of `start`. Its first pass waits for slow providers for seconds only, its second pass until a second
   * one has answered. With the provider that named the block, so that the second pass reads what is before it by others.
   */
  blockAt(time: Date, start?: Start): Promise<NamedBlock>;
  /**
   * Reads the transfers to watched addresses after `after`, toward `until` as far as one step goes (windows adapt to
   * the providers). Throws `ReorgError` if `after` is no longer on the chain. The second pass never reads from the
   * provider of the first, and waits while no other one answers.
   */
  read(step: ReadStep): Promise<Reading>;
  /**
   * Verifies a seen transfer with every configured provider. With a `cache` shared by the transfers of one
   * transaction, each provider is asked about that transaction once. The verdict's head has tags only if they are asked for,
   * as by default.
   */
  check(transfer: Transfer, watching: Watching, cache?: AnswerCache, options?: CheckOptions): Promise<Verdict>;
  /**
   * Reads one transaction by hash: a customer's hint, a claim, or a provider's payout. Undefined if as many providers as
   * a verdict needs do not know it; throws `TemporaryError` if too few could be asked and none of them knows it. On
   * EVM networks an internal transfer is found only if the transaction mentions the watched address or its block raised
   * that address's balance, so that strangers cannot have any transaction traced; where no provider shows that, some are
   * traced, and the others throw `TemporaryError`. Hints have their own budget
   * (`TemporaryError` if it is used up) with a share per client, and are cached for 10 seconds. Proofs of wallets and
   * payouts that a provider names have budgets of their own, so that none delays another. An answer about a payout is
   * not cached.
   */
  transaction(
    txHash: string,
    watching: Watching,
    options?: { budget?: 'hint' | 'proof' | 'payout'; client?: Client | null; cache?: AnswerCache },
  ): Promise<FoundTransaction | undefined>;
  /**
   * The transfers of a transaction to the recipient of `gone`, after the quorum has decided against `gone`: for each
   * index, the transfer that most providers report, if enough of them do. Never `gone` itself, which some provider may
   * insist on.
   */
  replacements(gone: Transfer, cache?: AnswerCache): Promise<Transfer[]>;
  /**
   * Whether an address has contract code, on networks that have contracts. Such an address may reject a transfer with
   * data. An answer is kept for five minutes, because customers cause the question.
   */
  hasCode?(address: string): Promise<boolean>;
  /**
   * Whether a contract lives at an address of an EVM network, by the quorum; null if it does not agree. A key's wallet
   * that delegates to a contract (EIP-7702) does not count.
   */
  isContract?(address: string): Promise<boolean | null>;
  /**
   * The kind of account at an address, null for an ordinary wallet. Others deserve a check before money is sent there.
   * Those that strangers chose are limited and cached as hints are, by a budget of their own.
   */
  accountKindOf?(address: string, stranger?: Stranger): Promise<AccountKind | null>;
  /** The wallet that owns a token account, on networks that have them; null for any other address. */
  tokenAccountOwner?(address: string, stranger?: Stranger): Promise<string | null>;
  /**
   * How the native coin that contracts send can be seen in the newest blocks, on networks whose logs do not show it.
   * `balances` is null if they are served, or why they are not.
   */
  internalSources?(): Promise<InternalSources>;
  /**
   * Whether the filter of logs finds the token transfers that the newest blocks have, on networks that have logs; null if
   * they have none, or their receipts are not served.
   */
  findsLogs?(): Promise<boolean | null>;
  /** What the contract or mint of a watched token says of itself; undefined for a coin without one. */
  describeToken?(asset: AssetSymbol): Promise<TokenFacts | undefined>;
  /**
   * An unsigned transfer in base64 for a connected wallet to sign and send, on networks where a page cannot build one.
   */
  buildTransfer?(request: TransferRequest): Promise<string>;
  /**
   * Sends a signed transaction to every provider. Returns false if none accepted it, which does not prove that none
   * sent it.
   */
  broadcast?(signed: string): Promise<boolean>;
  /** Whether a signed Solana transaction (base64) would succeed now. */
  accepts?(signed: string): Promise<boolean>;
  /** Chain data for payments by signature, on EVM networks. */
  readonly signed?: SignedPayments;
  /**
   * Asks every provider for a sign of life, at the least cost, so that its health is known while nothing is read. Throws
   * `TemporaryError` if none answers.
   */
  probe(): Promise<void>;
  /** Provider health for `/readyz`. An unreachable network is not offered on the checkout page. */
  health(): ChainHealth;
  close(): Promise<void>;
}

/** Null for what the contract or mint does not say. A mint has no symbol. */
export interface TokenFacts {
  address: string;
  decimals: number | null;
  symbol: string | null;
}

/** What shows the native coin that contracts send. */
export interface InternalSources {
  balances: string | null;
  traces: boolean;
}

/** A contract (on Solana: an account owned by a program), a program, a token account, or the mint of a token. */
export type AccountKind = 'contract' | 'program' | 'token_account' | 'token_mint';

/** Chain data about payments that are signed but not on the chain yet. Addresses are checksummed. */
export interface SignedPayments {
  /** The EIP-712 name and version of a token, read from the contract and checked; null if it has none. */
  domain(token: string): Promise<TokenDomain | null>;
  /** Whether an authorization would succeed now. */
  accepts(token: string, authorization: SignedAuthorization): Promise<boolean>;
  /**
   * Why a signed transaction would not succeed in the next block; null if it would: it has its sender's next nonce, and
   * token amount and fee are covered.
   */
  faultOf(transfer: SignedTransfer): Promise<TransferFault | null>;
  /** Whether an authorization was used or canceled, by the quorum of the providers; null if it has no answer. */
  isUsed(token: string, payer: string, nonce: string): Promise<boolean | null>;
  /** Whether the quorum of the providers says that an account has sent a transaction with this nonce. */
  isNonceSpent(payer: string, nonce: bigint): Promise<boolean>;
}

export interface TransferRequest {
  /** The customer's wallet, which signs and pays the network fee. */
  from: string;
  /** The payout wallet. */
  to: string;
  asset: AssetSymbol;
  amountUnits: bigint;
  /** In its presented form. Added to the transfer so that the payment can be attributed. Null for refunds. */
  reference: string | null;
  memo?: string;
  /** More transfers of the same sender in the same transaction. They carry nothing. */
  also?: readonly Pick<TransferRequest, 'to' | 'asset' | 'amountUnits'>[];
}

export interface ProviderHealth {
  name: string;
  healthy: boolean;
  lastError: string | null;
  /** When it last answered a call of this process; null if it never did. */
  lastAnsweredAt: Date | null;
}

export interface ChainHealth {
  reachable: boolean;
  /**
   * One of several providers is left to read from: the others have failed every call for `DOWN_TO_ONE_AFTER_MS`, or
   * every read of the second pass for `UNREACHABLE_MIN_MS`.
   */
  isDownToOne: boolean;
  providers: ProviderHealth[];
}

/** The starting block is no longer on the chain. */
export class ReorgError extends Error {
  override readonly name = 'ReorgError';
}
