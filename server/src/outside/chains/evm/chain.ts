import { fastestBlockSeconds, NETWORKS } from '@quittance/contract';
import type { Logger } from 'pino';
import { getAddress } from 'viem';
import { cached } from '../../../platform/cached.ts';
import { MINUTE_MS, SECOND_MS } from '../../../platform/time.ts';
import type {
  BlockRef,
  Chain,
  HeadOptions,
  InternalSources,
  Reading,
  ReadStep,
  ReportedHead,
  Watching,
} from '../chain.ts';
import { type Budget, createBudget, NO_LIMIT } from '../rpc/budget.ts';
import { blockAt } from '../rpc/block-at.ts';
import { type ChainAdapter, createRpcChain, type LookedUp, type RpcTuning } from '../rpc/chain.ts';
import { ProviderError, RpcError } from '../rpc/errors.ts';
import { type Dialect, inDialect } from '../rpc/dialect.ts';
import { accountLookUp } from '../rpc/look-up-account.ts';
import { createProvider, type Provider } from '../rpc/provider.ts';
import { createProviders, type Providers } from '../rpc/providers.ts';
import type { Question, Report } from '../rpc/quorum.ts';
import { createWindow, type Window } from '../rpc/window.ts';
import { balancesAt } from './balances.ts';
import { findBlockAt } from './block-at.ts';
import {
  blockByNumber,
  chainPin,
  fullBlockByNumber,
  hasCodeAt,
  isContractAt,
  newestNumber,
  receiptOf,
  transactionOf,
} from './calls.ts';
import { reportOn } from './check.ts';
import { createWatchedOf, type Evm, type EvmReadNetwork, type WatchedWallets } from './evm.ts';
import { findsLogs } from './finds-logs.ts';
import { readHead, readNewestBlock } from './head.ts';
import type { EvmContext } from './native.ts';
import { readBlocks, revertedPayments } from './read-blocks.ts';
import { readEmptyRange, readTokens } from './read.ts';
import { askQuorum, broadcast, createSignedPayments } from './signed-payments.ts';
import { stateSyncTransaction } from './state-sync.ts';
import { MAX_TRACES_PER_MINUTE, MAX_TRACING_MS_PER_MINUTE, taggedCallsOf } from './tagged-calls.ts';
import type { Block, Receipt, Transaction } from './shapes.ts';
import { receivableCoin, watchedTokens } from './tokens.ts';
import { tokenFacts } from './token-facts.ts';
import { selfTransfersOf } from './self-transfers.ts';
import { ShownBlocks } from './shown-blocks.ts';
import { createTracer, type Frame } from './trace.ts';
import { toBlockRef, transfersOf } from './transfers.ts';

export interface EvmChainOptions {
  network: EvmReadNetwork;
  rpcUrls: readonly string[];
  /** The id of a test chain; null for the network's own. */
  chainId: number | null;
  /** Contracts by asset, if they differ from the issuer's. For the native coin, the address that logs its transfers. */
  tokens: Record<string, string>;
  /** What the network's nodes write differently. */
  dialect?: Dialect;
  /** Overrides of defaults, for tests. */
  tuning?: RpcTuning & { windowBlocks?: number; maxFilteredWallets?: number };
}

// Nodes behind a load balancer differ by a block or two.
const MAX_LAG_BLOCKS = 3n;
const MAX_FILTERED_WALLETS = 2_000;
const CODE_TTL_MS = 5 * MINUTE_MS;
const MAX_CODES = 10_000;
const FULL_BLOCKS = { first: 4, widest: 24 };

/** One EVM network over JSON-RPC. */
export function createEvmChain(options: EvmChainOptions, log: Logger): Chain {
  const { network, dialect, tuning = {} } = options;
  const evm = evmOf(options, log);
  const open: typeof createProvider = (...asked) => {
    const provider = (tuning.open ?? createProvider)(...asked);
    return dialect ? inDialect(provider, dialect) : provider;
  };
  const providers = createProviders(options.rpcUrls, { pin: chainPin(evm.chainId), network, ...tuning, open }, evm.log);
  const adapter = new EvmAdapter(options, evm, providers);
  const codes = cached<boolean>({ ttlMs: CODE_TTL_MS, max: MAX_CODES });
  const lookUpContract = accountLookUp(providers, (provider, address) => provider.call(isContractAt(address)));
  return {
    ...createRpcChain(providers, adapter, tuning),
    network,
    async blockAt(time, start) {
      const { usualBlockMs, nowMs } = { usualBlockMs: adapter.usualBlockMs, nowMs: Date.now, ...tuning };
      const search = { time, start, usualBlockMs, nowMs: nowMs() };
      return blockAt(providers, (provider) => findBlockAt(provider, time, usualBlockMs), search, evm.log);
    },
    signed: createSignedPayments(providers, evm.chainId),
    broadcast: (signed) => broadcast(providers, signed),
    findsLogs: () => findsLogs(providers, evm),
    async describeToken(asset) {
      const token = [...evm.tokens].find(([, watched]) => watched === asset)?.[0];
      return token === undefined ? undefined : tokenFacts(providers, getAddress(token));
    },
    // Each choice of a customer asks it.
    hasCode: (address) =>
      codes.get(address, () =>
        providers.use((provider) => provider.call(hasCodeAt(address)), { ignoreFailures: true }),
      ),
    isContract: (address) => askQuorum(providers, (provider) => provider.call(isContractAt(address))),
    accountKindOf: async (...asked) => ((await lookUpContract(...asked)) ? 'contract' : null),
    ...(evm.native !== null && evm.nativeEmitter === null && { internalSources: () => findInternalSources(providers) }),
  };
}

/** Asks for the state before the newest block, which every provider of the service has, and for its trace. */
async function findInternalSources(providers: Providers): Promise<InternalSources> {
  return providers.use(async (provider) => {
    const newest = await provider.call(blockByNumber('latest'));
    const block = newest && (await provider.call(fullBlockByNumber(newest.number)));
    if (!block) throw new ProviderError(`${provider.name} has no newest block`);
    const refusal = await balancesAt(provider, [`0x${'00'.repeat(20)}`], block.parentHash).then(
      () => null,
      (error: unknown) => {
        if (error instanceof RpcError) return error.message;
        throw error;
      },
    );
    const traced = await createTracer(providers).block(block, block.hashes, provider);
    return { balances: refusal, traces: traced !== undefined };
  });
}

function evmOf({ network, chainId, tokens, tuning }: EvmChainOptions, log: Logger): Evm {
  const native = receivableCoin(network);
  return {
    network,
    chainId: chainId ?? NETWORKS[network].chainId,
    tokens: watchedTokens(network, tokens),
    native,
    nativeEmitter: tokens[native ?? '']?.toLowerCase() ?? null,
    maxFilteredWallets: tuning?.maxFilteredWallets ?? MAX_FILTERED_WALLETS,
    log: log.child({ network }),
    contradicted: new Map(),
    watchedOf: createWatchedOf(),
  };
}

/** The calls of EVM networks to one provider, with the state that reading and lookups keep between them. */
class EvmAdapter implements ChainAdapter {
  readonly maxLag = MAX_LAG_BLOCKS;
  readonly usualBlockMs: number | null;
  readonly testChainSetting: string;
  readonly log: Logger;
  readonly #evm: Evm;
  readonly #context: EvmContext;
  readonly #lookupContext: EvmContext;
  readonly #unlimitedContext: EvmContext;
  readonly #logWindows: ReadonlyMap<string, Window>;
  readonly #blockWindows: ReadonlyMap<string, Window>;
  /** The newest block that each provider has named. */
  readonly #newest = new Map<string, Block>();

  constructor({ network, chainId, tuning }: EvmChainOptions, evm: Evm, providers: Providers) {
    this.usualBlockMs = chainId === null ? fastestBlockSeconds(network) * SECOND_MS : null;
    this.testChainSetting = `CHAIN_ID_${network.toUpperCase()}`;
    this.log = evm.log;
    this.#evm = evm;
    const shared = {
      evm,
      providers,
      tracer: createTracer(providers),
      shown: new ShownBlocks(),
      balances: new Map(),
    };
    this.#context = {
      ...shared,
      traceBudget: createTraceBudget(() =>
        evm.log.error(
          { alarm: 'references_not_traced' },
          'references not traced: more transactions carry one that only a trace proves than are traced in a minute',
        ),
      ),
      onTracesDiffer: (txHash, names) =>
        evm.log.error(
          { alarm: 'traces_disagree', txHash, providers: names },
          'references not proven: providers trace the transaction differently',
        ),
    };
    // Hints and claims choose what is looked up, so lookups have their own budget, and raise no alarm again.
    this.#lookupContext = { ...shared, traceBudget: createTraceBudget() };
    this.#unlimitedContext = { ...this.#context, traceBudget: NO_LIMIT };
    this.#logWindows = new Map(providers.names.map((name) => [name, createWindow(tuning?.windowBlocks)]));
    this.#blockWindows = new Map(
      providers.names.map((name) => [name, createWindow(FULL_BLOCKS.first, FULL_BLOCKS.widest)]),
    );
  }

  async readHead(provider: Provider, { tags }: HeadOptions): Promise<ReportedHead> {
    const { parentHash, ...head } = await (tags ? readHead(provider.proven) : readNewestBlock(provider.proven));
    this.#newest.set(provider.name, { ...toBlockRef({ ...head, parentHash }), parentHash });
    return head;
  }

  readNewest(provider: Provider): Promise<bigint> {
    return provider.call(newestNumber());
  }

  async findBlock(provider: Provider, number: bigint): Promise<BlockRef | undefined> {
    // Each doubt about the branch, and each return to an earlier block, asks for blocks by their number.
    this.#context.shown.forgetAll();
    const block = await provider.call(blockByNumber(number));
    return block ? toBlockRef(block) : undefined;
  }

  /** Reads whole blocks only if native transfers must be found. Otherwise logs are sufficient. */
  async read(provider: Provider, step: ReadStep): Promise<Reading> {
    const reading = await this.#read(provider, step);
    this.#context.shown.readOn(provider);
    return reading;
  }

  #read(provider: Provider, { after, until, watching, tracesAll }: ReadStep): Promise<Reading> {
    if (until.number <= after.number) return readEmptyRange(provider, after);
    const newest = this.#newest.get(provider.name);
    const head = newest?.hash === until.hash ? newest : undefined;
    const range = {
      after,
      until: until.number,
      untilHash: until.hash,
      head,
      watched: this.#evm.watchedOf(watching.addresses),
    };
    const context = tracesAll ? this.#unlimitedContext : this.#context;
    return this.#evm.native !== null && this.#evm.nativeEmitter === null && range.watched.size > 0
      ? readBlocks(context, provider, range, this.#blockWindows.get(provider.name) as Window)
      : readTokens(context, provider, range, this.#logWindows.get(provider.name) as Window);
  }

  report(provider: Provider, { transfer, watching, tags }: Question): Promise<Report> {
    return reportOn(this.#context, provider, { transfer, watching, tags });
  }

  forgetShown(): void {
    this.#context.shown.forgetAll();
  }

  toTxHash(text: string): string | undefined {
    const txHash = text.toLowerCase();
    return /^0x[0-9a-f]{64}$/.test(txHash) ? txHash : undefined;
  }

  async findTransaction(provider: Provider, txHash: string, watching: Watching): Promise<LookedUp | undefined> {
    const watched = this.#evm.watchedOf(watching.addresses);
    const seen = await lookUp(this.#lookupContext, provider, txHash, watched);
    if (!seen) return undefined;
    const { receipt, transaction } = seen;
    const transfers = watching.selfTransfers
      ? await selfTransfersOf(this.#lookupContext, provider, seen, watched)
      : transfersOf(this.#evm, seen, watched);
    return {
      transfers,
      reverted: receipt.succeeded === false ? revertedPayments(this.#evm, transaction, watched) : null,
      ...(transfers.length === 0 && { emptyIn: receipt.blockNumber }),
    };
  }
}

function createTraceBudget(onUsedUp?: () => void): Budget {
  return createBudget({
    maxStarts: MAX_TRACES_PER_MINUTE,
    maxSpentMs: MAX_TRACING_MS_PER_MINUTE,
    windowMs: MINUTE_MS,
    ...(onUsedUp && { onUsedUp }),
  });
}

async function lookUp(context: EvmContext, provider: Provider, txHash: string, watched: WatchedWallets) {
  const [receipt, known] = await provider.batch([receiptOf(txHash), transactionOf(txHash)] as const);
  const transaction = known ?? stateSyncTransaction(context.evm, receipt);
  if (!receipt || !transaction) return undefined;
  const block = await provider.call(blockByNumber(receipt.blockNumber));
  if (block?.hash !== receipt.blockHash || transaction.blockHash !== receipt.blockHash)
    throw new ProviderError(`${provider.name} contradicts itself on the block of ${txHash}`);
  const mayHaveInternal = context.evm.native !== null && context.evm.nativeEmitter === null && receipt.succeeded;
  const shown = mayHaveInternal ? await framesOf(context, provider, { receipt, transaction, block }, watched) : [];
  const frames = shown ?? [];
  // What it shows openly is there all the same. That nothing is there would be a guess.
  if (!shown && transfersOf(context.evm, { receipt, transaction, block, frames }, watched).length === 0)
    throw new ProviderError(`${provider.name} does not show whether ${txHash} has paid a wallet through a contract`);
  const executed = await taggedCallsOf(context, provider, { receipt, transaction, frames }, watched);
  return { receipt, transaction, block, frames, executed };
}

/**
 * The internal transfers of a transaction that may have paid a watched wallet. If balances do not show whether it did, it
 * is traced within a budget. Undefined if this provider does not show it.
 */
async function framesOf(
  context: EvmContext,
  provider: Provider,
  { transaction, receipt, block }: { transaction: Transaction; receipt: Receipt; block: Block },
  watched: WatchedWallets,
): Promise<readonly Frame[] | undefined> {
  const trace = () => context.tracer.transaction(receipt.txHash, provider);
  const isNamed = mentionsAny(watched, transaction, receipt);
  const frames = isNamed ? await trace() : undefined;
  if (frames) return frames;
  const hasGrown = await hasBalanceGrown(provider, block, watched);
  if (hasGrown === false) return [];
  if (isNamed) return undefined;
  return hasGrown ? trace() : context.traceBudget.spend(trace);
}

/**
 * Whether a transaction mentions a watched wallet anywhere. Strangers submit transactions, and a trace is expensive.
 */
function mentionsAny(watched: WatchedWallets, transaction: Transaction, receipt: Receipt): boolean {
  const texts = [
    transaction.from,
    transaction.to ?? '',
    transaction.input,
    ...receipt.logs.flatMap((log) => [log.address, ...log.topics, log.data]),
  ];
  return [...watched.keys()].some((wallet) => texts.some((text) => text.includes(wallet.slice(2))));
}

/**
 * Whether the block increased a watched wallet's native balance: a contract may have its payee hard-coded. Undefined if the
 * provider does not have the state of this block, as only archive providers have that of old ones.
 */
async function hasBalanceGrown(
  provider: Provider,
  block: Block,
  watched: WatchedWallets,
): Promise<boolean | undefined> {
  const wallets = [...watched.keys()];
  try {
    const before = await balancesAt(provider, wallets, block.parentHash);
    const after = await balancesAt(provider, wallets, block.hash);
    return wallets.some((wallet) => (after.get(wallet) ?? 0n) > (before.get(wallet) ?? 0n));
  } catch (error) {
    if (error instanceof RpcError) return undefined;
    throw error;
  }
}
