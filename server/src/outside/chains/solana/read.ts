import { type BlockRef, Forked, type Reading } from '../chain.ts';
import { ProviderFailure } from '../rpc/errors.ts';
import { isOverdue } from '../rpc/overdue.ts';
import type { Provider } from '../rpc/provider.ts';
import { findBlock, requireBlock, requireBlocks, tellTransactions, Unreadable } from './calls.ts';
import { historySince } from './history.ts';
import type { Listing } from './listing.ts';
import type { Block, Entry, Transaction } from './shapes.ts';
import type { Solana, Watched } from './solana.ts';
import { revertedPayments, toBlockRef, transfersOf } from './transfers.ts';

// How many transactions one step asks for in full, and how many failed ones among them.
const TRANSACTIONS_MOST = 200;
const FAILED_MOST = 20;

/**
 * Reads on in a complete listing. All that is confirmed is told at once, but only what is finalized is covered: a
 * node's index may trail its newest blocks by a moment, and what is finalized never forks away.
 */
export async function readListed(solana: Solana, provider: Provider, listing: Listing, watched: Watched): Promise<Reading> {
  const all = [...listing.entries.values()].sort((a, b) => (a.slot < b.slot ? -1 : a.slot > b.slot ? 1 : 0));
  const entries = firstOf(all);
  // A slot is told whole or not at all, so everything up to the last one is covered.
  const told = entries.length === all.length ? listing.covers : (entries.at(-1) as Entry).slot;
  const covers = told < listing.covers ? told : listing.covers;
  const { transactions, blocks } = await fetchAll(solana, provider, entries, covers);
  const covered = covers > listing.after.number ? toBlockRef(blocks.get(covers) ?? await requireBlock(provider, covers)) : listing.after;

  for (const entry of entries) listing.entries.delete(entry.signature);
  listing.after = covered;
  return { ...transfersIn(solana, transactions, blocks, watched), covered, provider: provider.name };
}

/** What these accounts show since a block, without covering anything: between two listings money is seen no later. */
export async function readAhead(solana: Solana, provider: Provider, after: BlockRef, accounts: readonly string[], watched: Watched): Promise<Reading> {
  const entries = firstOf(accounts.length === 0 ? [] : await historySince(provider, accounts, after.number, after.number));
  const { transactions, blocks } = await fetchAll(solana, provider, entries, after.number);
  return { ...transfersIn(solana, transactions, blocks, watched), covered: after, provider: provider.name };
}

/** Throws `Forked` where the block read from is no longer on the chain. */
export async function isStillThere(provider: Provider, after: BlockRef): Promise<void> {
  const block = await findBlock(provider, after.number);
  if (block === null) throw new ProviderFailure(`${provider.name} has not come to slot ${after.number} yet`);
  if (block === 'skipped') throw new Forked(`slot ${after.number} has no block now, not ${after.hash}`);
  if (block.hash !== after.hash) throw new Forked(`slot ${after.number} is ${block.hash} now, not ${after.hash}`);
}

/** The oldest entries, so many or a few more: those of one slot stay together. */
function firstOf(entries: readonly Entry[]): readonly Entry[] {
  let end = Math.min(TRANSACTIONS_MOST, entries.length);
  while (end > 0 && end < entries.length && entries[end]?.slot === entries[end - 1]?.slot) end += 1;
  return entries.slice(0, end);
}

async function fetchAll(solana: Solana, provider: Provider, entries: readonly Entry[], covers: bigint): Promise<{ transactions: Transaction[]; blocks: Map<bigint, Block> }> {
  const wanted = [...entries.filter((entry) => !entry.failed), ...entries.filter((entry) => entry.failed).slice(0, FAILED_MOST)];
  const answers = await tellTransactions(provider, wanted.map((entry) => entry.signature));
  const transactions = readable(solana, provider, answers.flatMap((told, at) => {
    const entry = wanted[at] as Entry;
    if (told) return [told];
    // What is not final yet may have been on a branch that is gone by now; else the provider contradicts itself.
    if (entry.slot > covers) return [];
    throw new ProviderFailure(`${provider.name} lists ${entry.signature} and does not know it`);
  }));
  return { transactions, blocks: await requireBlocks(provider, [...new Set(transactions.map((transaction) => transaction.slot))]) };
}

/**
 * The transactions that can be read. The others are waited for, all at once, and then skipped with an alarm: one odd
 * transaction, which anybody may have sent, must not stop reading for ever.
 */
export function readable(solana: Solana, provider: Provider, told: readonly (Transaction | Unreadable)[]): Transaction[] {
  for (const one of told) if (!(one instanceof Unreadable)) solana.unreadable.delete(one.signature);
  const odd = told.filter((one) => one instanceof Unreadable);
  // All are noted before any is waited for, so that many of them delay reading no longer than one.
  const waited = odd.filter(({ signature }) => !isOverdue(solana.unreadable, signature));
  if (waited[0]) throw new ProviderFailure(`${provider.name} returned ${waited[0].signature} in a form that cannot be read: ${waited[0].why}`);
  for (const { signature, why } of odd) {
    solana.log.error({ provider: provider.name, txHash: signature, why, alarm: 'transaction_unreadable' }, 'transaction skipped: no provider returned a readable form');
  }
  return told.filter((one): one is Transaction => !(one instanceof Unreadable));
}

function transfersIn(solana: Solana, transactions: readonly Transaction[], blocks: ReadonlyMap<bigint, Block>, watched: Watched): Pick<Reading, 'transfers' | 'reverted'> {
  return {
    transfers: transactions.flatMap((transaction) => transfersOf(solana, { transaction, block: blocks.get(transaction.slot) as Block }, watched)),
    reverted: transactions.filter((transaction) => transaction.failed).flatMap((transaction) => revertedPayments(solana, transaction, watched)),
  };
}
