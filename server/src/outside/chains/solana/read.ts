import { type BlockRef, Forked, type Head, type Reading } from '../chain.ts';
import type { Provider } from '../evm/provider.ts';
import { ProviderFailure } from '../evm/rpc-errors.ts';
import { findBlock, findTransactions, requireBlock, requireBlocks, slotsBetween } from './calls.ts';
import { historySince } from './history.ts';
import type { Block, Entry, Transaction } from './shapes.ts';
import type { Solana, Watched } from './solana.ts';
import { revertedPayments, toBlockRef, transfersOf } from './transfers.ts';

/** What is left of a listing: everything after the block read from, up to where the listing covers. */
export interface Backlog {
  provider: string;
  watched: Watched;
  after: BlockRef;
  covers: bigint;
  entries: readonly Entry[];
}

// How many transactions one step asks for in full, and how many failed ones among them.
const TRANSACTIONS_MOST = 200;
const FAILED_MOST = 20;
// As many slots at once as a listing of blocks is allowed to span, with a margin.
const SLOTS_MOST = 400_000n;
// Longer without a block the network rarely is; a node that was started anew from a snapshot is.
const GAP_SLOTS = 16n;

/**
 * Reads wallet by wallet, by the history of each account that money can arrive in. All that is confirmed is told at
 * once, but only what is finalized is covered: a node's index may trail its newest blocks by a moment, and what is
 * finalized never forks away.
 */
export async function readHistory(
  solana: Solana, provider: Provider, question: { after: BlockRef; head: Head; accounts: readonly string[]; watched: Watched }, backlog: Backlog | undefined,
): Promise<{ reading: Reading; backlog: Backlog | undefined }> {
  const { after, head, accounts, watched } = question;
  await isStillThere(provider, after);
  const left = backlog ?? await list(provider, after, head, accounts, watched);

  const entries = firstOf(left.entries);
  const isAll = entries.length === left.entries.length;
  // Of a slot that is told in part nothing is covered; `firstOf` takes slots whole.
  const covers = isAll ? left.covers : min(left.covers, (entries.at(-1) as Entry).slot);
  const { transactions, blocks } = await fetchAll(provider, entries, covers);
  const covered = covers > after.number ? toBlockRef(blocks.get(covers) ?? await requireBlock(provider, covers)) : after;

  const rest = left.entries.slice(entries.length).filter((entry) => entry.slot > covered.number);
  return {
    reading: { ...told(solana, transactions, blocks, watched), covered, provider: provider.name },
    backlog: isAll ? undefined : { ...left, after: covered, entries: rest },
  };
}

/** What the accounts show that have changed, without covering anything: between two listings money is seen no later. */
export async function readChanged(solana: Solana, provider: Provider, after: BlockRef, head: Head, accounts: readonly string[], watched: Watched): Promise<Reading> {
  const entries = firstOf(accounts.length === 0 ? [] : await historySince(provider, accounts, after.number, atLeast(after, head)));
  const { transactions, blocks } = await fetchAll(provider, entries, after.number);
  return { ...told(solana, transactions, blocks, watched), covered: after, provider: provider.name };
}

/** Throws `Forked` where the block read from is no longer on the chain. */
export async function isStillThere(provider: Provider, after: BlockRef): Promise<void> {
  const block = await findBlock(provider, after.number);
  if (block === null) throw new ProviderFailure(`${provider.name} has not come to slot ${after.number} yet`);
  if (block === 'skipped') throw new Forked(`slot ${after.number} has no block now, not ${after.hash}`);
  if (block.hash !== after.hash) throw new Forked(`slot ${after.number} is ${block.hash} now, not ${after.hash}`);
}

async function list(provider: Provider, after: BlockRef, head: Head, accounts: readonly string[], watched: Watched): Promise<Backlog> {
  const covers = await reach(provider, after.number, head);
  const entries = accounts.length === 0 ? [] : await historySince(provider, accounts, after.number, atLeast(after, head));
  return { provider: provider.name, watched, after, covers, entries };
}

/** How far this provider's history is whole: the newest finalized slot, unless its ledger has a hole before. */
async function reach(provider: Provider, after: bigint, head: Head): Promise<bigint> {
  const finalized = head.finalized ?? after;
  if (finalized <= after) return after;
  const slots = await provider.call(slotsBetween(after, min(finalized, after + SLOTS_MOST), 'finalized'));
  if (slots[0] !== after) throw new ProviderFailure(`${provider.name} does not list slot ${after} that it has a block of`);
  for (const [at, slot] of slots.entries()) {
    const before = slots[at - 1];
    if (before === undefined || slot - before <= GAP_SLOTS) continue;
    const { parentSlot } = await requireBlock(provider, slot);
    if (parentSlot !== before) throw new ProviderFailure(`${provider.name} has no blocks between slots ${before} and ${slot}`);
  }
  return slots.at(-1) as bigint;
}

function atLeast(after: BlockRef, head: Head): bigint {
  return head.finalized !== null && head.finalized > after.number ? head.finalized : after.number;
}

/** The oldest entries, so many or a few more: those of one slot stay together. */
function firstOf(entries: readonly Entry[]): readonly Entry[] {
  let end = Math.min(TRANSACTIONS_MOST, entries.length);
  while (end > 0 && end < entries.length && entries[end]?.slot === entries[end - 1]?.slot) end += 1;
  return entries.slice(0, end);
}

async function fetchAll(provider: Provider, entries: readonly Entry[], covers: bigint): Promise<{ transactions: Transaction[]; blocks: Map<bigint, Block> }> {
  const wanted = [...entries.filter((entry) => !entry.failed), ...entries.filter((entry) => entry.failed).slice(0, FAILED_MOST)];
  const answers = await findTransactions(provider, wanted.map((entry) => entry.signature));
  const transactions = answers.flatMap((transaction, at) => {
    const entry = wanted[at] as Entry;
    if (transaction) return [transaction];
    // What is not final yet may have been on a branch that is gone by now; else the provider contradicts itself.
    if (entry.slot > covers) return [];
    throw new ProviderFailure(`${provider.name} lists ${entry.signature} and does not know it`);
  });
  const slots = [...new Set(transactions.map((transaction) => transaction.slot))];
  return { transactions, blocks: await requireBlocks(provider, slots) };
}

function told(solana: Solana, transactions: readonly Transaction[], blocks: ReadonlyMap<bigint, Block>, watched: Watched): Pick<Reading, 'transfers' | 'reverted'> {
  return {
    transfers: transactions.flatMap((transaction) => transfersOf(solana, { transaction, block: blocks.get(transaction.slot) as Block }, watched)),
    reverted: transactions.filter((transaction) => transaction.failed).flatMap((transaction) => revertedPayments(solana, transaction, watched)),
  };
}

function min(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
