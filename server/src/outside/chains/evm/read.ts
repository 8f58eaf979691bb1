import { type BlockRef, ReorgError, type Reading, type Transfer } from '../chain.ts';
import { NothingNewerError, ProviderBehindError, ProviderError } from '../rpc/errors.ts';
import { narrowing } from '../rpc/narrowing.ts';
import { isOverdue } from '../rpc/overdue.ts';
import type { Provider } from '../rpc/provider.ts';
import type { Window } from '../rpc/window.ts';
import { blockByNumber } from './calls.ts';
import type { Evm, ReadRange, WatchedWallets } from './evm.ts';
import { transferLogs } from './logs.ts';
import type { EvmContext } from './native.ts';
import { isWindowTooWide } from './refusals.ts';
import type { Block, Log, Receipt } from './shapes.ts';
import { stateSyncTransaction } from './state-sync.ts';
import { taggedCallsOf } from './tagged-calls.ts';
import { readTransactions } from './transactions.ts';
import { toBlockRef, transfersOf } from './transfers.ts';

/**
 * Reads the token transfers after a block from one provider, for one window. The result belongs to one fork: the last
 * block is read before and after everything else, and all blocks involved are linked by hash.
 */
export function readTokens(
  context: EvmContext,
  provider: Provider,
  range: ReadRange,
  window: Window,
): Promise<Reading> {
  return narrowing(window, Number(range.until - range.after.number), () => readStep(context, provider, range, window));
}

async function readStep(context: EvmContext, provider: Provider, range: ReadRange, window: Window): Promise<Reading> {
  const { last, logs, isUnchanged } = await readWindow(context.evm, provider, range, window);
  const transfers = await transfersFromLogs(context, provider, { logs, last }, range.watched);
  if (!isUnchanged) await requireUnchanged(provider, last);
  window.widen(Number(last.number - range.after.number));
  return { transfers, reverted: [], covered: toBlockRef(last), provider: provider.name };
}

/** With no newer blocks, only checks that the starting block is still canonical. */
export async function readEmptyRange(provider: Provider, after: BlockRef): Promise<Reading> {
  requireStart(provider, after, await provider.call(blockByNumber(after.number)));
  return { transfers: [], reverted: [], covered: after, provider: provider.name };
}

/** A step with more logs reads fewer blocks, but at least one. Bounds the memory of a step. */
export const MAX_LOGS_PER_STEP = 2_000;

/** What one query shows of a range. */
interface LogWindow {
  last: Block;
  logs: Log[];
  /** The last block was known before the query, and is the same after it. */
  isUnchanged: boolean;
}

/** One log query, narrowed until the provider accepts it and the response is small enough. */
async function readWindow(evm: Evm, provider: Provider, range: ReadRange, window: Window): Promise<LogWindow> {
  const { after, watched, head } = range;
  let { until } = range;
  let everything: boolean | undefined;
  for (;;) {
    // With no watched wallets there is nothing to query, and the whole range is one step.
    const span =
      watched.size === 0 ? until - after.number : BigInt(Math.min(window.blocks, Number(until - after.number)));
    const to = after.number + span;
    const known = head?.number === to ? head : undefined;
    const calls = transferLogs(evm, watched, { from: after.number + 1n, to, everything });
    // A single block names its parent. Otherwise the starting block is read between two looks at the last one: if that is the
    // same in both, all blocks between are its ancestors. The provider's own head was the first look; the second is then in
    // the same request as the logs, so that the node that finds none has the block.
    const asked = [...(span === 1n ? [] : [blockByNumber(after.number)]), ...calls, blockByNumber(to)];
    const answers = known
      ? await provider.attempt<unknown>(asked)
      : (await provider.attempt<unknown>(asked.toReversed())).toReversed();
    const last = valueOrThrow(answers.pop()) as Block | null;
    const first = span === 1n ? undefined : (valueOrThrow(answers.shift()) as Block | null);
    if (span > 1n || last?.parentHash !== after.hash || isElsewhere(last, range))
      requireStart(provider, after, first === undefined ? await provider.call(blockByNumber(after.number)) : first);
    if (last === null) {
      until = await newestBetween(provider, after, to);
      continue;
    }
    if (span === 1n && last.parentHash !== after.hash)
      throw new ProviderError(`${provider.name} links block ${to} to a different parent than it reports`);
    if (known && last.hash !== known.hash)
      throw new ProviderError(`${provider.name} changed block ${to} while it was read`);

    const refused = answers.find((answer) => 'error' in answer);
    if (refused && 'error' in refused) {
      if (isWindowTooWide(refused.error) && window.narrow(Number(span))) continue;
      // Even a single-block range is rejected, so switch between filtered and unfiltered queries.
      if (isWindowTooWide(refused.error) && everything === undefined) {
        everything = watched.size <= evm.maxFilteredWallets;
        continue;
      }
      throw refused.error;
    }
    const logs = answers.flatMap((answer) => valueOrThrow(answer) as Log[]);
    if (logs.length > MAX_LOGS_PER_STEP && span > 1n) {
      narrowTo(window, Number(span), Math.floor((Number(span) * MAX_LOGS_PER_STEP) / logs.length));
      continue;
    }
    return { last, logs, isUnchanged: known !== undefined };
  }
}

/** Whether the provider has another block than the one that is read toward. */
export function isElsewhere(last: Block, { until, untilHash }: ReadRange): boolean {
  return untilHash !== undefined && last.number === until && last.hash !== untilHash;
}

/** Throws `ReorgError` if the starting block is no longer on the chain. */
export function requireStart(provider: Provider, after: BlockRef, found: Block | null): void {
  if (found === null) throw new ProviderBehindError(`${provider.name} does not have block ${after.number} yet`);
  if (found.hash !== after.hash) throw new ReorgError(`block ${after.number} is ${found.hash} now, not ${after.hash}`);
}

/** Narrows from a range that had too many logs to about the range that one step can hold. */
function narrowTo(window: Window, tried: number, target: number): void {
  for (let blocks = tried; blocks > Math.max(1, target) && window.narrow(blocks); ) blocks = window.blocks;
}

/** The transfers in the receipts of these logs, each with its transaction and block. */
async function transfersFromLogs(
  context: EvmContext,
  provider: Provider,
  { logs, last }: Pick<LogWindow, 'logs' | 'last'>,
  watched: WatchedWallets,
): Promise<Transfer[]> {
  const { evm, shown } = context;
  const wanted = new Map<bigint, Set<string>>();
  for (const log of logs) wanted.set(log.blockNumber, (wanted.get(log.blockNumber) ?? new Set()).add(log.txHash));
  const known = logs.flatMap(({ blockNumber: number, blockHash: hash }) =>
    hash === last.hash ? last : (shown.find(provider, { number, hash }) ?? []),
  );
  const { blocks, transactions, receipts } = await readTransactions(
    provider,
    wanted,
    new Map(known.map((block) => [block.number, block])),
  );
  for (const [txHash, receipt] of receipts) {
    transactions.set(txHash, transactions.get(txHash) ?? stateSyncTransaction(evm, receipt));
    // A receipt without its transaction is not usable.
    if (!transactions.get(txHash)) receipts.set(txHash, null);
  }
  failUntilOverdue(evm, provider, logsWithoutReceipt(evm, logs, receipts));

  const transfers: Transfer[] = [];
  for (const hash of new Set(logs.map((log) => log.txHash))) {
    const [receipt, transaction] = [receipts.get(hash), transactions.get(hash)];
    if (!receipt || !transaction) continue;
    const block = blocks.get(receipt.blockNumber) ?? null;
    if (!block) throw new ProviderError(`${provider.name} has a receipt of ${hash} but not its block`);
    if (receipt.blockHash !== block.hash || transaction.blockHash !== block.hash)
      throw new ProviderError(`${provider.name} puts ${hash} into two blocks`);
    shown.add(provider, block);
    const executed = await taggedCallsOf(context, provider, { transaction, receipt }, watched);
    transfers.push(...transfersOf(evm, { transaction, receipt, block, executed }, watched));
  }
  return transfers;
}

/** A transaction that is unreadable, or a log that its receipt does not contain. */
export interface ReadProblem {
  key: string;
  txHash: string;
  why: string;
  alarm: 'log_without_receipt' | 'transaction_unreadable';
}

/**
 * Logs that their own receipts do not contain. Such a contradiction is never a transfer: another provider must be
 * asked.
 */
export function logsWithoutReceipt(
  evm: Evm,
  logs: readonly Log[],
  receipts: ReadonlyMap<string, Receipt | null>,
): ReadProblem[] {
  return logs.flatMap((log): ReadProblem[] => {
    const key = `${log.blockHash} ${log.logIndex}`;
    if (receipts.get(log.txHash)?.logs.some((other) => sameLog(log, other))) {
      evm.contradicted.delete(key);
      return [];
    }
    return [
      {
        key,
        txHash: log.txHash,
        why: 'its receipt does not contain the log, or the transaction is unknown',
        alarm: 'log_without_receipt',
      },
    ];
  });
}

/**
 * Fails so that another provider is asked, and after ten minutes skips the transactions with an alarm. One unreadable
 * transaction, which anyone may have sent, must not block reading forever.
 */
export function failUntilOverdue(evm: Evm, provider: Provider, problems: readonly ReadProblem[]): void {
  // All are recorded before the first one fails, so that many delay reading no longer than one.
  const [waited] = problems.filter(({ key }) => !isOverdue(evm.contradicted, key));
  if (waited)
    throw new ProviderError(
      `${provider.name} contradicts itself on ${waited.txHash}, or returned it in an unreadable form: ${waited.why}`,
    );
  for (const { txHash, why, alarm } of problems)
    evm.log.error(
      { provider: provider.name, txHash, why, alarm },
      'transaction skipped: no provider returned a readable form that agrees with its logs',
    );
}

/** Throws if a reorg happened during the reading. */
export async function requireUnchanged(provider: Provider, block: Block): Promise<void> {
  const now = await provider.call(blockByNumber(block.number));
  if (now?.hash !== block.hash)
    throw new ProviderError(`${provider.name} changed block ${block.number} while it was read`);
}

/** The newest block of a provider that has the block `after` and lacks one up to `to`. */
export async function newestBetween(provider: Provider, after: BlockRef, to: bigint): Promise<bigint> {
  const latest = await provider.call(blockByNumber('latest'));
  if (!latest) throw new ProviderError(`${provider.name} has no newest block`);
  const newest = latest.number;
  if (newest <= after.number)
    throw new NothingNewerError(`${provider.name} is at block ${newest}, asked for more after ${after.number}`);
  // Reading on would ask the same again, without an end.
  if (newest >= to)
    throw new ProviderError(`${provider.name} is at block ${newest} and lacks one between ${after.number} and ${to}`);
  return newest;
}

function sameLog(a: Log, b: Log): boolean {
  return (
    a.logIndex === b.logIndex &&
    a.address === b.address &&
    a.data === b.data &&
    a.blockHash === b.blockHash &&
    a.topics.length === b.topics.length &&
    a.topics.every((topic, at) => topic === b.topics[at])
  );
}

export function valueOrThrow(answer: { value: unknown } | { error: Error } | undefined): unknown {
  if (!answer) throw new ProviderError('a response is missing');
  if ('error' in answer) throw answer.error;
  return answer.value;
}
