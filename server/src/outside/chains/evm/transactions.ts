import type { Call, Provider } from '../rpc/provider.ts';
import { inGroups, MAX_SINGLE_CALLS, MAX_WHOLE_BLOCKS_AT_ONCE, tryWholeBlock } from '../rpc/whole-blocks.ts';
import { blockByNumber, blockWith, orUnreadable, receiptOf, receiptsIn, transactionOf } from './calls.ts';
import type { Block, Receipt, Transaction } from './shapes.ts';

/** The hashes of transactions to read, by the number of their block. */
export type WantedTransactions = ReadonlyMap<bigint, ReadonlySet<string>>;

/** Null: the provider does not have the object, or returned it in an unreadable form. */
export interface FoundTransactions {
  blocks: Map<bigint, Block | null>;
  transactions: Map<string, Transaction | null>;
  receipts: Map<string, Receipt | null>;
}

/**
 * Reads transactions with their receipts and blocks. A block with more than a few of them is read whole, with all its
 * receipts. Everything else is requested one by one, but for the blocks that are known.
 */
export async function readTransactions(
  provider: Provider,
  wanted: WantedTransactions,
  known: ReadonlyMap<bigint, Block> = new Map(),
): Promise<FoundTransactions> {
  const found: FoundTransactions = { blocks: new Map(known), transactions: new Map(), receipts: new Map() };
  await inGroups(busyBlocks(wanted), MAX_WHOLE_BLOCKS_AT_ONCE, async ([number, hashes]) => {
    const whole = await tryWholeBlock(provider, () =>
      provider.batch([blockWith(number, hashes), receiptsIn(number, hashes)] as const),
    );
    const [block, receipts] = whole ?? [null, null];
    if (!block || !receipts) return;
    found.blocks.set(number, block.block);
    for (const [txHash, transaction] of block.transactions) found.transactions.set(txHash, transaction);
    for (const [txHash, receipt] of receipts) found.receipts.set(txHash, receipt);
  });

  const hashes = [...wanted.values()].flatMap((some) => [...some]);
  const numbers = [...wanted.keys()].filter((number) => !found.blocks.has(number));
  const receipts = hashes.filter((txHash) => !found.receipts.has(txHash));
  const transactions = hashes.filter((txHash) => !found.transactions.has(txHash));
  const answers = await provider.batch<Call<Block | Receipt | Transaction | null>[]>([
    ...numbers.map((number) => blockByNumber(number)),
    ...receipts.map((txHash) => orUnreadable(receiptOf(txHash), 'transactionHash', txHash, () => null)),
    ...transactions.map((txHash) => orUnreadable(transactionOf(txHash), 'hash', txHash, () => null)),
  ]);
  for (const [at, number] of numbers.entries()) found.blocks.set(number, answers[at] as Block | null);
  for (const [at, txHash] of receipts.entries())
    found.receipts.set(txHash, answers[numbers.length + at] as Receipt | null);
  for (const [at, txHash] of transactions.entries())
    found.transactions.set(txHash, answers[numbers.length + receipts.length + at] as Transaction | null);
  return found;
}

/** Reads only receipts, if the blocks have been read already. `unreadable` replaces an unreadable one. */
export async function readReceipts<U>(
  provider: Provider,
  wanted: WantedTransactions,
  unreadable: (txHash: string, why: string) => U,
): Promise<Map<string, Receipt | U | null>> {
  const found = new Map<string, Receipt | U | null>();
  await inGroups(busyBlocks(wanted), MAX_WHOLE_BLOCKS_AT_ONCE, async ([number, hashes]) => {
    for (const [txHash, receipt] of (await tryWholeBlock(provider, () => provider.call(receiptsIn(number, hashes)))) ??
      [])
      found.set(txHash, receipt);
  });
  const missing = [...wanted.values()].flatMap((hashes) => [...hashes].filter((txHash) => !found.has(txHash)));
  const answers = await provider.batch(
    missing.map((txHash) =>
      orUnreadable(receiptOf(txHash), 'transactionHash', txHash, (why) => unreadable(txHash, why)),
    ),
  );
  for (const [at, txHash] of missing.entries()) found.set(txHash, answers[at] ?? null);
  return found;
}

function busyBlocks(wanted: WantedTransactions): [bigint, ReadonlySet<string>][] {
  return [...wanted].filter(([, hashes]) => hashes.size > MAX_SINGLE_CALLS);
}
