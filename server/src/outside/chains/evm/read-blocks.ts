import { type BlockRef, Forked, type Reading } from '../chain.ts';
import { ProviderFailure } from '../rpc/errors.ts';
import type { Provider } from '../rpc/provider.ts';
import type { Window } from '../rpc/window.ts';
import { blockByNumber, readableBlock } from './calls.ts';
import type { Evm, Watched } from './evm.ts';
import { transferLogs } from './logs.ts';
import { type Inside, movedInside } from './native.ts';
import { granted, isStill, logClaims, MAX_LOGS_IN_A_STEP, newestNumber, requireAll } from './read.ts';
import { isWindowTooWide } from './refusals.ts';
import type { Block, FullBlock, Log, Receipt, Transaction } from './shapes.ts';
import { carriedBy } from './tag.ts';
import { readReceipts } from './transactions.ts';
import { toBlockRef, transfersOf } from './transfers.ts';

/** A block as it is read here: one malformed transaction in it does not hide the others. */
type ReadBlock = FullBlock & { unreadable: readonly string[] };

/** A transaction that touches a watched wallet, in its block. */
interface Relevant {
  block: ReadBlock;
  transaction: Transaction;
}

/**
 * Reads whole blocks, for a network whose native coin is received: token transfers by logs, native ones by the
 * transactions themselves and by what moved inside them. Reverted payments show here too.
 */
export async function readBlocks(inside: Inside, provider: Provider, window: Window, after: BlockRef, until: bigint, watched: Watched): Promise<Reading> {
  const { evm } = inside;
  const wanted = Math.min(window.blocks, Number(until - after.number));
  const run = await readRun(evm, provider, after, after.number + BigInt(wanted), watched).catch((error: unknown) => {
    // Full blocks weigh up to a megabyte each; a slow line may not carry so many in time.
    if (error instanceof ProviderFailure) window.narrow(wanted);
    throw error;
  });
  const { blocks, logs, open } = upToMany(evm, run, watched);
  if (blocks.length < run.blocks.length) window.narrow(wanted);
  else window.widen(blocks.length);
  const last = blocks.at(-1) as ReadBlock;

  const receipts = await receiptsOf(provider, open);
  requireReadable(evm, provider, blocks, logs, open, receipts);

  const moved = await movedInside(inside, provider, { before: after, blocks, receipts }, watched);
  const hidden = blocks.flatMap((block) => block.transactions
    .filter((transaction) => moved.frames.has(transaction.hash) && !receipts.has(transaction.hash))
    .map((transaction) => ({ block, transaction })));
  const hiddenReceipts = await receiptsOf(provider, hidden);
  requireReadable(evm, provider, [], [], hidden, hiddenReceipts);
  for (const [hash, receipt] of hiddenReceipts) receipts.set(hash, receipt);
  await isStill(provider, last);

  return {
    transfers: [...[...open, ...hidden].flatMap(({ block, transaction }) => {
      const receipt = receipts.get(transaction.hash);
      return receipt ? transfersOf(evm, { transaction, block, receipt, frames: moved.frames.get(transaction.hash) ?? [] }, watched) : [];
    }), ...moved.untraced],
    reverted: open.filter(({ transaction }) => receipts.get(transaction.hash)?.succeeded === false).flatMap(({ transaction }) => revertedPayment(evm, transaction, watched)),
    covered: toBlockRef(last),
    provider: provider.name,
  };
}

/** As many of the blocks as hold no more than a bounded number of relevant transactions and logs together, and the first one in any case. */
function upToMany(evm: Evm, run: { blocks: ReadBlock[]; logs: Log[] }, watched: Watched): { blocks: ReadBlock[]; logs: Log[]; open: Relevant[] } {
  const logs = Map.groupBy(run.logs, (log) => log.blockHash);
  const kept: { blocks: ReadBlock[]; logs: Log[]; open: Relevant[] } = { blocks: [], logs: [], open: [] };
  for (const block of run.blocks) {
    const ownLogs = logs.get(block.hash) ?? [];
    const named = new Set(ownLogs.map((log) => log.txHash));
    const open = block.transactions.filter((transaction) => named.has(transaction.hash) || touches(evm, transaction, watched)).map((transaction) => ({ block, transaction }));
    if (kept.blocks.length > 0 && kept.logs.length + ownLogs.length + kept.open.length + open.length > MAX_LOGS_IN_A_STEP) break;
    kept.blocks.push(block);
    kept.logs.push(...ownLogs);
    kept.open.push(...open);
  }
  return kept;
}

/** Every log must stand in its receipt, and every transaction and receipt must be readable. What is not for ten minutes is skipped. */
function requireReadable(
  evm: Evm, provider: Provider, blocks: readonly ReadBlock[], logs: readonly Log[], open: readonly Relevant[], receipts: ReadonlyMap<string, Receipt>,
): void {
  const named = new Set(logs.map((log) => log.txHash));
  const unreadable = (txHash: string, what: string, holds: boolean) => ({
    key: `${what} ${txHash}`, holds,
    failure: () => new ProviderFailure(`${provider.name} returned no readable ${what} ${txHash}`),
    skipped: () => evm.log.error({ provider: provider.name, txHash, alarm: 'transaction_unreadable' }, 'transaction skipped: no provider returned a readable form'),
  });
  requireAll(evm, [
    ...logClaims(evm, provider, logs, receipts),
    ...blocks.flatMap((block) => block.unreadable.filter((txHash) => !named.has(txHash)).map((txHash) => unreadable(txHash, 'transaction', false))),
    ...open.filter(({ transaction }) => !named.has(transaction.hash)).map(({ transaction }) => unreadable(transaction.hash, 'receipt of', receipts.has(transaction.hash))),
  ]);
}

/** Some blocks, linked to the one read from and to each other by their hashes, and the logs in them. */
async function readRun(evm: Evm, provider: Provider, after: BlockRef, to: bigint, watched: Watched): Promise<{ blocks: ReadBlock[]; logs: Log[] }> {
  let everything: boolean | undefined;
  for (;;) {
    const numbers = Array.from({ length: Number(to - after.number) }, (_, at) => after.number + 1n + BigInt(at));
    const questions = transferLogs(evm, watched, after.number + 1n, to, everything === undefined ? {} : { everything });
    const [firstAnswer, ...answers] = await provider.attempt<unknown>([blockByNumber(after.number), ...numbers.map(readableBlock), ...questions]);
    const first = granted(firstAnswer) as Block | null;
    if (first === null) throw new ProviderFailure(`${provider.name} does not have block ${after.number} yet`);
    if (first.hash !== after.hash) throw new Forked(`block ${after.number} is ${first.hash} now, not ${after.hash}`);

    const blocks = answers.slice(0, numbers.length).map((answer) => granted(answer) as ReadBlock | null);
    if (blocks.includes(null)) {
      const newest = await newestNumber(provider);
      if (newest <= after.number || newest >= to) throw new ProviderFailure(`${provider.name} is at block ${newest} and lacks one between ${after.number} and ${to}`);
      to = newest;
      continue;
    }
    const whole = blocks as ReadBlock[];
    for (const [at, block] of whole.entries()) {
      if (block.parentHash !== (whole[at - 1] ?? after).hash) throw new ProviderFailure(`${provider.name} tells blocks that do not hang together at ${block.number}`);
    }

    const refused = answers.slice(numbers.length).find((answer) => 'error' in answer);
    if (refused && 'error' in refused) {
      if (isWindowTooWide(refused.error) && to > after.number + 1n) {
        to = after.number + (to - after.number) / 2n;
        continue;
      }
      if (isWindowTooWide(refused.error) && everything === undefined) {
        everything = watched.size <= evm.filteredWalletsMost;
        continue;
      }
      throw refused.error;
    }
    const logs = answers.slice(numbers.length).flatMap((answer) => granted(answer) as Log[]);
    const hashes = new Set(whole.map((block) => block.hash));
    if (logs.some((log) => !hashes.has(log.blockHash))) throw new ProviderFailure(`${provider.name} tells logs of other blocks than its own`);
    return { blocks: whole, logs };
  }
}

/** Whether a transaction by itself moves a watched wallet's money: its own value, its own fee, or a token's `transfer`. */
function touches(evm: Evm, transaction: Transaction, watched: Watched): boolean {
  if (watched.has(transaction.from)) return true;
  if (transaction.to === null) return false;
  return (transaction.valueWei > 0n && watched.has(transaction.to)) || tokenPayment(evm, transaction, watched) !== undefined;
}

/** What a direct call of a token's `transfer` meant to pay, and to whom. */
function tokenPayment(evm: Evm, transaction: Transaction, watched: Watched): { to: string; amountUnits: bigint } | undefined {
  if (transaction.to === null || !evm.tokens.has(transaction.to) || !transaction.input.startsWith('0xa9059cbb') || transaction.input.length < 138) return undefined;
  const to = watched.get(`0x${transaction.input.slice(34, 74)}`);
  return to === undefined ? undefined : { to, amountUnits: BigInt(`0x${transaction.input.slice(74, 138)}`) };
}

function revertedPayment(evm: Evm, transaction: Transaction, watched: Watched): Reading['reverted'] {
  const native = transaction.to !== null && transaction.valueWei > 0n ? watched.get(transaction.to) : undefined;
  const meant = tokenPayment(evm, transaction, watched) ?? (native === undefined ? undefined : { to: native, amountUnits: transaction.valueWei });
  return meant === undefined ? [] : [{ txHash: transaction.hash, to: meant.to, carried: carriedBy([{ ...meant, from: transaction.from }], transaction)[0] ?? [] }];
}

/** The receipts that the provider has in a readable form; each must be of the block that its transaction is in. */
async function receiptsOf(provider: Provider, wanted: readonly Relevant[]): Promise<Map<string, Receipt>> {
  const byBlock = Map.groupBy(wanted, ({ block }) => block.number);
  const found = await readReceipts(provider, new Map([...byBlock].map(([number, some]) => [number, new Set(some.map(({ transaction }) => transaction.hash))])));
  return new Map(wanted.flatMap(({ block, transaction }) => {
    const receipt = found.get(transaction.hash);
    if (!receipt) return [];
    if (receipt.blockHash !== block.hash) throw new ProviderFailure(`${provider.name} puts ${transaction.hash} into two blocks`);
    return [[transaction.hash, receipt] as const];
  }));
}
