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
import type { BlockTrace, Frame, Tracer } from './trace.ts';
import { NATIVE_INDEX, toBlockRef } from './transfers.ts';

/** The state for finding internal transfers, which no log shows. */
export interface EvmContext {
  evm: Evm;
  providers: Providers;
  tracer: Tracer;
  /** For traces that prove references. */
  traceBudget: Budget;
  /** Called with a transaction whose references stay unproven, because providers show different calls of it. */
  onTracesDiffer?: (txHash: string, providers: readonly string[]) => void;
  shown: ShownBlocks;
  /** By provider, its balances after the last block that was read from it, where its next reading may begin. */
  balances: Map<string, { blockHash: string; wallets: ReadonlyMap<string, bigint> }>;
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
  /** The blocks in which the provider could not look for them. */
  unseen: UnseenBlocks[];
}

/** A step traces blocks without balances no longer than this: the lease of the network ends otherwise. */
const MAX_TRACING_MS = 5 * SECOND_MS;

/**
 * Finds internal transfers to watched wallets, by the balances and traces of this provider alone: those of another one
 * would count as two reports. Compares balance changes with the direct changes of the blocks' transactions. Only a block
 * with a difference is traced. What the traces do not add up to becomes a transfer itself. Without balances every block is
 * traced, and one that the provider does not trace is reported as not looked at.
 */
export async function findInternalTransfers(
  context: EvmContext,
  provider: Provider,
  run: Run,
  watched: WatchedWallets,
): Promise<InternalTransfers> {
  const { evm, tracer } = context;
  const moved: InternalTransfers = { frames: new Map(), untraced: [], unseen: [] };
  const keep = (traced: BlockTrace): void => {
    for (const [txHash, frames] of traced)
      if (frames.some((frame) => watched.has(frame.to))) moved.frames.set(txHash, frames);
  };
  const trace = async (block: FullBlock): Promise<boolean> => {
    const traced = await tracer.block(block, block.hashes, provider);
    keep(traced ?? new Map());
    return traced !== undefined;
  };
  // With very many wallets, tracing every block costs less than reading all balances.
  if (watched.size > evm.maxFilteredWallets && (await everyAsync(run.blocks, trace))) return moved;

  let suspects: Map<FullBlock, Map<string, bigint>>;
  try {
    suspects = await unexplainedChanges(run, [...watched.keys()], rememberedBalances(context, provider));
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    const untilMs = performance.now() + MAX_TRACING_MS;
    const unseen: FullBlock[] = [];
    for (const block of run.blocks) if (performance.now() > untilMs || !(await trace(block))) unseen.push(block);
    return { ...moved, unseen: unseenBlocks(evm, unseen, error.message) };
  }
  for (const [block, differences] of suspects) {
    const grown = growthOf(block, differences);
    const own = await tracer.block(block, block.hashes, provider);
    const { frames, missing } = own
      ? { frames: own, missing: restrict(grown, notExplained(own, grown)) }
      : await explainedByOthers(context, provider, block, grown);
    keep(frames);
    moved.untraced.push(...untracedTransfers(evm, block, missing, watched));
  }
  return moved;
}

/** The growths of balances. That of a block producer by fees, which no transaction shows, is not a payment. */
function growthOf(block: FullBlock, differences: ReadonlyMap<string, bigint>): Map<string, bigint> {
  return new Map([...differences].filter(([wallet, grown]) => grown > 0n && wallet !== block.miner));
}

/** The wallets whose growth a trace does not add up to. */
function notExplained(traced: BlockTrace, grown: ReadonlyMap<string, bigint>): string[] {
  return [...grown].filter(([wallet, amount]) => receivedIn(traced, wallet) < amount).map(([wallet]) => wallet);
}

/**
 * What traces of other providers show for wallets whose growth this provider's balances show. They name a growth only if
 * all of it or one transfer is exactly that: a trace may leave out the payment, or invent another one.
 */
export async function explainedByOthers(
  { tracer }: EvmContext,
  provider: Provider,
  block: Pick<FullBlock, 'number' | 'hash' | 'hashes'>,
  grown: ReadonlyMap<string, bigint>,
): Promise<{ frames: BlockTrace; missing: Map<string, bigint> }> {
  const [frames, missing] = [new Map() as BlockTrace, new Map(grown)];
  if (missing.size === 0) return { frames, missing };
  for await (const traced of tracer.otherBlocks(block, block.hashes, provider)) {
    for (const [wallet, amount] of missing) {
      const shown = [...traced].flatMap(([txHash, all]) =>
        all.filter(({ to }) => to === wallet).map((frame) => ({ txHash, frame })),
      );
      const one = shown.find(({ frame }) => frame.valueWei === amount);
      const exact = receivedIn(traced, wallet) === amount ? shown : one ? [one] : [];
      for (const { txHash, frame } of exact) frames.set(txHash, [...(frames.get(txHash) ?? []), frame]);
      if (exact.length > 0) missing.delete(wallet);
    }
    if (missing.size === 0) break;
  }
  return { frames, missing };
}

/** What a wallet received inside the transactions of a traced block. */
function receivedIn(traced: BlockTrace, wallet: string): bigint {
  return [...traced.values()].flat().reduce((sum, { to, valueWei }) => (to === wallet ? sum + valueWei : sum), 0n);
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
        why: `a provider neither traces these blocks nor has their balances: ${refusal}`,
      });
  }
  for (const { from, to, why } of runs)
    evm.log.warn({ from: from.number.toString(), to: to.number.toString(), why }, 'internal transfers not looked for');
  return runs;
}

function untracedTransfers(
  evm: Evm,
  block: FullBlock,
  grown: ReadonlyMap<string, bigint>,
  watched: WatchedWallets,
): Transfer[] {
  return [...grown].map(([wallet, amountUnits]) => ({
    network: evm.network,
    txHash: `block:${block.number}:${watched.get(wallet)}`,
    index: NATIVE_INDEX,
    asset: evm.native as Transfer['asset'],
    from: null,
    to: watched.get(wallet) as string,
    amountUnits,
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

/** Balances from this provider alone. */
export function balancesFrom(provider: Provider): BalanceSource {
  return { read: (wallets, blockHash) => balancesAt(provider, wallets, blockHash) };
}

/** Balances from this provider alone, which begin with those that its last reading ended with. */
function rememberedBalances({ balances }: EvmContext, provider: Provider): BalanceSource {
  return {
    ...balancesFrom(provider),
    recall: (wallets, blockHash) => {
      const last = balances.get(provider.name);
      return last?.blockHash === blockHash && wallets.every((wallet) => last.wallets.has(wallet))
        ? last.wallets
        : undefined;
    },
    remember: (blockHash, wallets) => void balances.set(provider.name, { blockHash, wallets }),
  };
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
