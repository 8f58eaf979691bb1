// A node's responses, parsed into validated types. A malformed response throws `MalformedAnswerError`.
import { base58 } from '@scure/base';
import { list, MalformedAnswerError, record } from '../rpc/shapes.ts';
import { MEMO_PROGRAMS, SYSTEM_PROGRAM, TOKEN_PROGRAM } from './programs.ts';

export interface Block {
  slot: bigint;
  hash: string;
  parentSlot: bigint;
  parentHash: string;
  time: Date;
}

export interface Key {
  address: string;
  signer: boolean;
  writable: boolean;
}

/** One instruction, top-level or called by a program, numbered in execution order within the transaction. */
export interface Instruction {
  ordinal: number;
  program: string;
  /** Indexes of the transaction's keys. */
  accounts: readonly number[];
  /** Empty if it is not decoded: of another program, or longer than any decoded instruction. */
  data: Uint8Array;
  /** The top-level instruction that made it through a program call, if any. */
  calledBy: Instruction | null;
}

export interface TokenBalance {
  accountIndex: number;
  mint: string;
  owner: string;
  program: string;
  amountUnits: bigint;
}

/** The changes made by a transaction. The first key pays the fee. */
export interface Changes {
  failed: boolean;
  feeLamports: bigint;
  keys: readonly Key[];
  lamportsBefore: readonly bigint[];
  lamportsAfter: readonly bigint[];
  tokensBefore: readonly TokenBalance[];
  tokensAfter: readonly TokenBalance[];
}

export interface Transaction extends Changes {
  signature: string;
  slot: bigint;
  instructions: readonly Instruction[];
}

/** The part of a block's transaction that shows whether it is relevant. A block has thousands of them. */
export interface ListedTransaction {
  signature: string;
  /** Null if the entry does not show it. */
  failed: boolean | null;
  addresses: readonly string[];
  /** The owners of all token accounts that it touches. */
  owners: readonly string[];
  /** The entry does not show its owners, so it may concern any wallet. */
  concernsAnyone?: true;
}

/** An entry of an address's history. */
export interface Entry {
  signature: string;
  slot: bigint;
  failed: boolean;
}

export function toBlock(value: unknown, slot: bigint): Block {
  const raw = record(value, 'block');
  return {
    slot,
    hash: address(raw.blockhash, 'block.blockhash'),
    parentSlot: toSlot(raw.parentSlot, 'block.parentSlot'),
    parentHash: address(raw.previousBlockhash, 'block.previousBlockhash'),
    time: toTime(raw.blockTime, 'block.blockTime'),
  };
}

export function toTransaction(value: unknown): Transaction {
  const raw = record(value, 'transaction');
  const meta = record(raw.meta, 'transaction.meta');
  const inside = record(raw.transaction, 'transaction.transaction');
  const message = record(inside.message, 'transaction.message');
  const keys = [...ownKeys(message), ...loadedKeys(meta)];
  return {
    signature: signatureOf(value),
    slot: toSlot(raw.slot, 'transaction.slot'),
    instructions: toInstructions(message, meta, keys),
    ...toChanges(meta, keys),
  };
}

/** The signature of a transaction, regardless of its other content. */
export function signatureOf(value: unknown): string {
  const inside = record(record(value, 'transaction').transaction, 'transaction.transaction');
  return signature(list(inside.signatures, 'transaction.signatures')[0], 'transaction.signatures');
}

// More unreadable transactions in one block indicate a faulty provider.
const MAX_UNREADABLE_IN_BLOCK = 20;

/**
 * The transactions of a block. An unreadable one does not affect the others, and is requested in full if it mentions a
 * watched wallet.
 */
export function toListing(value: unknown): ListedTransaction[] {
  let unreadable = 0;
  return list(value, 'block.transactions').map((entry): ListedTransaction => {
    try {
      return toListed(entry);
    } catch (error) {
      if (++unreadable > MAX_UNREADABLE_IN_BLOCK) throw error;
      const found = {
        signature: signatureOf(entry),
        failed: null,
        addresses: addressesIn(entry),
        owners: [],
      };
      return (entry as { meta?: unknown }).meta == null ? { ...found, concernsAnyone: true } : found;
    }
  });
}

const ADDRESS = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;

/** All addresses anywhere in a value, however deep it is. */
function addressesIn(entry: unknown): string[] {
  const found: string[] = [];
  const waiting = [entry];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next === 'string' && ADDRESS.test(next)) found.push(next);
    if (typeof next === 'object' && next !== null) for (const part of Object.values(next)) waiting.push(part);
  }
  return found;
}

function toListed(value: unknown): ListedTransaction {
  const raw = record(value, 'transaction');
  const inside = record(raw.transaction, 'transaction.transaction');
  const meta = record(raw.meta, 'transaction.meta');
  return {
    signature: text(list(inside.signatures, 'transaction.signatures')[0], 'transaction.signatures'),
    failed: meta.err != null,
    addresses: list(inside.accountKeys, 'transaction.accountKeys').map((key) =>
      text((key as { pubkey?: unknown } | null)?.pubkey, 'transaction.accountKeys'),
    ),
    owners: list(meta.postTokenBalances ?? [], 'meta.postTokenBalances').map((balance) =>
      ownerText((balance as { owner?: unknown } | null)?.owner),
    ),
  };
}

/** Very old blocks do not name the owner. */
function ownerText(owner: unknown): string {
  return owner == null || owner === '' ? '' : text(owner, 'meta.postTokenBalances.owner');
}

export function toEntry(value: unknown): Entry {
  const raw = record(value, 'entry');
  return {
    signature: signature(raw.signature, 'entry.signature'),
    slot: toSlot(raw.slot, 'entry.slot'),
    failed: raw.err != null,
  };
}

/** Slots, and all other values that nodes send as whole numbers. */
export function toSlot(value: unknown, what: string): bigint {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0)
    throw new MalformedAnswerError(`${what} is not a whole number`);
  return BigInt(value);
}

export function toTime(value: unknown, what: string): Date {
  const time = new Date(Number(toSlot(value, what)) * 1000);
  if (Number.isNaN(time.getTime())) throw new MalformedAnswerError(`${what} is out of range`);
  return time;
}

export function address(value: unknown, what: string): string {
  return bytesOf(value, 32, what);
}

export function signature(value: unknown, what: string): string {
  return bytesOf(value, 64, what);
}

function toChanges(meta: Record<string, unknown>, keys: readonly Key[]): Changes {
  const lamports = (value: unknown, what: string) => {
    const balances = list(value, what).map((entry) => toLamports(entry, what));
    if (balances.length !== keys.length)
      throw new MalformedAnswerError(`${what} has ${balances.length} entries for ${keys.length} keys`);
    return balances;
  };
  return {
    failed: meta.err != null,
    feeLamports: toLamports(meta.fee, 'meta.fee'),
    keys,
    lamportsBefore: lamports(meta.preBalances, 'meta.preBalances'),
    lamportsAfter: lamports(meta.postBalances, 'meta.postBalances'),
    tokensBefore: toTokenBalances(meta.preTokenBalances, keys, 'meta.preTokenBalances'),
    tokensAfter: toTokenBalances(meta.postTokenBalances, keys, 'meta.postTokenBalances'),
  };
}

function ownKeys(message: Record<string, unknown>): Key[] {
  const header = record(message.header, 'message.header');
  const addresses = list(message.accountKeys, 'message.accountKeys').map((entry) =>
    address(entry, 'message.accountKeys'),
  );
  const [signers, readOnlySigners, readOnlyOthers] = [
    'numRequiredSignatures',
    'numReadonlySignedAccounts',
    'numReadonlyUnsignedAccounts',
  ].map((name) => Number(toSlot(header[name], `message.header.${name}`))) as [number, number, number];
  if (signers < 1 || signers > addresses.length) throw new MalformedAnswerError('message.header does not fit its keys');
  return addresses.map((entry, at) => ({
    address: entry,
    signer: at < signers,
    writable: at < signers ? at < signers - readOnlySigners : at < addresses.length - readOnlyOthers,
  }));
}

/** Keys from lookup tables follow the message's own keys: the writable ones first. */
function loadedKeys(meta: Record<string, unknown>): Key[] {
  if (meta.loadedAddresses == null) return [];
  const loaded = record(meta.loadedAddresses, 'meta.loadedAddresses');
  return (['writable', 'readonly'] as const).flatMap((kind) =>
    list(loaded[kind] ?? [], `meta.loadedAddresses.${kind}`).map((entry) => ({
      address: address(entry, `meta.loadedAddresses.${kind}`),
      signer: false,
      writable: kind === 'writable',
    })),
  );
}

function toInstructions(
  message: Record<string, unknown>,
  meta: Record<string, unknown>,
  keys: readonly Key[],
): Instruction[] {
  const called = new Map(
    list(meta.innerInstructions ?? [], 'meta.innerInstructions').map((entry) => {
      const raw = record(entry, 'meta.innerInstructions');
      return [
        Number(toSlot(raw.index, 'innerInstructions.index')),
        list(raw.instructions, 'innerInstructions.instructions'),
      ];
    }),
  );
  const all: Instruction[] = [];
  const add = (value: unknown, calledBy: Instruction | null) => {
    const raw = record(value, 'instruction');
    const place = (entry: unknown, what: string) => {
      const at = Number(toSlot(entry, what));
      if (at >= keys.length) throw new MalformedAnswerError(`${what} points beyond the keys`);
      return at;
    };
    const program = (keys[place(raw.programIdIndex, 'instruction.programIdIndex')] as Key).address;
    const instruction: Instruction = {
      ordinal: all.length,
      calledBy,
      program,
      accounts: list(raw.accounts, 'instruction.accounts').map((entry) => place(entry, 'instruction.accounts')),
      data: DECODED_PROGRAMS.has(program) ? toData(raw.data) : NO_DATA,
    };
    all.push(instruction);
    return instruction;
  };
  for (const [at, value] of list(message.instructions, 'message.instructions').entries()) {
    const own = add(value, null);
    for (const inner of called.get(at) ?? []) add(inner, own);
  }
  return all;
}

const DECODED_PROGRAMS = new Set([SYSTEM_PROGRAM, TOKEN_PROGRAM, ...MEMO_PROGRAMS]);
const NO_DATA = new Uint8Array();
// The decoder's limit of about 3,000 bytes. A program may be called with 10 KiB.
const MAX_DATA_LENGTH = 4_096;

/**
 * Anyone may call any program with long data, so data that is too long for a payment must not invalidate the response.
 */
function toData(value: unknown): Uint8Array {
  return typeof value === 'string' && value.length > MAX_DATA_LENGTH ? NO_DATA : fromBase58(value, 'instruction.data');
}

function toTokenBalances(value: unknown, keys: readonly Key[], what: string): TokenBalance[] {
  return list(value ?? [], what).flatMap((entry) => {
    const raw = record(entry, what);
    const amount = record(raw.uiTokenAmount, `${what}.uiTokenAmount`).amount;
    const accountIndex = Number(toSlot(raw.accountIndex, `${what}.accountIndex`));
    if (accountIndex >= keys.length) throw new MalformedAnswerError(`${what}.accountIndex points beyond the keys`);
    if (typeof amount !== 'string' || !/^[0-9]{1,20}$/.test(amount))
      throw new MalformedAnswerError(`${what}.amount is not a whole number`);
    // Very old blocks have neither. They predate all payments.
    if (!raw.owner || !raw.programId) return [];
    return [
      {
        accountIndex,
        mint: text(raw.mint, `${what}.mint`),
        owner: text(raw.owner, `${what}.owner`),
        program: text(raw.programId, `${what}.programId`),
        amountUnits: BigInt(amount),
      },
    ];
  });
}

/**
 * Beyond 2^53 JSON has already lost the last digits. That affects only the richest accounts, never a relevant
 * difference.
 */
function toLamports(value: unknown, what: string): bigint {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0)
    throw new MalformedAnswerError(`${what} is not a whole number`);
  return BigInt(value);
}

function text(value: unknown, what: string): string {
  if (typeof value !== 'string' || value.length === 0 || value.length > 100)
    throw new MalformedAnswerError(`${what} is not a name`);
  return value;
}

function bytesOf(value: unknown, length: number, what: string): string {
  if (typeof value !== 'string' || value.length > 90 || fromBase58(value, what).length !== length)
    throw new MalformedAnswerError(`${what} is not ${length} bytes`);
  return value;
}

function fromBase58(value: unknown, what: string): Uint8Array {
  if (typeof value !== 'string') throw new MalformedAnswerError(`${what} is not bytes`);
  try {
    return base58.decode(value);
  } catch {
    throw new MalformedAnswerError(`${what} is not base58`);
  }
}
