import { type BlockRef, ReorgError, type Reading, type Transfer } from '../chain.ts';
import { mayBeTooLarge, ProviderBehindError, ProviderError } from '../rpc/errors.ts';
import { isOverdue } from '../rpc/overdue.ts';
import type { Provider } from '../rpc/provider.ts';
import type { Window } from '../rpc/window.ts';
import { blockByNumber } from './calls.ts';
import type { Evm, Watched } from './evm.ts';
import { transferLogs } from './logs.ts';
import type { Inside } from './native.ts';
import { isWindowTooWide } from './refusals.ts';
import type { Block, Log, Receipt } from './shapes.ts';
import { stateSyncTransaction } from './state-sync.ts';
import { taggedCallsOf } from './tagged-calls.ts';
import { readTransactions } from './transactions.ts';
import { toBlockRef, transfersOf } from './transfers.ts';

/**
 * Reads the token transfers after one block, from one provider, as far as a window goes. What comes back belongs to one
 * branch: the last block is asked for before and after everything else, and every block that counts hangs together by hash.
 */
export async function readTokens(
  inside: Inside,
  provider: Provider,
  window: Window,
  after: BlockRef,
  until: bigint,
  watched: Watched,
): Promise<Reading> {
  const { last, logs } = await readWindow(inside.evm, provider, window, after, until, watched);
  const transfers = await transfersBehind(inside, provider, logs, watched);
  await isStill(provider, last);
  return { transfers, reverted: [], covered: toBlockRef(last), provider: provider.name };
}

/** With nothing newer to read, only whether the block read from still stands. */
export async function readNothing(provider: Provider, after: BlockRef): Promise<Reading> {
  const block = await provider.call(blockByNumber(after.number));
  if (block === null) throw new ProviderBehindError(`${provider.name} does not have block ${after.number} yet`);
  if (block.hash !== after.hash) throw new ReorgError(`block ${after.number} is ${block.hash} now, not ${after.hash}`);
  return { transfers: [], reverted: [], covered: after, provider: provider.name };
}

/** With more logs than this a step reads fewer blocks; one block is read in any case. It bounds what a step holds in memory. */
export const MAX_LOGS_IN_A_STEP = 2_000;
/** A logs question that is not answered in time is narrowed down to this many blocks: below that the provider is at fault, not the size. */
const MIN_TIMEOUT_BLOCKS = 32;

/** One question of logs, narrowed until the provider takes it and the answer is small enough. */
async function readWindow(
  evm: Evm,
  provider: Provider,
  window: Window,
  after: BlockRef,
  until: bigint,
  watched: Watched,
): Promise<{ last: Block; logs: Log[] }> {
  let everything: boolean | undefined;
  for (;;) {
    // With nobody to look for there is nothing to ask, and the whole way is one step.
    const span =
      watched.size === 0 ? until - after.number : BigInt(Math.min(window.blocks, Number(until - after.number)));
    const to = after.number + span;
    const questions = transferLogs(evm, watched, after.number + 1n, to, everything === undefined ? {} : { everything });
    // The last block first, the one read from last: if the last block is unchanged at the end, all between is its past.
    const [lastAnswer, ...rest] = await provider
      .attempt<unknown>([blockByNumber(to), ...questions, blockByNumber(after.number)])
      .catch((error: unknown) => {
        if (mayBeTooLarge(error) && span > MIN_TIMEOUT_BLOCKS) window.narrow(Number(span));
        throw error;
      });
    const last = granted(lastAnswer) as Block | null;
    const first = granted(rest.pop()) as Block | null;
    if (first === null) throw new ProviderBehindError(`${provider.name} does not have block ${after.number} yet`);
    if (first.hash !== after.hash)
      throw new ReorgError(`block ${after.number} is ${first.hash} now, not ${after.hash}`);
    if (last === null) {
      until = await newestNumber(provider);
      if (until <= after.number)
        throw new ProviderBehindError(`${provider.name} is at block ${until}, asked for more after ${after.number}`);
      continue;
    }
    if (span === 1n && last.parentHash !== after.hash)
      throw new ProviderError(`${provider.name} links block ${to} to a different parent than it reports`);

    const refused = rest.find((answer) => 'error' in answer);
    if (refused && 'error' in refused) {
      if (isWindowTooWide(refused.error) && window.narrow(Number(span))) continue;
      // Even one block is too much the one way, be it so many logs or so many wallets named: ask the other way.
      if (isWindowTooWide(refused.error) && everything === undefined) {
        everything = watched.size <= evm.maxFilteredWallets;
        continue;
      }
      throw refused.error;
    }
    const logs = rest.flatMap((answer) => granted(answer) as Log[]);
    if (logs.length > MAX_LOGS_IN_A_STEP && span > 1n) {
      narrowTo(window, Number(span), Math.floor((Number(span) * MAX_LOGS_IN_A_STEP) / logs.length));
      continue;
    }
    window.widen(Number(span));
    return { last, logs };
  }
}

/** Narrows from a number of blocks that were too many to about as many as hold what a step takes. */
function narrowTo(window: Window, tried: number, target: number): void {
  for (let blocks = tried; blocks > Math.max(1, target) && window.narrow(blocks); ) blocks = window.blocks;
}

/** What the receipts of these logs say, each with its transaction and block. */
async function transfersBehind(
  inside: Inside,
  provider: Provider,
  logs: readonly Log[],
  watched: Watched,
): Promise<Transfer[]> {
  const { evm } = inside;
  const wanted = new Map<bigint, Set<string>>();
  for (const log of logs) wanted.set(log.blockNumber, (wanted.get(log.blockNumber) ?? new Set()).add(log.txHash));
  const { blocks, transactions, receipts } = await readTransactions(provider, wanted);
  for (const [txHash, receipt] of receipts) {
    transactions.set(txHash, transactions.get(txHash) ?? stateSyncTransaction(evm, receipt));
    // A receipt without its transaction says nothing.
    if (!transactions.get(txHash)) receipts.set(txHash, null);
  }
  requireNone(evm, provider, contradictedLogs(evm, logs, receipts));

  const transfers: Transfer[] = [];
  for (const hash of new Set(logs.map((log) => log.txHash))) {
    const [receipt, transaction] = [receipts.get(hash), transactions.get(hash)];
    if (!receipt || !transaction) continue;
    const block = blocks.get(receipt.blockNumber) ?? null;
    if (!block) throw new ProviderError(`${provider.name} has a receipt of ${hash} and does not know its block`);
    if (receipt.blockHash !== block.hash || transaction.blockHash !== block.hash)
      throw new ProviderError(`${provider.name} puts ${hash} into two blocks`);
    const executed = await taggedCallsOf(inside, provider, { transaction, receipt }, watched);
    transfers.push(...transfersOf(evm, { transaction, receipt, block, executed }, watched));
  }
  return transfers;
}

/** A transaction whose form cannot be read, or a log of one that its receipt does not hold. */
export interface Odd {
  key: string;
  txHash: string;
  why: string;
  alarm: 'log_without_receipt' | 'transaction_unreadable';
}

/** The logs that their own receipts do not hold. That is a contradiction, never a transfer: another provider must look. */
export function contradictedLogs(evm: Evm, logs: readonly Log[], receipts: ReadonlyMap<string, Receipt | null>): Odd[] {
  return logs.flatMap((log): Odd[] => {
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
 * Waits for a provider that answers better, for all of these at once, and then skips them with an alarm: one odd
 * transaction, which anybody may have sent, must not stop reading for ever.
 */
export function requireNone(evm: Evm, provider: Provider, odd: readonly Odd[]): void {
  // All are noted before any is waited for, so that many of them delay reading no longer than one.
  const [waited] = odd.filter(({ key }) => !isOverdue(evm.contradicted, key));
  if (waited)
    throw new ProviderError(
      `${provider.name} contradicts itself on ${waited.txHash}, or returned it in an unreadable form: ${waited.why}`,
    );
  for (const { txHash, why, alarm } of odd)
    evm.log.error(
      { provider: provider.name, txHash, why, alarm },
      'transaction skipped: no provider returned a readable form that agrees with its logs',
    );
}

/** Throws where a reorganisation passed while we read. */
export async function isStill(provider: Provider, block: Block): Promise<void> {
  const now = await provider.call(blockByNumber(block.number));
  if (now?.hash !== block.hash)
    throw new ProviderError(`${provider.name} changed block ${block.number} while it was read`);
}

export async function newestNumber(provider: Provider): Promise<bigint> {
  const latest = await provider.call(blockByNumber('latest'));
  if (!latest) throw new ProviderError(`${provider.name} has no newest block`);
  return latest.number;
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

export function granted(answer: { value: unknown } | { error: Error } | undefined): unknown {
  if (!answer) throw new ProviderError('a response is missing');
  if ('error' in answer) throw answer.error;
  return answer.value;
}
