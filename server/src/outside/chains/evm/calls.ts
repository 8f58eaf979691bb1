// The JSON-RPC calls to an EVM node, each with the parser of its result.
import type { Call, ChainPin } from '../rpc/provider.ts';
import { list, MalformedAnswerError, record, whyUnreadable } from '../rpc/shapes.ts';
import {
  type Block,
  type FullBlock,
  hash,
  hex,
  orNull,
  quantity,
  type Receipt,
  toBlock,
  toFullBlock,
  toReceipt,
  toTransaction,
  type Transaction,
} from './shapes.ts';

/** EVM networks are identified by their chain id. */
export function chainPin(chainId: number): ChainPin {
  return { method: 'eth_chainId', expected: String(chainId), parse: (value) => quantity(value, 'chain id').toString() };
}

export function blockByNumber(number: bigint | 'latest' | 'safe' | 'finalized'): Call<Block | null> {
  return {
    method: 'eth_getBlockByNumber',
    params: [typeof number === 'bigint' ? hex(number) : number, false],
    parse: orNull((value) => matching(toBlock(value), number)),
  };
}

export function newestNumber(): Call<bigint> {
  return { method: 'eth_blockNumber', params: [], parse: (value) => quantity(value, 'block number') };
}

export function fullBlockByNumber(number: bigint): Call<FullBlock | null> {
  return {
    method: 'eth_getBlockByNumber',
    params: [hex(number), true],
    parse: orNull((value) => matching(toFullBlock(value), number)),
    isLarge: true,
  };
}

export function receiptOf(txHash: string): Call<Receipt | null> {
  return { method: 'eth_getTransactionReceipt', params: [txHash], parse: orNull((value) => receiptFor(value, txHash)) };
}

export function transactionOf(txHash: string): Call<Transaction | null> {
  return {
    method: 'eth_getTransactionByHash',
    params: [txHash],
    parse: orNull((value) => transactionFor(value, txHash)),
  };
}

/** Also null while the transaction is in no block: some nodes send a receipt for a pending one. */
function receiptFor(value: unknown, txHash: string): Receipt | null {
  const raw = record(value, 'receipt');
  requireSame(hash(raw.transactionHash, 'receipt.transactionHash'), txHash);
  return raw.blockHash === null && raw.blockNumber === null ? null : toReceipt(raw);
}

function transactionFor(value: unknown, txHash: string): Transaction {
  const transaction = toTransaction(value);
  requireSame(transaction.hash, txHash);
  return transaction;
}

/** The same call, but an unreadable response for the right transaction does not count as a provider failure. */
export function orUnreadable<T, U>(
  call: Call<T>,
  field: 'hash' | 'transactionHash',
  txHash: string,
  unreadable: (why: string) => U,
): Call<T | U> {
  const parse = (value: unknown) => {
    try {
      return call.parse(value);
    } catch (error) {
      const named = (value as Record<string, unknown> | null)?.[field];
      if (typeof named === 'string' && named.toLowerCase() === txHash) return unreadable(whyUnreadable(error));
      throw error;
    }
  };
  return { ...call, parse };
}

/**
 * A block with the wanted ones of its transactions. An unreadable one is left out, as if the provider did not know it.
 */
export function blockWith(
  number: bigint,
  wanted: ReadonlySet<string>,
): Call<{ block: Block; transactions: Map<string, Transaction> } | null> {
  return {
    method: 'eth_getBlockByNumber',
    params: [hex(number), true],
    parse: orNull((value) => ({
      block: matching(toBlock(value), number),
      transactions: readWanted(
        list((value as { transactions?: unknown }).transactions, 'block.transactions'),
        'hash',
        wanted,
        toTransaction,
      ),
    })),
  };
}

/** The wanted receipts of a block. An unreadable one is left out. */
export function receiptsIn(number: bigint, wanted: ReadonlySet<string>): Call<Map<string, Receipt> | null> {
  return {
    method: 'eth_getBlockReceipts',
    params: [hex(number)],
    parse: orNull((value) => readWanted(list(value, 'receipts'), 'transactionHash', wanted, toReceipt)),
  };
}

function readWanted<T>(
  entries: readonly unknown[],
  name: string,
  wanted: ReadonlySet<string>,
  parse: (value: unknown) => T,
): Map<string, T> {
  const found = new Map<string, T>();
  for (const entry of entries) {
    const txHash = (entry as Record<string, unknown> | null)?.[name];
    if (typeof txHash !== 'string' || !wanted.has(txHash.toLowerCase())) continue;
    try {
      found.set(txHash.toLowerCase(), parse(entry));
    } catch {
      // Requested again by its hash, which shows why it cannot be read.
    }
  }
  return found;
}

/** Whether an address has code. */
export function hasCodeAt(address: string): Call<boolean> {
  return { method: 'eth_getCode', params: [address, 'latest'], parse: (value) => toCode(value) !== '0x' };
}

// The code of a wallet that delegates to a contract (EIP-7702): these bytes and an address.
const DELEGATED_CODE = /^0xef0100[0-9a-f]{40}$/i;

/** Whether the address is a contract of its own, so that no key controls it. */
export function isContractAt(address: string): Call<boolean> {
  return {
    method: 'eth_getCode',
    params: [address, 'latest'],
    parse: (value) => toCode(value) !== '0x' && !DELEGATED_CODE.test(toCode(value)),
  };
}

function toCode(value: unknown): string {
  if (typeof value !== 'string' || !/^0x([0-9a-f]{2})*$/i.test(value))
    throw new MalformedAnswerError('code is not hex');
  return value;
}

/** A block's hash and the hashes of its transactions. */
export function blockContents(number: bigint): Call<{ hash: string; transactions: ReadonlySet<string> } | null> {
  return {
    method: 'eth_getBlockByNumber',
    params: [hex(number), false],
    parse: orNull((value) => ({
      hash: matching(toBlock(value), number).hash,
      transactions: new Set(
        list((value as { transactions?: unknown }).transactions, 'block.transactions').map((entry) =>
          hash(entry, 'block.transactions'),
        ),
      ),
    })),
  };
}

function matching<T extends Block>(block: T, number: bigint | string): T {
  if (typeof number === 'bigint' && block.number !== number)
    throw new MalformedAnswerError(`asked for block ${number}, got ${block.number}`);
  return block;
}

function requireSame(found: string, txHash: string): void {
  if (found !== txHash) throw new MalformedAnswerError(`asked for ${txHash}, got ${found}`);
}
