import type { Call, ChainPin } from '../rpc/provider.ts';
import { list, Malformed } from '../rpc/shapes.ts';
import { type Block, type FullBlock, hash, hex, orNull, quantity, type Receipt, toBlock, toFullBlock, toReceipt, toTransaction, type Transaction } from './shapes.ts';

/** The questions that are asked of a node, each with the reading of its answer. */

/** A network of the Ethereum family is known by its number. */
export function chainPin(chainId: number): ChainPin {
  return { method: 'eth_chainId', expected: String(chainId), parse: (value) => quantity(value, 'chain id').toString() };
}

export function blockByNumber(number: bigint | 'latest' | 'safe' | 'finalized'): Call<Block | null> {
  return {
    method: 'eth_getBlockByNumber', params: [typeof number === 'bigint' ? hex(number) : number, false],
    parse: orNull((value) => matching(toBlock(value), number)),
  };
}

export function fullBlockByNumber(number: bigint): Call<FullBlock | null> {
  return { method: 'eth_getBlockByNumber', params: [hex(number), true], parse: orNull((value) => matching(toFullBlock(value), number)) };
}

export function receiptOf(txHash: string): Call<Receipt | null> {
  return { method: 'eth_getTransactionReceipt', params: [txHash], parse: orNull((value) => ofTransaction(toReceipt(value), (receipt) => receipt.txHash, txHash)) };
}

export function transactionOf(txHash: string): Call<Transaction | null> {
  return { method: 'eth_getTransactionByHash', params: [txHash], parse: orNull((value) => ofTransaction(toTransaction(value), (transaction) => transaction.hash, txHash)) };
}

/** A block with those of its transactions that are wanted. One that cannot be read is left out, as if the provider did not know it. */
export function blockWith(number: bigint, wanted: ReadonlySet<string>): Call<{ block: Block; transactions: Map<string, Transaction> } | null> {
  return {
    method: 'eth_getBlockByNumber', params: [hex(number), true],
    parse: orNull((value) => ({
      block: matching(toBlock(value), number),
      transactions: readWanted(list((value as { transactions?: unknown }).transactions, 'block.transactions'), 'hash', wanted, toTransaction),
    })),
  };
}

/** Those of a block's receipts that are wanted. One that cannot be read is left out. */
export function receiptsIn(number: bigint, wanted: ReadonlySet<string>): Call<Map<string, Receipt> | null> {
  return { method: 'eth_getBlockReceipts', params: [hex(number)], parse: orNull((value) => readWanted(list(value, 'receipts'), 'transactionHash', wanted, toReceipt)) };
}

/**
 * A whole block in which one malformed transaction does not hide the others. `unreadable` names those that have a hash and nothing else
 * that can be read.
 */
export function readableBlock(number: bigint): Call<(FullBlock & { unreadable: readonly string[] }) | null> {
  return {
    method: 'eth_getBlockByNumber', params: [hex(number), true],
    parse: orNull((value) => {
      const unreadable: string[] = [];
      try {
        return { ...matching(toFullBlock(value), number), unreadable };
      } catch (error) {
        if (!(error instanceof Malformed)) throw error;
        const transactions = list((value as { transactions?: unknown } | null)?.transactions, 'block.transactions');
        const readable = transactions.filter((entry) => {
          if (isReadable(() => toTransaction(entry))) return true;
          unreadable.push(hash((entry as { hash?: unknown } | null)?.hash, 'transaction.hash'));
          return false;
        });
        if (unreadable.length === 0) throw error;
        return { ...matching(toFullBlock({ ...(value as object), transactions: readable }), number), unreadable };
      }
    }),
  };
}

function readWanted<T>(entries: readonly unknown[], name: string, wanted: ReadonlySet<string>, parse: (value: unknown) => T): Map<string, T> {
  const found = new Map<string, T>();
  for (const entry of entries) {
    const txHash = (entry as Record<string, unknown> | null)?.[name];
    if (typeof txHash !== 'string' || !wanted.has(txHash.toLowerCase())) continue;
    isReadable(() => found.set(txHash.toLowerCase(), parse(entry)));
  }
  return found;
}

function isReadable(parse: () => unknown): boolean {
  try {
    parse();
    return true;
  } catch (error) {
    if (error instanceof Malformed) return false;
    throw error;
  }
}

/** Whether a contract lives at an address. */
export function hasCodeAt(address: string): Call<boolean> {
  return { method: 'eth_getCode', params: [address, 'latest'], parse: (value) => toCode(value) !== '0x' };
}

// A wallet that lends itself the behaviour of a contract (EIP-7702) has these bytes and an address as its code.
const LENT = /^0xef0100[0-9a-f]{40}$/i;

/** Whether nobody holds a key of the address: a contract of its own lives there. */
export function isContractAt(address: string): Call<boolean> {
  return { method: 'eth_getCode', params: [address, 'latest'], parse: (value) => toCode(value) !== '0x' && !LENT.test(toCode(value)) };
}

function toCode(value: unknown): string {
  if (typeof value !== 'string' || !/^0x([0-9a-f]{2})*$/i.test(value)) throw new Malformed('code that is not hex');
  return value;
}

/** The hashes of a block's transactions, with the block. */
export function blockContents(number: bigint): Call<{ hash: string; transactions: ReadonlySet<string> } | null> {
  return {
    method: 'eth_getBlockByNumber', params: [hex(number), false],
    parse: orNull((value) => ({
      hash: matching(toBlock(value), number).hash,
      transactions: new Set(list((value as { transactions?: unknown }).transactions, 'block.transactions').map((entry) => hash(entry, 'block.transactions'))),
    })),
  };
}

function matching<T extends Block>(block: T, number: bigint | string): T {
  if (typeof number === 'bigint' && block.number !== number) throw new Malformed(`asked for block ${number}, got ${block.number}`);
  return block;
}

function ofTransaction<T>(answer: T, hashOf: (answer: T) => string, txHash: string): T {
  if (hashOf(answer) !== txHash) throw new Malformed(`asked for ${txHash}, got ${hashOf(answer)}`);
  return answer;
}
