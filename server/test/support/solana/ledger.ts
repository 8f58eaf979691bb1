import { sha256 } from '@noble/hashes/sha2.js';
import { base58 } from '@scure/base';
import {
  type Address,
  type EncodedAccount,
  getAddressDecoder,
  getCompiledTransactionMessageDecoder,
  getSignatureFromTransaction,
  getTransactionDecoder,
} from '@solana/kit';
import { FailedTransactionMetadata, LiteSVM, type TransactionMetadata } from 'litesvm';
import { type TransactionError, toTransactionError } from './errors.ts';
import { innerOf, lookupsOf, memoOf, type Message, partsOf } from './message.ts';

/** A slot with a block. Times are stored in milliseconds; nodes return whole seconds. */
export interface LedgerBlock {
  slot: bigint;
  blockhash: string;
  parentSlot: bigint;
  previousBlockhash: string;
  time: Date;
  transactions: Executed[];
}

export interface Key {
  address: Address;
  signer: boolean;
  writable: boolean;
  source: 'transaction' | 'lookupTable';
}

export interface Instruction {
  programIdIndex: number;
  accounts: number[];
  data: string;
  stackHeight: number;
}

export interface TokenBalance {
  accountIndex: number;
  mint: string;
  owner: string;
  programId: string;
  amount: bigint;
  decimals: number;
}

/** A transaction in a block, successful or not. */
export interface Executed {
  signature: string;
  signatures: string[];
  slot: bigint;
  wire: Uint8Array;
  version: 'legacy' | 0;
  header: { numRequiredSignatures: number; numReadonlySignedAccounts: number; numReadonlyUnsignedAccounts: number };
  recentBlockhash: string;
  /** Static ones first, then those loaded from tables: writable, read-only. */
  keys: Key[];
  lookups: { accountKey: string; writableIndexes: number[]; readonlyIndexes: number[] }[];
  instructions: Instruction[];
  inner: { index: number; instructions: Instruction[] }[];
  err: TransactionError | null;
  fee: bigint;
  preBalances: bigint[];
  postBalances: bigint[];
  preTokenBalances: TokenBalance[];
  postTokenBalances: TokenBalance[];
  logs: string[];
  computeUnits: bigint;
  memo: string | null;
}

export interface LedgerOptions {
  /** How many slots the confirmed and the finalized block are behind the newest. */
  confirmedLag: number;
  finalizedLag: number;
  /** The time of the first slot; defaults to now. */
  startsAt: Date | null;
}

/** The node's error for a transaction that it rejects. */
export class RefusedError extends Error {
  readonly err: TransactionError;
  readonly logs: string[];

  constructor(err: TransactionError, logs: string[]) {
    super(
      typeof err === 'string'
        ? err
        : Array.isArray(err.InstructionError)
          ? `Error processing Instruction ${err.InstructionError[0]}`
          : JSON.stringify(err),
    );
    this.err = err;
    this.logs = logs;
  }
}

export const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA' as Address;
export const TOKEN_2022_PROGRAM = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb' as Address;
const FIRST_SLOT = 1_000n;
// About the supply of the real network.
const MONEY = 600_000_000_000_000_000n;

/**
 * Slots, blocks and forks around the real runtime. The newest block contains what was executed since the one before.
 */
export class Ledger {
  readonly svm: LiteSVM;
  readonly blocks = new Map<bigint, LedgerBlock>();
  readonly transactions = new Map<string, Executed>();
  readonly byAddress = new Map<string, Executed[]>();
  #open: Executed[] = [];
  #slot = FIRST_SLOT;
  #timeMs: number;
  #realMs = Date.now();
  #branch = 0;
  readonly #undo = new Map<Executed, EncodedAccount[]>();
  readonly #options: LedgerOptions;

  constructor(options: LedgerOptions) {
    this.#options = options;
    this.#timeMs = (options.startsAt ?? new Date()).getTime();
    // After a fork a transaction may be sent again, and old ones are still valid: the ledger itself finds duplicates.
    this.svm = new LiteSVM().withTransactionHistory(0n).withBlockhashCheck(false).withLamports(MONEY).withNativeMints();
    this.blocks.set(FIRST_SLOT, {
      slot: FIRST_SLOT,
      blockhash: this.#hash('genesis'),
      parentSlot: 0n,
      previousBlockhash: base58.encode(new Uint8Array(32)),
      time: new Date(this.#timeMs),
      transactions: [],
    });
    this.#setClock();
  }

  get head(): LedgerBlock {
    return this.blocks.get(this.#slot) as LedgerBlock;
  }

  get first(): bigint {
    return FIRST_SLOT;
  }

  /** The newest block of a commitment; never a skipped slot. */
  at(commitment: 'processed' | 'confirmed' | 'finalized'): LedgerBlock {
    const lag = { processed: 0, confirmed: this.#options.confirmedLag, finalized: this.#options.finalizedLag }[
      commitment
    ];
    for (let slot = this.#slot - BigInt(lag); slot > FIRST_SLOT; slot -= 1n) {
      const block = this.blocks.get(slot);
      if (block) return block;
    }
    return this.blocks.get(FIRST_SLOT) as LedgerBlock;
  }

  /** Real time passes between slots, and the requested time is added. */
  now(): Date {
    return new Date(this.#timeMs + Date.now() - this.#realMs);
  }

  /** Closes the open block into the next slot. */
  close(options: { laterMs?: number; skip?: number } = {}): LedgerBlock {
    this.#timeMs += options.laterMs ?? 0;
    const parent = this.head;
    this.#slot += BigInt(1 + (options.skip ?? 0));
    const block: LedgerBlock = {
      slot: this.#slot,
      blockhash: this.#hash(parent.blockhash),
      parentSlot: parent.slot,
      previousBlockhash: parent.blockhash,
      time: new Date(Math.max(this.now().getTime(), parent.time.getTime())),
      transactions: this.#open,
    };
    for (const transaction of this.#open) this.#index(transaction, block.slot);
    this.#open = [];
    this.blocks.set(block.slot, block);
    this.#setClock();
    return block;
  }

  /** Reverts the newest slots, as if nothing had been executed in them. Returns their transactions, oldest first. */
  rewind(depth: number): Executed[] {
    const target = this.#slot - BigInt(depth);
    if (target < this.at('finalized').slot) throw new Error('what is finalized cannot be forked away');
    const gone: Executed[] = [...this.#open];
    this.#open = [];
    for (; this.#slot > target || !this.blocks.has(this.#slot); this.#slot -= 1n) {
      gone.unshift(...(this.blocks.get(this.#slot)?.transactions ?? []));
      this.blocks.delete(this.#slot);
    }
    for (const transaction of gone.toReversed()) this.#takeBack(transaction);
    this.#branch += 1;
    this.#setClock();
    return gone;
  }

  /** Executes a transaction in the open block. Throws `RefusedError` if it cannot enter one. */
  execute(wire: Uint8Array): Executed {
    const transaction = getTransactionDecoder().decode(wire);
    const message = getCompiledTransactionMessageDecoder().decode(transaction.messageBytes);
    if (message.version === 1) throw new Error('version 1 is not spoken here');
    const signature = getSignatureFromTransaction(transaction);
    if (this.transactions.has(signature)) throw new RefusedError('AlreadyProcessed', []);

    const keys = this.#keysOf(message);
    const before = keys.map((key) => this.svm.getAccount(key.address));
    const preBalances = before.map((account) => (account.exists ? account.lamports : 0n));
    const preTokenBalances = this.#tokenBalances(keys);

    const outcome = this.svm.sendTransaction(transaction);
    const failure = outcome instanceof FailedTransactionMetadata ? toTransactionError(outcome) : null;
    const meta: TransactionMetadata = outcome instanceof FailedTransactionMetadata ? outcome.meta() : outcome;
    if (typeof failure === 'string') throw new RefusedError(failure, meta.logs());

    const postBalances = keys.map((key) => this.svm.getBalance(key.address) ?? 0n);
    const sum = (balances: readonly bigint[]) => balances.reduce((a, b) => a + b, 0n);
    const executed: Executed = {
      ...partsOf(message),
      signature,
      wire,
      keys,
      preBalances,
      postBalances,
      preTokenBalances,
      signatures: Object.values(transaction.signatures).map((bytes) =>
        base58.encode((bytes ?? new Uint8Array(64)) as Uint8Array),
      ),
      slot: 0n,
      inner: innerOf(meta),
      err: failure,
      fee: sum(preBalances) - sum(postBalances),
      postTokenBalances: this.#tokenBalances(keys),
      logs: meta.logs(),
      computeUnits: meta.computeUnitsConsumed(),
      memo: memoOf(message, keys),
    };
    this.#undo.set(
      executed,
      before.map((account) => (account.exists ? account : nothing(account.address))),
    );
    this.transactions.set(signature, executed);
    this.#open.push(executed);
    return executed;
  }

  #index(transaction: Executed, slot: bigint): void {
    transaction.slot = slot;
    for (const { address } of transaction.keys) {
      const known = this.byAddress.get(address) ?? [];
      known.push(transaction);
      this.byAddress.set(address, known);
    }
  }

  #takeBack(transaction: Executed): void {
    this.transactions.delete(transaction.signature);
    for (const { address } of transaction.keys) {
      const known = this.byAddress.get(address);
      const at = known?.lastIndexOf(transaction) ?? -1;
      if (at >= 0) known?.splice(at, 1);
    }
    for (const account of this.#undo.get(transaction) ?? []) if (!account.executable) this.svm.setAccount(account);
    this.#undo.delete(transaction);
  }

  #setClock(): void {
    const clock = this.svm.getClock();
    clock.slot = this.#slot + 1n;
    clock.unixTimestamp = BigInt(Math.floor(this.now().getTime() / 1000));
    this.svm.setClock(clock);
  }

  #hash(parent: string): string {
    return base58.encode(sha256(new TextEncoder().encode(`${parent} ${this.#slot} ${this.#branch}`)));
  }

  #keysOf(message: Message): Key[] {
    const { numSignerAccounts, numReadonlySignerAccounts, numReadonlyNonSignerAccounts } = message.header;
    const own = message.staticAccounts.map(
      (address, at): Key => ({
        address,
        source: 'transaction',
        signer: at < numSignerAccounts,
        writable:
          at < numSignerAccounts
            ? at < numSignerAccounts - numReadonlySignerAccounts
            : at < message.staticAccounts.length - numReadonlyNonSignerAccounts,
      }),
    );
    const load = (writable: boolean) =>
      lookupsOf(message).flatMap((lookup) => {
        const table = this.svm.getAccount(lookup.lookupTableAddress);
        if (!table.exists) throw new RefusedError('AddressLookupTableNotFound', []);
        const decoder = getAddressDecoder();
        return (writable ? lookup.writableIndexes : lookup.readonlyIndexes).map(
          (at): Key => ({
            address: decoder.decode(table.data.slice(56 + at * 32, 88 + at * 32)),
            source: 'lookupTable',
            signer: false,
            writable,
          }),
        );
      });
    return [...own, ...load(true), ...load(false)];
  }

  #tokenBalances(keys: readonly Key[]): TokenBalance[] {
    return keys.flatMap(({ address }, accountIndex) => {
      const account = this.svm.getAccount(address);
      const held = account.exists ? readTokenAccount(account) : undefined;
      if (!held) return [];
      const mint = this.svm.getAccount(held.mint);
      return [
        {
          accountIndex,
          programId: account.exists ? account.programAddress : '',
          mint: held.mint,
          owner: held.owner,
          amount: held.amount,
          decimals: mint.exists ? (mint.data[44] ?? 0) : 0,
        },
      ];
    });
  }
}

/** The contents of a token account of either token program; undefined if the account is not one. */
export function readTokenAccount(
  account: EncodedAccount,
): { mint: Address; owner: Address; amount: bigint } | undefined {
  const { data } = account;
  const isClassic = account.programAddress === TOKEN_PROGRAM && data.length === 165;
  const isToken2022 =
    account.programAddress === TOKEN_2022_PROGRAM && (data.length === 165 || (data.length > 165 && data[165] === 2));
  if ((!isClassic && !isToken2022) || data[108] === 0) return undefined;
  const decoder = getAddressDecoder();
  return {
    mint: decoder.decode(data.slice(0, 32)),
    owner: decoder.decode(data.slice(32, 64)),
    amount: Buffer.from(data.slice(64, 72)).readBigUInt64LE(),
  };
}

function nothing(address: Address): EncodedAccount {
  return {
    address,
    lamports: 0n,
    data: new Uint8Array(),
    programAddress: '11111111111111111111111111111111',
    executable: false,
    space: 0n,
  } as unknown as EncodedAccount;
}
