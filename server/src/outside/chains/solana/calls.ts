// The JSON-RPC calls to a Solana node, each with the parser of its result.
import { ProviderError, RpcError } from '../rpc/errors.ts';
import type { Call, Provider } from '../rpc/provider.ts';
import { list, MalformedAnswerError, record, whyUnreadable } from '../rpc/shapes.ts';
import {
  address,
  type Block,
  type Entry,
  type ListedTransaction,
  signature,
  signatureOf,
  toBlock,
  toEntry,
  toListing,
  toSlot,
  toTransaction,
  type Transaction,
} from './shapes.ts';

export type Commitment = 'confirmed' | 'finalized';

export function newestSlot(commitment: Commitment): Call<bigint> {
  return { method: 'getSlot', params: [{ commitment }], parse: (value) => toSlot(value, 'slot') };
}

/** The slots that have a block, both ends included. */
export function slotsBetween(first: bigint, last: bigint, commitment: Commitment): Call<bigint[]> {
  return {
    method: 'getBlocks',
    params: [Number(first), Number(last), { commitment }],
    parse: (value) =>
      ascending(
        list(value, 'slots').map((entry) => toSlot(entry, 'slots')),
        first,
        last,
      ),
  };
}

export function slotsFrom(first: bigint, limit: number, commitment: Commitment): Call<bigint[]> {
  return {
    method: 'getBlocksWithLimit',
    params: [Number(first), limit, { commitment }],
    parse: (value) =>
      ascending(
        list(value, 'slots').map((entry) => toSlot(entry, 'slots')),
        first,
        null,
      ),
  };
}

export function blockHead(slot: bigint, commitment: Commitment): Call<Block | null> {
  return {
    method: 'getBlock',
    params: [Number(slot), { ...BLOCK, commitment, transactionDetails: 'none' }],
    parse: (value) => timedBlock(value, slot),
  };
}

/**
 * Null if the node does not know the block or its time (briefly for new blocks, and for blocks of 2020): the time
 * decides what is late.
 */
export function timedBlock(value: unknown, slot: bigint): Block | null {
  return value === null || record(value, 'block').blockTime === null ? null : toBlock(value, slot);
}

function blockSignatures(slot: bigint, commitment: Commitment): Call<ReadonlySet<string> | null> {
  return {
    method: 'getBlock',
    params: [Number(slot), { ...BLOCK, commitment, transactionDetails: 'signatures' }],
    parse: (value) =>
      value === null
        ? null
        : new Set(
            list(record(value, 'block').signatures, 'block.signatures').map((entry) =>
              signature(entry, 'block.signatures'),
            ),
          ),
  };
}

function blockWithAccounts(
  slot: bigint,
  version: number,
  wanted: (listed: ListedTransaction) => boolean,
): Call<{ block: Block; transactions: ListedTransaction[] } | null> {
  return {
    method: 'getBlock',
    params: [
      Number(slot),
      { ...BLOCK, commitment: 'confirmed', transactionDetails: 'accounts', maxSupportedTransactionVersion: version },
    ],
    parse: (value) => {
      const block = timedBlock(value, slot);
      return block && { block, transactions: toListing(record(value, 'block').transactions).filter(wanted) };
    },
  };
}

/** The wanted transactions of a block. An unreadable one is left out, as if the provider did not have it. */
function blockWith(
  slot: bigint,
  version: number,
  wanted: ReadonlySet<string>,
): Call<{ block: Block; transactions: Map<string, Transaction> } | null> {
  return {
    method: 'getBlock',
    params: [
      Number(slot),
      { ...BLOCK, commitment: 'confirmed', transactionDetails: 'full', maxSupportedTransactionVersion: version },
    ],
    parse: (value) => {
      const block = timedBlock(value, slot);
      return (
        block && {
          block,
          transactions: readWanted(list(record(value, 'block').transactions, 'block.transactions'), slot, wanted),
        }
      );
    },
  };
}

function readWanted(entries: readonly unknown[], slot: bigint, wanted: ReadonlySet<string>): Map<string, Transaction> {
  const found = new Map<string, Transaction>();
  for (const entry of entries) {
    const name = (entry as { transaction?: { signatures?: unknown[] } } | null)?.transaction?.signatures?.[0];
    if (typeof name !== 'string' || !wanted.has(name)) continue;
    try {
      found.set(name, toTransaction({ ...(entry as object), slot: Number(slot) }));
    } catch {
      // Requested again by its signature, which shows why it cannot be read.
    }
  }
  return found;
}

/** The requested transaction in an unreadable form. The cause may be the transaction, not the provider. */
export class UnreadableTransaction {
  readonly signature: string;
  readonly why: string;

  constructor(signature: string, why: string) {
    this.signature = signature;
    this.why = why;
  }
}

export function transactionOf(
  wanted: string,
  commitment: Commitment,
  version: number,
): Call<Transaction | UnreadableTransaction | null> {
  return {
    method: 'getTransaction',
    params: [wanted, { commitment, encoding: 'json', maxSupportedTransactionVersion: version }],
    parse: (value) => {
      if (value === null) return null;
      const found = signatureOf(value);
      if (found !== wanted) throw new MalformedAnswerError(`asked for ${wanted}, got ${found}`);
      try {
        return toTransaction(value);
      } catch (error) {
        return new UnreadableTransaction(wanted, whyUnreadable(error));
      }
    },
  };
}

export const latestBlockhash: Call<string> = {
  method: 'getLatestBlockhash',
  params: [{ commitment: 'confirmed' }],
  parse: (value) => address(record(record(value, 'answer').value, 'answer.value').blockhash, 'blockhash'),
};

/**
 * An address's history, newest first. A node that has not reached `atLeast` returns an error instead of an incomplete
 * list.
 */
export function historyOf(
  account: string,
  options: { limit: number; before?: string; atLeast: bigint },
): Call<Entry[]> {
  return {
    method: 'getSignaturesForAddress',
    params: [
      account,
      {
        commitment: 'confirmed',
        limit: options.limit,
        minContextSlot: Number(options.atLeast),
        ...(options.before === undefined ? {} : { before: options.before }),
      },
    ],
    parse: (value) => {
      const entries = list(value, 'history').map(toEntry);
      if (entries.length > options.limit) throw new MalformedAnswerError('the history is longer than requested');
      if (entries.some((entry, at) => at > 0 && entry.slot > (entries[at - 1] as Entry).slot))
        throw new MalformedAnswerError('the history is not newest first');
      return entries;
    },
  };
}

/** The current state of accounts in a form that shows changes; null for a missing account. */
export function fingerprints(addresses: readonly string[], atLeast: bigint): Call<(string | null)[]> {
  return {
    // The lamports, and the amount of a token account.
    method: 'getMultipleAccounts',
    params: [
      addresses,
      {
        commitment: 'confirmed',
        encoding: 'base64',
        dataSlice: { offset: 64, length: 8 },
        minContextSlot: Number(atLeast),
      },
    ],
    parse: (value) => {
      const accounts = list(record(value, 'accounts').value, 'accounts.value');
      if (accounts.length !== addresses.length)
        throw new MalformedAnswerError('the number of accounts differs from the request');
      return accounts.map((entry) => {
        if (entry === null) return null;
        const { lamports, data } = record(entry, 'account');
        const [content] = list(data, 'account.data');
        if (typeof lamports !== 'number' || typeof content !== 'string')
          throw new MalformedAnswerError('the state of an account has another form');
        return `${lamports} ${content}`;
      });
    },
  };
}

/** The block of a slot; `skipped` if the slot has none, null if the provider has not reached it. */
export async function findBlock(
  provider: Provider,
  slot: bigint,
  commitment: Commitment = 'confirmed',
): Promise<Block | 'skipped' | null> {
  const [answer] = await provider.attempt([blockHead(slot, commitment)]);
  return blockOrSkipped(answer, provider);
}

export async function requireBlock(
  provider: Provider,
  slot: bigint,
  commitment: Commitment = 'confirmed',
): Promise<Block> {
  const block = await findBlock(provider, slot, commitment);
  if (block === null || block === 'skipped')
    throw new ProviderError(`${provider.name} does not have the block of slot ${slot}`);
  return block;
}

/** Several blocks at once, all of which the provider claims to have. */
export async function requireBlocks(provider: Provider, slots: readonly bigint[]): Promise<Map<bigint, Block>> {
  const answers = await provider.attempt(slots.map((slot) => blockHead(slot, 'confirmed')));
  return new Map(
    slots.map((slot, at) => {
      const block = blockOrSkipped(answers[at], provider);
      if (block === null || block === 'skipped')
        throw new ProviderError(`${provider.name} does not have the block of slot ${slot}`);
      return [slot, block];
    }),
  );
}

export async function findSignatures(
  provider: Provider,
  slot: bigint,
  commitment: Commitment,
): Promise<ReadonlySet<string> | 'skipped' | null> {
  const [answer] = await provider.attempt([blockSignatures(slot, commitment)]);
  return blockOrSkipped(answer, provider);
}

export async function findTransactions(
  provider: Provider,
  signatures: readonly string[],
  commitment: Commitment = 'confirmed',
): Promise<(Transaction | null)[]> {
  return (await readTransactionsLeniently(provider, signatures, commitment)).map((found) => {
    if (found instanceof UnreadableTransaction)
      throw new ProviderError(`${provider.name} returned ${found.signature} in an unreadable form: ${found.why}`);
    return found;
  });
}

/** The same, but an unreadable transaction does not affect the others. */
export async function readTransactionsLeniently(
  provider: Provider,
  signatures: readonly string[],
  commitment: Commitment = 'confirmed',
): Promise<(Transaction | UnreadableTransaction | null)[]> {
  const ask = (version: number) =>
    provider.attempt(signatures.map((wanted) => transactionOf(wanted, commitment, version)));
  const isNewer = (answer: { value: unknown } | { error: RpcError }) =>
    'error' in answer && answer.error.code === VERSION_UNSUPPORTED;
  const answers = await ask(0);
  return (answers.some(isNewer) ? await ask(1) : answers).map((answer, at) => {
    if ('value' in answer) return answer.value;
    if (isNewer(answer)) return new UnreadableTransaction(signatures[at] as string, answer.error.message);
    throw answer.error;
  });
}

/** A block with the wanted ones of its transactions, only with their accounts and balances. */
export async function requireWithAccounts(
  provider: Provider,
  slot: bigint,
  wanted: (listed: ListedTransaction) => boolean,
): Promise<{ block: Block; transactions: ListedTransaction[] }> {
  const found = await ofAnyVersion((version) => provider.call(blockWithAccounts(slot, version, wanted)));
  if (!found) throw new ProviderError(`${provider.name} does not have the block of slot ${slot}`);
  return found;
}

/** A block with the wanted ones of its transactions, in full; null if the provider does not have the block. */
export function findBlockWith(
  provider: Provider,
  slot: bigint,
  wanted: ReadonlySet<string>,
): Promise<{ block: Block; transactions: Map<string, Transaction> } | null> {
  return ofAnyVersion((version) => provider.call(blockWith(slot, version, wanted)));
}

export function isSkipped(error: unknown): boolean {
  return error instanceof RpcError && (error.code === -32007 || error.code === -32009);
}

function isNotYet(error: unknown): boolean {
  return error instanceof RpcError && (error.code === -32004 || error.code === -32014 || error.code === -32016);
}

const BLOCK = { encoding: 'json', rewards: false };
const VERSION_UNSUPPORTED = -32015;

/**
 * Every node supports version 0. If a block has a newer transaction, the node reports that, and version 1 is requested.
 */
async function ofAnyVersion<T>(ask: (version: number) => Promise<T>): Promise<T> {
  try {
    return await ask(0);
  } catch (error) {
    if (error instanceof RpcError && error.code === VERSION_UNSUPPORTED) return ask(1);
    throw error;
  }
}

function blockOrSkipped<T>(
  answer: { value: T | null } | { error: RpcError } | undefined,
  provider: Provider,
): T | 'skipped' | null {
  if (!answer) throw new ProviderError(`${provider.name} returned no response for a block`);
  if ('value' in answer) return answer.value;
  if (isSkipped(answer.error)) return 'skipped';
  if (isNotYet(answer.error)) return null;
  throw answer.error;
}

function ascending(slots: bigint[], first: bigint, last: bigint | null): bigint[] {
  if (
    slots.some(
      (slot, at) => slot < first || (last !== null && slot > last) || (at > 0 && slot <= (slots[at - 1] as bigint)),
    )
  )
    throw new MalformedAnswerError('slots are not in order');
  return slots;
}
