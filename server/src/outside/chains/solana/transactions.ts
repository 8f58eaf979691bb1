import type { Provider } from '../rpc/provider.ts';
import { inGroups, MAX_SINGLE_CALLS, MAX_WHOLE_BLOCKS_AT_ONCE, tryWholeBlock } from '../rpc/whole-blocks.ts';
import { findBlockWith, readTransactionsLeniently, type UnreadableTransaction } from './calls.ts';
import type { Block, Transaction } from './shapes.ts';

/**
 * Reads transactions whose slots are known, in the given order; null for one that the provider does not know. A slot
 * with more than a few of them is read as a whole block. Everything else is requested one by one.
 */
export async function readTransactions(
  provider: Provider,
  wanted: readonly { signature: string; slot: bigint }[],
): Promise<{ transactions: (Transaction | UnreadableTransaction | null)[]; blocks: Map<bigint, Block> }> {
  const blocks = new Map<bigint, Block>();
  const found = new Map<string, Transaction | UnreadableTransaction | null>();
  const busy = [...Map.groupBy(wanted, ({ slot }) => slot)].filter(([, some]) => some.length > MAX_SINGLE_CALLS);
  await inGroups(busy, MAX_WHOLE_BLOCKS_AT_ONCE, async ([slot, some]) => {
    const whole = await tryWholeBlock(provider, () =>
      findBlockWith(provider, slot, new Set(some.map(({ signature }) => signature))),
    );
    if (!whole) return;
    blocks.set(slot, whole.block);
    for (const [signature, transaction] of whole.transactions) found.set(signature, transaction);
  });

  const missing = wanted.map(({ signature }) => signature).filter((signature) => !found.has(signature));
  const answers = await readTransactionsLeniently(provider, missing);
  for (const [at, signature] of missing.entries()) found.set(signature, answers[at] ?? null);
  return { transactions: wanted.map(({ signature }) => found.get(signature) ?? null), blocks };
}
