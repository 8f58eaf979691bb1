import { TemporaryError } from '../../../platform/errors.ts';
import { SECOND_MS } from '../../../platform/time.ts';
import type { Transfer, UnseenBlocks } from '../chain.ts';
import { RpcError } from '../rpc/errors.ts';
import type { Budget } from '../rpc/budget.ts';
import type { Provider } from '../rpc/provider.ts';
import type { Providers } from '../rpc/providers.ts';
import { balancesAt } from './balances.ts';
import type { Evm, WatchedWallets } from './evm.ts';
import type { FullBlock, Receipt } from './shapes.ts';
import type { ShownBlocks } from './shown-blocks.ts';
import type { Frame, Tracer } from './trace.ts';
import { NATIVE_INDEX, toBlockRef } from './transfers.ts';

/** The state for finding internal transfers, which no log shows. */
export interface EvmContext {
  evm: Evm;
  providers: Providers;
  tracer: Tracer;
  /** For traces that prove references. */
  traceBudget: Budget;
  shown: ShownBlocks;
  /** The balances after the last block read, where the next reading begins. */
  balances: { blockHash: string; wallets: ReadonlyMap<string, bigint> } | null;
}

/**
 * A run of linked blocks, the block before it, and the receipts of transactions that directly touch watched wallets.
 */
export interface Run {
  before: { number: bigint; hash: string };
  blocks: readonly FullBlock[];
  receipts: ReadonlyMap<string, Receipt>;
}

/** Internal transfers: by transaction if they were traced, otherwise a balance increase as a transfer of its own. */
export interface InternalTransfers {
  frames: Map<string, readonly Frame[]>;
  untraced: Transfer[];
  /** The blocks in which no provider could look for them. */
  unseen: UnseenBlocks[];
}

/** A step traces blocks without balances no longer than this: the lease of the network ends otherwise. */
const MAX_TRACING_MS = 5 * SECOND_MS;

/**
 * Finds internal transfers to watched wallets. Compares balance changes with the direct changes of the blocks'
 * transactions. Only a block with a difference is traced. If no provider traces it, the difference itself becomes the
 * transfer. If none has the balances, every block is traced, and one that no provider traces is reported as not looked at.
 */
export async function findInternalTransfers(
  context: EvmContext,
  provider: Provider,
  run: Run,
  watched: WatchedWallets,
): Promise<InternalTransfers> {
  const { evm, tracer } = context;
  const moved: InternalTransfers = { frames: new Map(), untraced: [], unseen: [] };
  const trace = async (block: FullBlock): Promise<boolean> => {
    const traced = await tracer.block(block, block.hashes, provider);
    for (const [txHash, frames] of traced ?? [])
      if (frames.some((frame) => watched.has(frame.to))) moved.frames.set(txHash, frames);
    return traced !== undefined;
  };
  // With very many wallets, tracing every block costs less than reading all balances.
  if (watched.size > evm.maxFilteredWallets && (await everyAsync(run.blocks, trace))) return moved;

  let suspects: Map<FullBlock, Map<string, bigint>>;
  try {
    suspects = await unexplainedChanges(run, [...watched.keys()], {
      ...balancesFromAnyProvider(context, provider),
      remember: (blockHash, wallets) => {
        context.balances = { blockHash, wallets };
      },
    });
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    const untilMs = performance.now() + MAX_TRACING_MS;
    const unseen: FullBlock[] = [];
    for (const block of run.blocks) if (performance.now() > untilMs || !(await trace(block))) unseen.push(block);
    return { ...moved, unseen: unseenBlocks(evm, unseen, error.message) };
  }
  for (const [block, differences] of suspects) {
    if (!(await trace(block))) moved.untraced.push(...untracedTransfers(evm, block, differences, watched));
  }
  return moved;
}

/** Runs of neighboring blocks that were not looked at. Direct transfers in them are read all the same. */
function unseenBlocks(evm: Evm, blocks: readonly FullBlock[], refusal: string): UnseenBlocks[] {
  const runs: UnseenBlocks[] = [];
  for (const block of blocks) {
    const [last, ref] = [runs.at(-1), toBlockRef(block)];
    if (last?.to.number === block.number - 1n) last.to = ref;
    else
      runs.push({
        asset: evm.native as UnseenBlocks['asset'],
        from: ref,
        to: ref,
        why: `no provider traces these blocks or has their balances: ${refusal}`,
      });
  }
  for (const { from, to, why } of runs)
    evm.log.warn({ from: from.number.toString(), to: to.number.toString(), why }, 'internal transfers not looked for');
  return runs;
}

/** A block producer's balance grows by fees that no transaction shows. That is not a payment. */
function untracedTransfers(
  evm: Evm,
  block: FullBlock,
  differences: ReadonlyMap<string, bigint>,
  watched: WatchedWallets,
): Transfer[] {
  return [...differences]
    .filter(([wallet, grown]) => grown > 0n && wallet !== block.miner)
    .map(([wallet, grown]) => ({
      network: evm.network,
      txHash: `block:${block.number}:${watched.get(wallet)}`,
      index: NATIVE_INDEX,
      asset: evm.native as Transfer['asset'],
      from: null,
      to: watched.get(wallet) as string,
      amountUnits: grown,
      block: toBlockRef(block),
      carried: [],
      untraced: true as const,
    }));
}

/** Where the native balances of wallets right after a block come from. */
export interface BalanceSource {
  read(wallets: readonly string[], blockHash: string): Promise<ReadonlyMap<string, bigint>>;
  /** The balances before a run, if the last reading ended there with all of these wallets. */
  recall?(wallets: readonly string[], blockHash: string): ReadonlyMap<string, bigint> | undefined;
  /** Keeps the balances after a run, where the next reading begins. */
  remember?(blockHash: string, balances: ReadonlyMap<string, bigint>): void;
}

/**
 * Per block, the difference between each wallet's balance change and the block's direct changes. Blocks without a
 * difference are omitted.
 */
export async function unexplainedChanges(
  run: Run,
  wallets: readonly string[],
  balances: BalanceSource,
): Promise<Map<FullBlock, Map<string, bigint>>> {
  const found = new Map<FullBlock, Map<string, bigint>>();

  /** Bisects a run whose ends differ, so that quiet blocks cost nothing. */
  async function search(
    blocks: readonly FullBlock[],
    start: ReadonlyMap<string, bigint>,
    end: ReadonlyMap<string, bigint>,
  ): Promise<void> {
    const open = openChanges(blocks, run.receipts);
    const differences = new Map<string, bigint>();
    for (const [wallet, after] of end) {
      const difference = after - (start.get(wallet) as bigint) - (open.get(wallet) ?? 0n);
      if (difference !== 0n) differences.set(wallet, difference);
    }
    if (differences.size === 0) return;
    if (blocks.length === 1) {
      found.set(blocks[0] as FullBlock, differences);
      return;
    }
    const half = Math.floor(blocks.length / 2);
    const some = [...differences.keys()];
    const middle = await balances.read(some, (blocks[half - 1] as FullBlock).hash);
    await search(blocks.slice(0, half), restrict(start, some), middle);
    await search(blocks.slice(half), middle, restrict(end, some));
  }

  const last = run.blocks.at(-1);
  if (!last || wallets.length === 0) return found;
  const [start, end] = await Promise.all([
    balances.recall?.(wallets, run.before.hash) ?? balances.read(wallets, run.before.hash),
    balances.read(wallets, last.hash),
  ]);
  balances.remember?.(last.hash, end);
  await search(run.blocks, start, end);
  return found;
}

/** Balances from this provider or, if it has pruned them, from another one. */
export function balancesFromAnyProvider(context: EvmContext, provider: Provider): BalanceSource {
  return {
    read: (wallets, blockHash) => readFromAnyProvider(context.providers, provider, wallets, blockHash),
    recall: (wallets, blockHash) =>
      context.balances?.blockHash === blockHash && wallets.every((wallet) => context.balances?.wallets.has(wallet))
        ? context.balances.wallets
        : undefined,
  };
}

/** Balances from this provider alone. */
export function balancesFrom(provider: Provider): BalanceSource {
  return { read: (wallets, blockHash) => balancesAt(provider, wallets, blockHash) };
}

async function readFromAnyProvider(
  providers: Providers,
  provider: Provider,
  wallets: readonly string[],
  blockHash: string,
): Promise<Map<string, bigint>> {
  try {
    return await balancesAt(provider, wallets, blockHash);
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    for (const name of providers.names.filter((other) => other !== provider.name)) {
      const balances = await providers
        .use(
          (other) =>
            balancesAt(other, wallets, blockHash).catch((refusal: unknown) => {
              if (refusal instanceof RpcError) return undefined;
              throw refusal;
            }),
          { only: [name] },
        )
        .catch((failure: unknown) => {
          if (failure instanceof TemporaryError) return undefined;
          throw failure;
        });
      if (balances) return balances;
    }
    throw error;
  }
}

/** Direct balance changes: values sent and received by transactions, fees, and validator withdrawals. */
function openChanges(blocks: readonly FullBlock[], receipts: ReadonlyMap<string, Receipt>): Map<string, bigint> {
  const changes = new Map<string, bigint>();
  const add = (wallet: string, amount: bigint) => changes.set(wallet, (changes.get(wallet) ?? 0n) + amount);
  for (const block of blocks) {
    for (const withdrawal of block.withdrawals) add(withdrawal.address, withdrawal.amountWei);
    for (const transaction of block.transactions) {
      const receipt = receipts.get(transaction.hash);
      if (!receipt) continue;
      add(transaction.from, -receipt.feeWei);
      if (!receipt.succeeded) continue;
      add(transaction.from, -transaction.valueWei);
      if (transaction.to !== null) add(transaction.to, transaction.valueWei);
    }
  }
  return changes;
}

async function everyAsync<T>(items: readonly T[], holds: (item: T) => Promise<boolean>): Promise<boolean> {
  for (const item of items) if (!(await holds(item))) return false;
  return true;
}

function restrict(balances: ReadonlyMap<string, bigint>, wallets: readonly string[]): Map<string, bigint> {
  return new Map(wallets.map((wallet) => [wallet, balances.get(wallet) as bigint]));
}
