import type { Provider } from '../rpc/provider.ts';
import { inGroups, MAX_SINGLE_QUESTIONS, MAX_WHOLE_BLOCKS_AT_ONCE, tryWholeBlock } from '../rpc/whole-blocks.ts';
import { findBlockWith, tellTransactions, type Unreadable } from './calls.ts';
import type { Block, Transaction } from './shapes.ts';

/**
 * Reads transactions whose slots are known, each in its place; null stands for one that the provider does not know. A slot with more
 * than a few of them is read by its whole block; what is missing there is requested one by one, as it is in all other slots.
 */
export async function readTransactions(
  provider: Provider,
  wanted: readonly { signature: string; slot: bigint }[],
): Promise<{ transactions: (Transaction | Unreadable | null)[]; blocks: Map<bigint, Block> }> {
  const blocks = new Map<bigint, Block>();
  const found = new Map<string, Transaction | Unreadable | null>();
  const busy = [...Map.groupBy(wanted, ({ slot }) => slot)].filter(([, some]) => some.length > MAX_SINGLE_QUESTIONS);
  await inGroups(busy, MAX_WHOLE_BLOCKS_AT_ONCE, async ([slot, some]) => {
    const whole = await tryWholeBlock(provider, () =>
      findBlockWith(provider, slot, new Set(some.map(({ signature }) => signature))),
    );
    if (!whole) return;
    blocks.set(slot, whole.block);
    for (const [signature, transaction] of whole.transactions) found.set(signature, transaction);
  });

  const missing = wanted.map(({ signature }) => signature).filter((signature) => !found.has(signature));
  const answers = await tellTransactions(provider, missing);
  for (const [at, signature] of missing.entries()) found.set(signature, answers[at] ?? null);
  return { transactions: wanted.map(({ signature }) => found.get(signature) ?? null), blocks };
}
