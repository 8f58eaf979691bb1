import { type BlockRef, ReorgError, type Reading } from '../chain.ts';
import { ProviderBehindError, ProviderError } from '../rpc/errors.ts';
import { isOverdue } from '../rpc/overdue.ts';
import type { Provider } from '../rpc/provider.ts';
import { findBlock, requireBlock, requireBlocks, Unreadable } from './calls.ts';
import { collectHistory, emptyHistory, HISTORY_LIMITS, type HistoryLimits, oldestFirst } from './history.ts';
import type { Listing } from './listing.ts';
import type { Block, Entry, Transaction } from './shapes.ts';
import type { Solana, Watched } from './solana.ts';
import { readTransactions } from './transactions.ts';
import { revertedPayments, toBlockRef, transfersOf } from './transfers.ts';

/** How many transactions one step reads, and as many of quiet accounts ahead of their turn; a slot is read whole. It bounds what a step holds in memory. */
const MAX_TRANSACTIONS = 200;
const MAX_FAILED = 20;

/** The slots of what was reported before it was finalized: it is not read again until it is. */
export type Reported = Map<string, bigint>;

/**
 * Reads on in a complete listing. All that is confirmed is reported at once, but only what is finalized is covered: a
 * node's index may trail its newest blocks by a moment, and what is finalized never forks away.
 */
export async function readListed(
  solana: Solana,
  provider: Provider,
  listing: Listing,
  watched: Watched,
  reported: Reported = new Map(),
): Promise<Reading> {
  const reach = listing.heldUpTo !== null && listing.heldUpTo < listing.covers ? listing.heldUpTo : listing.covers;
  for (const entry of listing.entries.values())
    if (entry.slot > reach && reported.get(entry.signature) === entry.slot) forget(listing, entry);
  const all = oldestFirst(listing.entries.values());
  const oldest = firstOf(all);
  // A slot is read whole or not at all, so everything up to the last one is covered.
  const read = oldest.length === all.length ? reach : (oldest.at(-1) as Entry).slot;
  const covers = read < reach ? read : reach;
  const inTurn = new Set(oldest.map((entry) => entry.signature));
  const ahead = oldestFirst(listing.quiet.values())
    .filter((entry) => !inTurn.has(entry.signature))
    .slice(0, MAX_TRANSACTIONS);

  const entries = [...oldest, ...ahead];
  const { transactions, blocks } = await fetchAll(solana, provider, entries, covers);
  const covered =
    covers > listing.after.number
      ? toBlockRef(blocks.get(covers) ?? (await requireBlock(provider, covers)))
      : listing.after;

  for (const entry of entries) {
    forget(listing, entry);
    if (entry.slot > covers) reported.set(entry.signature, entry.slot);
  }
  for (const [signature, slot] of reported) if (slot <= covers) reported.delete(signature);
  listing.after = covered;
  return { ...transfersIn(solana, transactions, blocks, watched), covered, provider: provider.name };
}

function forget(listing: Listing, { signature }: Entry): void {
  listing.entries.delete(signature);
  listing.quiet.delete(signature);
}

/**
 * What these accounts show since a block, without covering anything: between two listings, and while a busy account is read, money is
 * seen no later. Accounts with much that is new are left to those.
 */
export async function readAhead(
  solana: Solana,
  provider: Provider,
  after: BlockRef,
  accounts: readonly string[],
  watched: Watched,
  reported: ReadonlySet<string> = new Set(),
): Promise<Reading & { signatures: string[] }> {
  const history = emptyHistory();
  if (accounts.length > 0) await collectHistory(provider, accounts, after.number, after.number, history, AHEAD_LIMITS);
  const entries = oldestFirst(history.quiet.values())
    .filter(({ signature }) => !reported.has(signature))
    .slice(0, MAX_TRANSACTIONS);
  const { transactions, blocks } = await fetchAll(solana, provider, entries, after.number);
  return {
    ...transfersIn(solana, transactions, blocks, watched),
    covered: after,
    provider: provider.name,
    signatures: entries.map(({ signature }) => signature),
  };
}

const AHEAD_LIMITS: HistoryLimits = { ...HISTORY_LIMITS, maxPages: 1, maxSparsePages: 1 };

/** Throws `ReorgError` where the block read from is no longer on the chain. */
export async function isStillThere(provider: Provider, after: BlockRef): Promise<void> {
  const block = await findBlock(provider, after.number);
  if (block === null) throw new ProviderBehindError(`${provider.name} has not come to slot ${after.number} yet`);
  if (block === 'skipped') throw new ReorgError(`slot ${after.number} has no block now, not ${after.hash}`);
  if (block.hash !== after.hash) throw new ReorgError(`slot ${after.number} is ${block.hash} now, not ${after.hash}`);
}

/** The oldest entries, so many or a few more: those of one slot stay together. */
function firstOf(entries: readonly Entry[]): readonly Entry[] {
  let end = Math.min(MAX_TRANSACTIONS, entries.length);
  while (end > 0 && end < entries.length && entries[end]?.slot === entries[end - 1]?.slot) end += 1;
  return entries.slice(0, end);
}

async function fetchAll(
  solana: Solana,
  provider: Provider,
  entries: readonly Entry[],
  covers: bigint,
): Promise<{ transactions: Transaction[]; blocks: Map<bigint, Block> }> {
  const wanted = [
    ...entries.filter((entry) => !entry.failed),
    ...entries.filter((entry) => entry.failed).slice(0, MAX_FAILED),
  ];
  const { transactions: answers, blocks } = await readTransactions(provider, wanted);
  for (const [at, entry] of wanted.entries()) {
    // What is not final yet may have been on a branch that is gone by now; else the provider contradicts itself.
    if (!answers[at] && entry.slot <= covers)
      throw new ProviderError(`${provider.name} lists ${entry.signature} and does not know it`);
  }
  const transactions = readable(
    solana,
    provider,
    answers.filter((answer) => answer !== null),
  );
  const missing = [...new Set(transactions.map((transaction) => transaction.slot))].filter((slot) => !blocks.has(slot));
  for (const [slot, block] of await requireBlocks(provider, missing)) blocks.set(slot, block);
  return { transactions, blocks };
}

/**
 * The transactions that can be read. The others are waited for, all at once, and then skipped with an alarm: one odd
 * transaction, which anybody may have sent, must not stop reading for ever.
 */
export function readable(
  solana: Solana,
  provider: Provider,
  told: readonly (Transaction | Unreadable)[],
): Transaction[] {
  for (const one of told) if (!(one instanceof Unreadable)) solana.unreadable.delete(one.signature);
  const odd = told.filter((one) => one instanceof Unreadable);
  // All are noted before any is waited for, so that many of them delay reading no longer than one.
  const waited = odd.filter(({ signature }) => !isOverdue(solana.unreadable, signature));
  if (waited[0])
    throw new ProviderError(`${provider.name} returned ${waited[0].signature} in an unreadable form: ${waited[0].why}`);
  for (const { signature, why } of odd) {
    solana.log.error(
      { provider: provider.name, txHash: signature, why, alarm: 'transaction_unreadable' },
      'transaction skipped: no provider returned a readable form',
    );
  }
  return told.filter((one): one is Transaction => !(one instanceof Unreadable));
}

function transfersIn(
  solana: Solana,
  transactions: readonly Transaction[],
  blocks: ReadonlyMap<bigint, Block>,
  watched: Watched,
): Pick<Reading, 'transfers' | 'reverted'> {
  return {
    transfers: transactions.flatMap((transaction) =>
      transfersOf(solana, { transaction, block: blocks.get(transaction.slot) as Block }, watched),
    ),
    reverted: transactions
      .filter((transaction) => transaction.failed)
      .flatMap((transaction) => revertedPayments(solana, transaction, watched)),
  };
}
