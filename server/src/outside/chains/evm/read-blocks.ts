import { getAddress } from 'viem';
import type { Reading, RevertedPayment, Transfer } from '../chain.ts';
import { ProviderError } from '../rpc/errors.ts';
import { narrowing } from '../rpc/narrowing.ts';
import type { Provider } from '../rpc/provider.ts';
import type { Window } from '../rpc/window.ts';
import { blockByNumber, fullBlockByNumber } from './calls.ts';
import type { Evm, ReadRange, WatchedWallets } from './evm.ts';
import { transferLogs } from './logs.ts';
import { type EvmContext, findInternalTransfers } from './native.ts';
import {
  logsWithoutReceipt,
  valueOrThrow,
  isElsewhere,
  requireStart,
  requireUnchanged,
  MAX_LOGS_PER_STEP,
  newestBetween,
  type ReadProblem,
  failUntilOverdue,
} from './read.ts';
import { referencesOf } from './references.ts';
import { isWindowTooWide } from './refusals.ts';
import type { Block, FullBlock, Log, Receipt, Transaction } from './shapes.ts';
import { findTags } from './tag.ts';
import { taggedCallsOf } from './tagged-calls.ts';
import { readReceipts } from './transactions.ts';
import { toBlockRef, transfersOf } from './transfers.ts';

/**
 * Reads whole blocks, for networks whose native coin is a receive asset: token transfers from logs, native ones from
 * the transactions and from internal transfers. Also finds reverted payments.
 */
export function readBlocks(
  context: EvmContext,
  provider: Provider,
  range: ReadRange,
  window: Window,
): Promise<Reading> {
  return narrowing(window, Number(range.until - range.after.number), () => readStep(context, provider, range, window));
}

async function readStep(context: EvmContext, provider: Provider, range: ReadRange, window: Window): Promise<Reading> {
  const { after, until, watched } = range;
  const { evm } = context;
  const wanted = Math.min(window.blocks, Number(until - after.number));
  const run = await readRun(evm, provider, { ...range, to: after.number + BigInt(wanted) });
  const { blocks, logs, open } = upToMany(evm, run, watched);
  const last = blocks.at(-1) as FullBlock;

  const { receipts, problems } = await receiptsOf(evm, provider, open);
  const unreadable = Object.groupBy(
    blocks.flatMap((block) => block.unreadable),
    ({ parties }) => (parties.some((party) => watched.has(party)) ? 'ours' : 'others'),
  );
  failUntilOverdue(evm, provider, [
    ...problems,
    ...(unreadable.ours ?? []).map(unreadableProblem),
    ...logsWithoutReceipt(evm, logs, receipts),
  ]);

  const moved = await findInternalTransfers(context, provider, { before: after, blocks, receipts }, watched);
  const hidden = blocks.flatMap((block) =>
    block.transactions
      .filter((transaction) => moved.frames.has(transaction.hash) && !receipts.has(transaction.hash))
      .map((transaction) => ({ block, transaction })),
  );
  const inner = await receiptsOf(evm, provider, hidden);
  // A trace may show money inside a transaction of a new form, whose parties are strangers.
  const paying = (unreadable.others ?? []).filter(({ hash }) => moved.frames.has(hash));
  failUntilOverdue(evm, provider, [...inner.problems, ...paying.map(unreadableProblem)]);
  for (const [hash, receipt] of inner.receipts) receipts.set(hash, receipt);
  const transfers: Transfer[] = [];
  for (const { block, transaction } of [...open, ...hidden].filter((one) => receipts.has(one.transaction.hash))) {
    const seen = {
      transaction,
      block,
      receipt: receipts.get(transaction.hash) as Receipt,
      frames: moved.frames.get(transaction.hash) ?? [],
    };
    const executed = await taggedCallsOf(context, provider, seen, watched);
    transfers.push(...transfersOf(evm, { ...seen, executed }, watched));
  }
  await requireUnchanged(provider, last);
  for (const { block } of [...open, ...hidden]) context.shown.add(provider, block);
  if (blocks.length < run.blocks.length) window.narrow(wanted);
  else window.widen(blocks.length);

  return {
    transfers: [...transfers, ...moved.untraced],
    reverted: open
      .filter(({ transaction }) => receipts.get(transaction.hash)?.succeeded === false)
      .flatMap(({ transaction }) => revertedPayments(evm, transaction, watched)),
    covered: toBlockRef(last),
    provider: provider.name,
    ...(moved.unseen.length > 0 && { unseen: moved.unseen }),
  };
}

/** A transaction that touches a watched wallet, with its block. */
interface RelevantTransaction {
  block: FullBlock;
  transaction: Transaction;
}

/** The leading blocks up to a limit on relevant transactions and logs; at least one block. */
function upToMany(
  evm: Evm,
  run: { blocks: FullBlock[]; logs: Log[] },
  watched: WatchedWallets,
): { blocks: FullBlock[]; logs: Log[]; open: RelevantTransaction[] } {
  const logs = Map.groupBy(run.logs, (log) => log.blockHash);
  const kept: { blocks: FullBlock[]; logs: Log[]; open: RelevantTransaction[] } = { blocks: [], logs: [], open: [] };
  for (const block of run.blocks) {
    const ownLogs = logs.get(block.hash) ?? [];
    const named = new Set(ownLogs.map((log) => log.txHash));
    const open = block.transactions
      .filter((transaction) => named.has(transaction.hash) || touches(evm, transaction, watched))
      .map((transaction) => ({ block, transaction }));
    if (
      kept.blocks.length > 0 &&
      kept.logs.length + ownLogs.length + kept.open.length + open.length > MAX_LOGS_PER_STEP
    )
      break;
    kept.blocks.push(block);
    kept.logs.push(...ownLogs);
    kept.open.push(...open);
  }
  return kept;
}

/** Blocks linked by their hashes to the starting block and to each other, and their logs. */
async function readRun(
  evm: Evm,
  provider: Provider,
  range: ReadRange & { to: bigint },
): Promise<{ blocks: FullBlock[]; logs: Log[] }> {
  const { after, watched } = range;
  let { to } = range;
  let everything: boolean | undefined;
  for (;;) {
    const numbers = Array.from({ length: Number(to - after.number) }, (_, at) => after.number + 1n + BigInt(at));
    const calls = transferLogs(evm, watched, { from: after.number + 1n, to, everything });
    const answers = await provider.attempt<unknown>([...numbers.map(fullBlockByNumber), ...calls]);
    const blocks = answers.slice(0, numbers.length).map((answer) => valueOrThrow(answer) as FullBlock | null);
    // The first block names the starting block as its parent, unless there was a reorg.
    const last = blocks.at(-1);
    if (blocks[0]?.parentHash !== after.hash || (last && isElsewhere(last, range)))
      requireStart(provider, after, await provider.call(blockByNumber(after.number)));
    if (blocks.includes(null)) {
      to = await newestBetween(provider, after, to);
      continue;
    }
    const whole = blocks as FullBlock[];
    for (const [at, block] of whole.entries()) {
      if (block.parentHash !== (whole[at - 1] ?? after).hash)
        throw new ProviderError(`${provider.name} returned blocks that are not linked at ${block.number}`);
    }

    const refused = answers.slice(numbers.length).find((answer) => 'error' in answer);
    if (refused && 'error' in refused) {
      if (isWindowTooWide(refused.error) && to > after.number + 1n) {
        to = after.number + (to - after.number) / 2n;
        continue;
      }
      if (isWindowTooWide(refused.error) && everything === undefined) {
        everything = watched.size <= evm.maxFilteredWallets;
        continue;
      }
      throw refused.error;
    }
    const logs = answers.slice(numbers.length).flatMap((answer) => valueOrThrow(answer) as Log[]);
    const hashes = new Set(whole.map((block) => block.hash));
    if (logs.some((log) => !hashes.has(log.blockHash)))
      throw new ProviderError(`${provider.name} returned logs of blocks other than its own`);
    return { blocks: whole, logs };
  }
}

/** Whether a transaction directly moves a watched wallet's money: its value, its fee, or a token's `transfer`. */
function touches(evm: Evm, transaction: Transaction, watched: WatchedWallets): boolean {
  if (watched.has(transaction.from)) return true;
  if (transaction.to === null) return false;
  return (
    (transaction.valueWei > 0n && watched.has(transaction.to)) || tokenPayment(evm, transaction, watched) !== undefined
  );
}

/** The recipient and amount of a direct call of a token's `transfer`, with a memo or without. */
function tokenPayment(
  evm: Evm,
  transaction: Transaction,
  watched: WatchedWallets,
): { to: string; amountUnits: bigint; token: string } | undefined {
  if (
    transaction.to === null ||
    !evm.tokens.has(transaction.to) ||
    !/^0x(a9059cbb|95777d59)/.test(transaction.input) ||
    transaction.input.length < 138
  )
    return undefined;
  const to = watched.get(`0x${transaction.input.slice(34, 74)}`);
  return to === undefined
    ? undefined
    : { to, amountUnits: BigInt(`0x${transaction.input.slice(74, 138)}`), token: transaction.to };
}

/**
 * The payments to watched wallets that a reverted transaction attempted: by its own call, or by tagged calls inside it.
 */
export function revertedPayments(evm: Evm, transaction: Transaction, watched: WatchedWallets): RevertedPayment[] {
  const native = transaction.to !== null && transaction.valueWei > 0n ? watched.get(transaction.to) : undefined;
  const meant =
    tokenPayment(evm, transaction, watched) ??
    (native === undefined ? undefined : { to: native, amountUnits: transaction.valueWei, token: null });
  if (meant) {
    const [references] = referencesOf([{ ...meant, to: meant.to.toLowerCase(), from: transaction.from }], {
      transaction,
      receipt: { logs: [] },
    });
    return [
      {
        txHash: transaction.hash,
        from: getAddress(transaction.from),
        to: meant.to,
        amountUnits: meant.amountUnits,
        carried: references?.carried ?? [],
      },
    ];
  }
  // Anyone may have written these tags, so only the amount counts.
  return findTags(transaction.input).bound.flatMap(({ to, amountUnits }) => {
    const wallet = watched.get(to);
    return wallet === undefined ? [] : [{ txHash: transaction.hash, from: null, to: wallet, amountUnits, carried: [] }];
  });
}

/** The receipts of transactions in these blocks. An unreadable one does not affect the others. */
async function receiptsOf(
  evm: Evm,
  provider: Provider,
  wanted: readonly { block: Block; transaction: Transaction }[],
): Promise<{ receipts: Map<string, Receipt>; problems: ReadProblem[] }> {
  const byBlock = Map.groupBy(wanted, ({ block }) => block.number);
  const hashes = new Map(
    [...byBlock].map(([number, some]) => [number, new Set(some.map(({ transaction }) => transaction.hash))]),
  );
  const answers = await readReceipts(provider, hashes, (hash, why) => unreadableProblem({ hash, why }));
  const receipts = new Map<string, Receipt>();
  const problems: ReadProblem[] = [];
  for (const { block, transaction } of wanted) {
    const answer = answers.get(transaction.hash);
    if (!answer)
      throw new ProviderError(`${provider.name} has no receipt of ${transaction.hash}, which is in its block`);
    if ('why' in answer) {
      problems.push(answer);
      continue;
    }
    if (answer.blockHash !== block.hash)
      throw new ProviderError(`${provider.name} puts ${transaction.hash} into two blocks`);
    evm.contradicted.delete(transaction.hash);
    receipts.set(transaction.hash, answer);
  }
  return { receipts, problems };
}

function unreadableProblem({ hash, why }: { hash: string; why: string }): ReadProblem {
  return { key: hash, txHash: hash, why, alarm: 'transaction_unreadable' };
}
