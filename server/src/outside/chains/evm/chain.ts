import type { Logger } from 'pino';
import { TemporaryFailure } from '../../../platform/errors.ts';
import { type BlockRef, type Chain, Forked, type Head, type Pass, type Reading } from '../chain.ts';
import { ProviderFailure } from '../rpc/errors.ts';
import { createFirstReads } from '../rpc/first-reads.ts';
import { Behind, createHeads } from '../rpc/heads.ts';
import { checkTransfer } from '../rpc/check.ts';
import type { Provider } from '../rpc/provider.ts';
import { createProviders, type ProvidersOptions } from '../rpc/providers.ts';
import { createWindow, type Window } from '../rpc/window.ts';
import { findBlockAt } from './block-at.ts';
import { blockByNumber, chainPin, hasCodeAt, isContractAt, receiptOf, transactionOf } from './calls.ts';
import { testify } from './check.ts';
import { type Evm, type Watched, watchedOf } from './evm.ts';
import { readHead } from './head.ts';
import type { Inside } from './native.ts';
import { readBlocks } from './read-blocks.ts';
import { readNothing, readTokens } from './read.ts';
import { CHAIN_IDS, type EvmNetwork, NATIVE_ASSET, watchedTokens } from './tokens.ts';
import { createTracer } from './trace.ts';
import { toBlockRef, transfersOf } from './transfers.ts';

export interface EvmChainOptions {
  network: EvmNetwork;
  rpcUrls: readonly string[];
  /** A test chain's own id; else the network's. */
  chainId: number | null;
  /** Contract by asset, where it is another than the issuer's; for the native coin, the address that logs its transfers. */
  tokens: Record<string, string>;
  /** For tests: what otherwise has good defaults. */
  tuning?: { deadlineMs?: number; pauseMs?: ProvidersOptions['pauseMs']; windowBlocks?: number; filteredWalletsMost?: number; silentForGoodMs?: number };
}

// A provider that has been silent for so long no longer counts as one that could contradict.
const SILENT_FOR_GOOD_MS = 60_000;
// Behind a load balancer stand nodes that differ by a block or two.
const LAG_BLOCKS_MOST = 3n;
const FILTERED_WALLETS_MOST = 2_000;
const FULL_BLOCKS = { first: 4, widest: 24 };

/** One network of the Ethereum family, over JSON-RPC. */
export function createEvmChain(options: EvmChainOptions, log: Logger): Chain {
  const { network, tuning = {} } = options;
  const evm: Evm = {
    network,
    chainId: options.chainId ?? CHAIN_IDS[network],
    tokens: watchedTokens(network, options.tokens),
    native: NATIVE_ASSET[network] ?? null,
    nativeEmitter: options.tokens[NATIVE_ASSET[network] ?? '']?.toLowerCase() ?? null,
    filteredWalletsMost: tuning.filteredWalletsMost ?? FILTERED_WALLETS_MOST,
    log: log.child({ network }),
    contradicted: new Map(),
  };
  const silentForGoodMs = tuning.silentForGoodMs ?? SILENT_FOR_GOOD_MS;
  const providers = createProviders(options.rpcUrls, {
    pin: chainPin(evm.chainId), ...(tuning.deadlineMs && { deadlineMs: tuning.deadlineMs }), ...(tuning.pauseMs && { pauseMs: tuning.pauseMs }),
  }, evm.log);
  const inside: Inside = { evm, providers, tracer: createTracer(providers), balances: null };
  const heads = createHeads(LAG_BLOCKS_MOST);
  const logWindows = new Map<string, Window>(providers.names.map((name) => [name, createWindow(tuning.windowBlocks)]));
  const blockWindows = new Map<string, Window>(providers.names.map((name) => [name, createWindow(FULL_BLOCKS.first, FULL_BLOCKS.widest)]));
  const firstReads = createFirstReads();

  /** Whole blocks only where native money must be seen in them; else logs are all there is to read. */
  function read(provider: Provider, after: BlockRef, until: bigint, watched: Watched): Promise<Reading> {
    if (until <= after.number) return readNothing(provider, after);
    return evm.native !== null && evm.nativeEmitter === null && watched.size > 0
      ? readBlocks(inside, provider, blockWindows.get(provider.name) as Window, after, until, watched)
      : readTokens(evm, provider, logWindows.get(provider.name) as Window, after, until, watched);
  }

  /** The second pass looks with other eyes than the first had at that block, as long as there are any. */
  function choice(pass: Pass, after?: bigint) {
    if (pass === 'first' || providers.names.length < 2) return {};
    // Who read it before this process began is not known; most likely the first in the settings.
    const first = firstReads.by(after) ?? providers.names[0];
    const others = providers.names.filter((name) => name !== first && providers.silentMs(name) < silentForGoodMs);
    return others.length > 0 ? { only: others } : { avoid: first };
  }

  /** A provider alone on its branch is passed over; a branch that nobody contradicts is the chain. */
  async function onSharedBranch<T>(provider: Provider, after: BlockRef, read: () => Promise<T>): Promise<T> {
    try {
      return await read();
    } catch (error) {
      const others = providers.names.filter((name) => name !== provider.name);
      if (!(error instanceof Forked) || others.length === 0) throw error;
      const elsewhere = await providers.use((other) => other.call(blockByNumber(after.number)), { only: others }).catch((failure: unknown) => {
        if (failure instanceof TemporaryFailure) return null;
        throw failure;
      });
      if (elsewhere?.hash === after.hash) throw new ProviderFailure(`${provider.name} alone has another block ${after.number}`, { cause: error });
      throw error;
    }
  }

  return {
    network,

    async head(pass) {
      let wasBehind = false;
      try {
        return await providers.use(async (provider): Promise<Head> => {
          try {
            return heads.take(pass, await readHead(provider), provider.name);
          } catch (error) {
            wasBehind ||= error instanceof Behind;
            throw error;
          }
        }, choice(pass));
      } catch (error) {
        const last = heads.last(pass);
        if (wasBehind && last && error instanceof TemporaryFailure) return last;
        throw error;
      }
    },

    async block(number) {
      const block = await providers.use((provider) => provider.call(blockByNumber(number)));
      return block ? toBlockRef(block) : undefined;
    },

    blockAt: (time) => providers.use((provider) => findBlockAt(provider, time)),

    async read(after, until, watching, pass) {
      const watched = watchedOf(watching);
      const reading = await providers.use((provider) => onSharedBranch(provider, after, () => read(provider, after, until.number, watched)), choice(pass, after.number));
      if (pass === 'first') firstReads.note(after.number, reading.covered.number, reading.provider);
      return reading;
    },

    check: (transfer, watching, { agreement }) => checkTransfer(
      providers, (provider) => testify(inside, provider, transfer, watchedOf(watching)), { agreement, silentForGoodMs },
    ),

    async transaction(txHash, watching) {
      const wanted = txHash.toLowerCase();
      // Customers write these; no provider should have to say that it is none.
      if (!/^0x[0-9a-f]{64}$/.test(wanted)) return undefined;
      let asked = providers.names;
      let failure: unknown;
      // A node that does not know it yet is no proof that there is none: every provider is asked before it is unknown.
      while (asked.length > 0) {
        try {
          const { provider, seen } = await providers.use(async (provider) => ({ provider: provider.name, seen: await lookUp(inside, provider, wanted) }), { only: asked });
          if (seen) return { transfers: transfersOf(evm, seen, watchedOf(watching)), reverted: !seen.receipt.succeeded };
          asked = asked.filter((name) => name !== provider);
        } catch (error) {
          if (!(error instanceof TemporaryFailure)) throw error;
          failure = error;
          break;
        }
      }
      if (failure !== undefined && asked.length === providers.names.length) throw failure;
      return undefined;
    },

    hasCode: (address) => providers.use((provider) => provider.call(hasCodeAt(address))),
    inhabitantOf: async (address) => (await providers.use((provider) => provider.call(isContractAt(address))) ? 'contract' : null),

    health() {
      const health = providers.health();
      return { reachable: health.some((provider) => provider.healthy), providers: health };
    },

    close: () => providers.close(),
  };
}

async function lookUp(inside: Inside, provider: Provider, txHash: string) {
  const [receipt, transaction] = await provider.batch([receiptOf(txHash), transactionOf(txHash)] as const);
  if (!receipt || !transaction) return undefined;
  const block = await provider.call(blockByNumber(receipt.blockNumber));
  if (block?.hash !== receipt.blockHash || transaction.blockHash !== receipt.blockHash) throw new ProviderFailure(`${provider.name} contradicts itself on the block of ${txHash}`);
  const frames = inside.evm.native !== null && inside.evm.nativeEmitter === null && receipt.succeeded ? await inside.tracer.transaction(txHash, provider) : [];
  return { receipt, transaction, block, frames: frames ?? [] };
}
