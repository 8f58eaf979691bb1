import { type BlockRef, ReorgError, type Reading } from '../chain.ts';
import { NothingNewerError, ProviderError } from '../rpc/errors.ts';
import { narrowing } from '../rpc/narrowing.ts';
import type { Provider } from '../rpc/provider.ts';
import type { Window } from '../rpc/window.ts';
import { inGroups, MAX_WHOLE_BLOCKS_AT_ONCE } from '../rpc/whole-blocks.ts';
import { requireWithAccounts, slotsFrom } from './calls.ts';
import { requireCanonical, readableOnly } from './read.ts';
import type { Block, ListedTransaction, Transaction } from './shapes.ts';
import type { ReadRange, Solana } from './solana.ts';
import { readTransactions } from './transactions.ts';
import { concerns, revertedPayments, toBlockRef, transfersOf } from './transfers.ts';

const MAX_FAILED = 20;

/**
 * Reads whole blocks, each linked to the previous one. The cost does not depend on the number of wallets. First only
 * the accounts and balances of all transactions are requested, then the relevant transactions in full.
 */
export function readBlocks(solana: Solana, provider: Provider, range: ReadRange, window: Window): Promise<Reading> {
  return narrowing(window, Number(range.until - range.after.number), () => readStep(solana, provider, range, window));
}

async function readStep(
  solana: Solana,
  provider: Provider,
  { after, until, watched }: ReadRange,
  window: Window,
): Promise<Reading> {
  // Slots without a block are skipped, regardless of their number.
  const slots = (await provider.call(slotsFrom(after.number, window.blocks + 1, 'confirmed')))
    .filter((slot) => slot > after.number && slot <= until)
    .slice(0, window.blocks);
  if (slots.length === 0) {
    await requireCanonical(provider, after);
    if (until > after.number) throw new NothingNewerError(`${provider.name} has no block after slot ${after.number}`);
    return { transfers: [], reverted: [], covered: after, provider: provider.name };
  }
  const whole = await inGroups(slots, MAX_WHOLE_BLOCKS_AT_ONCE, (slot) =>
    requireWithAccounts(provider, slot, (listed) => concerns(listed, watched)),
  );
  await linked(
    provider,
    after,
    whole.map(({ block }) => block),
  );

  const candidates = whole.flatMap(({ block, transactions }) => transactions.map((listed) => ({ block, listed })));
  const failed = candidates.filter(({ listed }) => listed.failed).slice(0, MAX_FAILED);
  const wanted = [...candidates.filter(({ listed }) => !listed.failed), ...failed];
  const { transactions: answers, blocks } = await readTransactions(
    provider,
    wanted.map(({ block, listed }) => ({ signature: listed.signature, slot: block.slot })),
  );
  for (const [at, { listed }] of wanted.entries()) {
    if (!answers[at])
      throw new ProviderError(`${provider.name} has ${listed.signature} in a block but cannot return it`);
  }
  for (const { block } of whole) {
    if ((blocks.get(block.slot) ?? block).hash !== block.hash)
      throw new ProviderError(`${provider.name} returned two blocks of slot ${block.slot}`);
  }
  const places = new Map(wanted.map((one) => [one.listed.signature, one]));
  const seen = readableOnly(
    solana,
    provider,
    answers.filter((answer) => answer !== null),
  ).map((transaction) => {
    const { block, listed } = places.get(transaction.signature) as { block: Block; listed: ListedTransaction };
    return { block, transaction: inBlock(provider, block, listed, transaction) };
  });
  window.widen(slots.length);

  return {
    transfers: seen.flatMap((one) => transfersOf(solana, one, watched)),
    reverted: seen
      .filter(({ transaction }) => transaction.failed)
      .flatMap(({ transaction }) => revertedPayments(solana, transaction, watched)),
    covered: toBlockRef((whole.at(-1) as { block: Block }).block),
    provider: provider.name,
  };
}

async function linked(provider: Provider, after: BlockRef, blocks: readonly Block[]): Promise<void> {
  const [first] = blocks as [Block];
  if (first.parentHash !== after.hash) {
    await requireCanonical(provider, after);
    // The starting block is canonical but not the parent: either there was a reorg in between, or the ledger has a gap.
    if (first.parentSlot === after.number)
      throw new ReorgError(`slot ${first.slot} follows ${first.parentHash}, not ${after.hash}`);
    throw new ProviderError(`${provider.name} has no blocks between slots ${after.number} and ${first.slot}`);
  }
  for (const [at, block] of blocks.entries()) {
    const parent = blocks[at - 1];
    if (parent && (block.parentHash !== parent.hash || block.parentSlot !== parent.slot))
      throw new ProviderError(`${provider.name} returned blocks that are not linked at slot ${block.slot}`);
  }
}

function inBlock(provider: Provider, block: Block, listed: ListedTransaction, transaction: Transaction): Transaction {
  if (transaction.slot !== block.slot || (listed.failed !== null && transaction.failed !== listed.failed))
    throw new ProviderError(`${provider.name} returned ${listed.signature} in two different forms`);
  return transaction;
}
