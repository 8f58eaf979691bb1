import { type BlockRef, ReorgError, type Reading } from '../chain.ts';
import { ProviderBehindError, ProviderError } from '../rpc/errors.ts';
import { isOverdue } from '../rpc/overdue.ts';
import type { Provider } from '../rpc/provider.ts';
import { findBlock, requireBlock, requireBlocks, UnreadableTransaction } from './calls.ts';
import { collectHistory, emptyHistory, HISTORY_LIMITS, type HistoryLimits, oldestFirst } from './history.ts';
import type { Listing } from './listing.ts';
import type { Block, Entry, Transaction } from './shapes.ts';
import { keepShown } from './shown-blocks.ts';
import type { Solana, WatchedWallets } from './solana.ts';
import { readTransactions } from './transactions.ts';
import { revertedPayments, toBlockRef, transfersOf } from './transfers.ts';

/**
 * How many transactions one step reads, and as many of quiet accounts in advance. A slot is read completely. Bounds the
 * memory of a step.
 */
const MAX_TRANSACTIONS = 200;
const MAX_FAILED = 20;

/** The transfers to these wallets that were reported before they were finalized. They are not read again until then. */
export interface EarlyReports {
  watched: WatchedWallets;
  /** The slots of their transactions, by signature. */
  slots: Map<string, bigint>;
}

/**
 * Reads on in a complete listing. All confirmed transactions are reported at once, but only finalized slots are
 * covered: a node's index may lag its newest blocks for a moment, and finalized blocks are never orphaned.
 */
export async function readListed(
  solana: Solana,
  provider: Provider,
  listing: Listing,
  reported: EarlyReports,
): Promise<Reading> {
  const reach = listing.heldUpTo !== null && listing.heldUpTo < listing.covers ? listing.heldUpTo : listing.covers;
  for (const entry of listing.entries.values())
    if (entry.slot > reach && reported.slots.get(entry.signature) === entry.slot) dropEntry(listing, entry);
  const all = oldestFirst(listing.entries.values());
  const oldest = firstOf(all);
  // A slot is read completely or not at all, so everything up to the last slot is covered.
  const read = oldest.length === all.length ? reach : (oldest.at(-1) as Entry).slot;
  const covers = read < reach ? read : reach;
  const inTurn = new Set(oldest.map((entry) => entry.signature));
  const ahead = oldestFirst(listing.quiet.values())
    .filter((entry) => !inTurn.has(entry.signature))
    .slice(0, MAX_TRANSACTIONS);

  const entries = [...oldest, ...ahead];
  const { transactions, blocks } = await fetchAll(solana, provider.proven, entries, covers);
  const covered =
    covers > listing.after.number
      ? toBlockRef(blocks.get(covers) ?? (await requireBlock(provider.proven, covers)))
      : listing.after;

  for (const { slot } of transactions) {
    const block = blocks.get(slot);
    if (block && slot <= listing.covers) keepShown(solana, provider, block);
  }
  for (const entry of entries) {
    dropEntry(listing, entry);
    if (entry.slot > covers) reported.slots.set(entry.signature, entry.slot);
  }
  for (const [signature, slot] of reported.slots) if (slot <= covers) reported.slots.delete(signature);
  listing.after = covered;
  return { ...transfersIn(solana, transactions, blocks, reported.watched), covered, provider: provider.name };
}

function dropEntry(listing: Listing, { signature }: Entry): void {
  listing.entries.delete(signature);
  listing.quiet.delete(signature);
}

/** Recent activity of some accounts after a block, of interest for transfers to watched wallets. */
export interface RecentActivity {
  after: BlockRef;
  accounts: readonly string[];
  watched: WatchedWallets;
  /** The signatures of transactions that are not read again. */
  reported: ReadonlySet<string>;
}

/**
 * Reads recent activity without covering anything. Between two listings, and while a busy account is
 * read, money is seen without delay. Accounts with much activity are left to the listing.
 */
export async function readAhead(
  solana: Solana,
  provider: Provider,
  { after, accounts, watched, reported }: RecentActivity,
): Promise<Reading & { signatures: string[] }> {
  const history = emptyHistory(AHEAD_LIMITS);
  if (accounts.length > 0)
    await collectHistory(provider, history, accounts, { after: after.number, atLeast: after.number });
  const entries = oldestFirst(history.quiet.values())
    .filter(({ signature }) => !reported.has(signature))
    .slice(0, MAX_TRANSACTIONS);
  const { transactions, blocks } = await fetchAll(solana, provider.proven, entries, after.number);
  return {
    ...transfersIn(solana, transactions, blocks, watched),
    covered: after,
    provider: provider.name,
    signatures: entries.map(({ signature }) => signature),
  };
}

const AHEAD_LIMITS: HistoryLimits = { ...HISTORY_LIMITS, maxPages: 1, maxSparsePages: 1 };

/** Throws `ReorgError` if the starting block is no longer on the chain. */
export async function requireCanonical(provider: Provider, after: BlockRef): Promise<void> {
  const block = await findBlock(provider, after.number);
  if (block === null) throw new ProviderBehindError(`${provider.name} has not come to slot ${after.number} yet`);
  if (block === 'skipped') throw new ReorgError(`slot ${after.number} has no block now, not ${after.hash}`);
  if (block.hash !== after.hash) throw new ReorgError(`slot ${after.number} is ${block.hash} now, not ${after.hash}`);
}

/** The oldest entries up to the limit, plus the rest of the last slot. */
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
    // A transaction that is not finalized may have been on an orphaned fork. Otherwise the provider is inconsistent.
    if (!answers[at] && entry.slot <= covers)
      throw new ProviderError(`${provider.name} lists ${entry.signature} but does not have it`);
  }
  const transactions = readableOnly(
    solana,
    provider,
    answers.filter((answer) => answer !== null),
  );
  const missing = [...new Set(transactions.map((transaction) => transaction.slot))].filter((slot) => !blocks.has(slot));
  for (const [slot, block] of await requireBlocks(provider, missing)) blocks.set(slot, block);
  return { transactions, blocks };
}

/**
 * Returns the readable transactions. Fails so that another provider is asked for the others, and after ten minutes
 * skips them with an alarm. One unreadable transaction, which anyone may have sent, must not block reading forever.
 */
export function readableOnly(
  solana: Solana,
  provider: Provider,
  answers: readonly (Transaction | UnreadableTransaction)[],
): Transaction[] {
  for (const one of answers) if (!(one instanceof UnreadableTransaction)) solana.unreadable.delete(one.signature);
  const malformed = answers.filter((one) => one instanceof UnreadableTransaction);
  // All are recorded before the first one fails, so that many delay reading no longer than one.
  const waited = malformed.filter(({ signature }) => !isOverdue(solana.unreadable, signature));
  if (waited[0])
    throw new ProviderError(`${provider.name} returned ${waited[0].signature} in an unreadable form: ${waited[0].why}`);
  for (const { signature, why } of malformed) {
    solana.log.error(
      { provider: provider.name, txHash: signature, why, alarm: 'transaction_unreadable' },
      'transaction skipped: no provider returned a readable form',
    );
  }
  return answers.filter((one): one is Transaction => !(one instanceof UnreadableTransaction));
}

function transfersIn(
  solana: Solana,
  transactions: readonly Transaction[],
  blocks: ReadonlyMap<bigint, Block>,
  watched: WatchedWallets,
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
