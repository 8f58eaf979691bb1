import type { Head, HeadOptions, Transfer, Watching } from '../chain.ts';
import { ProviderError, RpcError } from '../rpc/errors.ts';
import type { Call, Provider } from '../rpc/provider.ts';
import type { Question, Report } from '../rpc/quorum.ts';
import { blockByNumber, blockContents, fullBlockByNumber, hasCodeAt, receiptOf, transactionOf } from './calls.ts';
import type { Evm } from './evm.ts';
import { isSameTransfer } from '../same-transfer.ts';
import { headCalls, headFrom, readHead } from './head.ts';
import { balancesFrom, type EvmContext, explainedByOthers, unexplainedChanges } from './native.ts';
import { valueOrThrow } from './read.ts';
import type { Block, FullBlock, Receipt, Transaction } from './shapes.ts';
import { isCalledByWallet } from './self-transfers.ts';
import { stateSyncTransaction, ZERO_ADDRESS } from './state-sync.ts';
import { confirmedReferences } from './tagged-calls.ts';
import { NATIVE_INDEX, toBlockRef, transfersOf } from './transfers.ts';

/**
 * Asks one provider for receipt, transaction, block and head, and compares them with each other and with the transfer.
 */
export async function reportOn(
  context: EvmContext,
  provider: Provider,
  { transfer, watching, tags }: Question,
): Promise<Report> {
  if (transfer.untraced) return reportOnBalanceChange(context, provider, transfer, watching);
  const { evm } = context;
  const watched = evm.watchedOf(watching.addresses);
  const { head, receipt, ...asked } = await ask(context, provider, transfer, { tags });
  const gone = (details: string): Report => ({ type: 'gone', provider: provider.name, details });

  if (receipt === null) {
    // A node that is behind, or has pruned the block, does not know the transaction either. Only a block without it is
    // a denial.
    const contents = await provider.call(blockContents(transfer.block.number));
    if (contents === null) return notYet(provider, transfer.block.number, head);
    if (contents.transactions.has(transfer.txHash))
      throw new ProviderError(`${provider.name} has the block of ${transfer.txHash} but not its receipt`);
    return gone(`${provider.name} has no receipt of ${transfer.txHash}, nor is it in block ${transfer.block.number}`);
  }
  if (head.number < receipt.blockNumber) return notYet(provider, receipt.blockNumber, head);
  const { transaction, block } = await placeOf(context, provider, receipt, asked);
  if (!block || block.hash !== receipt.blockHash || !transaction || transaction.blockHash !== receipt.blockHash) {
    throw new ProviderError(`${provider.name} contradicts itself on the block of ${transfer.txHash}`);
  }
  if (!receipt.succeeded) return gone(`${transfer.txHash} reverted`);

  // Traces of other providers prove nothing in this provider's report.
  const frames = isInner(evm, transfer) ? await context.tracer.transaction(transfer.txHash, provider) : [];
  const found = frames
    ? transfersOf(evm, { transaction, receipt, block, frames }, watched, watching).find((candidate) =>
        isSameTransfer(candidate, transfer),
      )
    : await verifyByBalanceChange(provider, transfer, { block, watching });
  if (found === 'open')
    return undecided(provider, head, `${provider.name} does not trace, and balances do not prove ${transfer.txHash}`);
  if (!found) return gone(`${transfer.txHash} no longer holds this transfer`);
  if (transfer.from === transfer.to && (await isCalledByWallet(context, provider, transaction, transfer)) === false)
    return gone(`${transfer.txHash} moved the money of ${transfer.to} without a call of the wallet itself`);
  // A reference decides which payment gets the transfer, so every provider must confirm it.
  const confirmed = await confirmedReferences(
    context,
    provider,
    { transaction, receipt, ...(frames && { frames }) },
    transfer,
  );
  const shown = new Set(confirmed.map((reference) => Buffer.from(reference).toString('hex')));
  if (transfer.carried.some((reference) => !shown.has(Buffer.from(reference).toString('hex')))) {
    return {
      type: 'differs',
      provider: provider.name,
      details: `${provider.name}: ${transfer.txHash} does not carry the reference that was read with it`,
    };
  }
  return { type: 'stands', provider: provider.name, transfer: found, head: tagsOf(head) };
}

/** What one request shows of a transfer. Undefined: it was not asked for. */
interface Asked {
  head: Head;
  receipt: Receipt | null;
  transaction: Transaction | null | undefined;
  /** The block of the transfer, and whether this provider has shown it before. */
  block: Block | null;
  isShown: boolean;
}

/**
 * Head and receipt always; the block unless this provider has shown it and read on from it since; the transaction only if
 * something is claimed that a receipt does not show: references, the native coin, or a transfer to oneself.
 */
async function ask(
  { evm, shown }: EvmContext,
  provider: Provider,
  transfer: Transfer,
  tags: HeadOptions,
): Promise<Asked> {
  const known = shown.find(provider, transfer.block);
  const needsTransaction =
    transfer.carried.length > 0 || transfer.asset === evm.native || transfer.from === transfer.to;
  const heads = headCalls(tags);
  const answers = await provider.attempt<Block | Receipt | Transaction | null>([
    ...heads,
    receiptOf(transfer.txHash),
    ...(known ? [] : [blockByNumber(transfer.block.number)]),
    ...(needsTransaction ? [transactionOf(transfer.txHash)] : []),
  ] as Call<Block | Receipt | Transaction | null>[]);
  const head = headFrom(provider, answers.splice(0, heads.length) as Parameters<typeof headFrom>[1]);
  const [receipt, ...others] = answers.map(valueOrThrow) as [Receipt | null, ...unknown[]];
  const block = known ?? (others.shift() as Block | null);
  const transaction = needsTransaction ? (others.shift() as Transaction | null) : undefined;
  return { head, receipt, block, isShown: known !== undefined, transaction };
}

/** The transaction and the block of a receipt. In another block than it was read in, everything may differ. */
async function placeOf(
  { evm, shown }: EvmContext,
  provider: Provider,
  receipt: Receipt,
  { transaction: asked, block: then, isShown }: Pick<Asked, 'transaction' | 'block' | 'isShown'>,
): Promise<{ transaction: Transaction | null; block: Block | null }> {
  if (then?.hash === receipt.blockHash) {
    if (!isShown) shown.add(provider, then);
    return {
      block: then,
      transaction: asked === undefined ? bare(receipt) : (asked ?? stateSyncTransaction(evm, receipt)),
    };
  }
  const [block, transaction] = await provider.batch([
    blockByNumber(receipt.blockNumber),
    transactionOf(receipt.txHash),
  ] as const);
  return { block, transaction: transaction ?? stateSyncTransaction(evm, receipt) };
}

/** A transaction that moves nothing by itself and carries nothing. */
function bare({ txHash, blockNumber, blockHash }: Receipt): Transaction {
  return { hash: txHash, blockNumber, blockHash, from: ZERO_ADDRESS, to: null, valueWei: 0n, input: '0x' };
}

/**
 * If a provider does not trace, its balances can confirm a traced transfer: the wallet's balance must have grown in that
 * block by the amount and by all that is already credited from it. Otherwise one payment, and a provider that splits it
 * into many, would pay for many. Open if the balance covers the transfer but not all of them, or if the wallet has code
 * and may have sent money on. The traces and balances of other providers are not used, because they would count twice.
 */
async function verifyByBalanceChange(
  provider: Provider,
  transfer: Transfer,
  { block, watching }: { block: Block; watching: Watching },
): Promise<Transfer | 'open' | undefined> {
  const wallet = transfer.to.toLowerCase();
  const [difference = 0n] = await balanceChangesIn(provider, block, wallet);
  if (difference < transfer.amountUnits) return (await provider.call(hasCodeAt(wallet))) ? 'open' : undefined;
  const beside = (await watching.creditedBeside?.(transfer, NATIVE_INDEX)) ?? 0n;
  return difference >= transfer.amountUnits + beside ? { ...transfer, block: toBlockRef(block) } : 'open';
}

/** A balance increase without a transaction: either still as large in that block, or traced by now. */
async function reportOnBalanceChange(
  context: EvmContext,
  provider: Provider,
  transfer: Transfer,
  watching: Watching,
): Promise<Report> {
  const head = await readHead(provider);
  const block = await provider.call(blockByNumber(transfer.block.number));
  if (!block) return notYet(provider, transfer.block.number, head);
  const gone = (details: string, instead: Transfer[] = []): Report => ({
    type: 'gone',
    provider: provider.name,
    details,
    ...(instead.length > 0 && { instead }),
  });

  const wallet = transfer.to.toLowerCase();
  const shown = await balanceChangesIn(provider, block, wallet).catch((error: unknown) => {
    if (error instanceof RpcError) return error;
    throw error;
  });
  // The balances of another provider would be that one's report a second time.
  if (shown instanceof RpcError)
    return undecided(provider, head, `${provider.name} has no balances of block ${block.number}: ${shown.message}`);
  const [difference, full] = shown;
  if (difference !== transfer.amountUnits)
    return gone(`${transfer.to} did not grow by ${transfer.amountUnits} in block ${transfer.block.number}`);
  const own = await context.tracer.block(block, full.hashes, provider);
  const others = own ? undefined : await explainedByOthers(context, provider, full, new Map([[wallet, difference]]));
  const traced = own ?? (others?.missing.size === 0 ? others.frames : undefined);
  if (!traced) {
    // Money that was traced before is the same money.
    const beside = (await watching.creditedBeside?.(transfer, NATIVE_INDEX)) ?? 0n;
    if (beside >= transfer.amountUnits) return gone('all of it has been traced');
    if (beside > 0n) return undecided(provider, head, `${transfer.to} is already credited ${beside} of it`);
    return {
      type: 'stands',
      provider: provider.name,
      transfer: { ...transfer, block: toBlockRef(block) },
      head: tagsOf(head),
    };
  }

  const touching = full.transactions.filter((transaction) =>
    traced.get(transaction.hash)?.some((frame) => frame.to === wallet),
  );
  const receipts = await provider.batch(touching.map((transaction) => receiptOf(transaction.hash)));
  const instead = touching.flatMap((transaction, at) => {
    const receipt = receipts[at];
    if (receipt?.blockHash !== block.hash)
      throw new ProviderError(`${provider.name} has no receipt of ${transaction.hash}, which is in its block`);
    return transfersOf(
      context.evm,
      { transaction, receipt, block, frames: traced.get(transaction.hash) ?? [] },
      context.evm.watchedOf(watching.addresses),
    ).filter((candidate) => candidate.to === transfer.to && isInner(context.evm, candidate));
  });
  // A trace may leave out the payment.
  const explained = instead.reduce((sum, one) => sum + one.amountUnits, 0n);
  return explained >= transfer.amountUnits
    ? gone('it has been traced', instead)
    : undecided(provider, head, `a trace explains only ${explained} of the ${transfer.amountUnits} of ${transfer.to}`);
}

/** The change of a wallet's balance in one block beyond what the block's transactions explain, and the full block. */
async function balanceChangesIn(
  provider: Provider,
  block: Block,
  wallet: string,
): Promise<[bigint | undefined, FullBlock]> {
  const full = await provider.call(fullBlockByNumber(block.number));
  if (full?.hash !== block.hash)
    throw new ProviderError(`${provider.name} changed block ${block.number} while it was read`);
  const open = full.transactions.filter((transaction) => transaction.from === wallet || transaction.to === wallet);
  const receipts = await provider.batch(open.map((transaction) => receiptOf(transaction.hash)));
  if (receipts.some((receipt) => receipt?.blockHash !== block.hash))
    throw new ProviderError(`${provider.name} lacks receipts of block ${block.number}`);
  const found = await unexplainedChanges(
    {
      before: { number: block.number - 1n, hash: block.parentHash },
      blocks: [full],
      receipts: new Map(receipts.map((receipt) => [(receipt as Receipt).txHash, receipt as Receipt])),
    },
    [wallet],
    balancesFrom(provider),
  );
  return [found.get(full)?.get(wallet), full];
}

/** Whether the transfer is an internal one that only a trace shows. */
function isInner(evm: Evm, transfer: Transfer): boolean {
  return transfer.asset === evm.native && evm.nativeEmitter === null && transfer.index > NATIVE_INDEX;
}

function notYet(provider: Provider, number: bigint, head: Head): Report {
  return undecided(provider, head, `${provider.name} is at block ${head.number} and does not have block ${number} yet`);
}

function undecided(provider: Provider, head: Head, details: string): Report {
  return { type: 'not_yet', provider: provider.name, details, head: tagsOf(head) };
}

function tagsOf(head: Head) {
  return { number: head.number, safe: head.safe, finalized: head.finalized };
}
