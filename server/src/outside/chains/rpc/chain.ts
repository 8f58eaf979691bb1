import type { Logger } from 'pino';
import { TemporaryError } from '../../../platform/errors.ts';
import { MINUTE_MS } from '../../../platform/time.ts';
import {
  type BlockRef,
  type Chain,
  ReorgError,
  type FoundTransaction,
  type Head,
  type Pass,
  type Reading,
  type ReadStep,
  type Transfer,
  type Watching,
} from '../chain.ts';
import { checkTransfer } from './check.ts';
import { ProviderBehindError, ProviderError } from './errors.ts';
import { createFirstReads } from './first-reads.ts';
import { createHeads } from './heads.ts';
import { createHints } from './hints.ts';
import { cacheAnswers } from './answer-cache.ts';
import type { Provider } from './provider.ts';
import type { Providers, ProvidersOptions } from './providers.ts';
import type { Report } from './quorum.ts';

/**
 * The family-specific calls to one provider. Choosing providers and comparing their answers is the same for all
 * families.
 */
export interface ChainAdapter {
  /** How far apart the nodes behind one load balancer may be, in blocks. */
  maxLag: bigint;
  /** The network's usual block time; null on a test chain, see `heads.ts`. */
  usualBlockMs: number | null;
  log: Logger;
  readHead(provider: Provider): Promise<Head>;
  /** The provider's current block with this number, or undefined if it has none. */
  findBlock(provider: Provider, number: bigint): Promise<BlockRef | undefined>;
  /** Throws `ReorgError` if the provider no longer has the block that the step starts after. */
  read(provider: Provider, step: ReadStep): Promise<Reading>;
  report(provider: Provider, transfer: Transfer, watching: Watching): Promise<Report>;
  /** The canonical form of a transaction hash; undefined if the text is not a hash of this chain. */
  toTxHash(text: string): string | undefined;
  findTransaction(provider: Provider, txHash: string, watching: Watching): Promise<FoundTransaction | undefined>;
}

/** Overrides of defaults, for tests. */
export interface RpcTuning extends Pick<ProvidersOptions, 'deadlineMs' | 'pauseMs' | 'nowMs'> {
  /** Enables the plausibility rules of heads on a test chain. */
  usualBlockMs?: number;
}

/**
 * Once the other providers have been unreachable for this long, the second pass reads from the first pass's provider.
 */
const SINGLE_PROVIDER_READS_AFTER_MS = 1 * MINUTE_MS;

/** The operations that are the same for all families, with the providers of one network. */
export function createRpcChain(
  providers: Providers,
  adapter: ChainAdapter,
  tuning: RpcTuning,
): Pick<Chain, 'head' | 'block' | 'read' | 'check' | 'transaction' | 'health' | 'close'> {
  const heads = createHeads({
    maxLag: adapter.maxLag,
    usualBlockMs: tuning.usualBlockMs ?? adapter.usualBlockMs,
    nowMs: tuning.nowMs ?? Date.now,
    log: adapter.log,
  });
  const firstReads = createFirstReads();
  const hints = createHints();
  const proofs = createHints();

  /** The second pass reads each block from a different provider than the first pass, as long as one answers. */
  function choice(pass: Pass, after?: bigint) {
    if (pass === 'first' || providers.names.length < 2) return {};
    // After a restart the reader of a block is not known; most likely it was the first provider in the settings.
    const first = firstReads.by(after) ?? providers.names[0];
    const others = providers.names.filter(
      (name) => name !== first && providers.unreachableMs(name) < SINGLE_PROVIDER_READS_AFTER_MS,
    );
    return others.length > 0 ? { only: others } : { avoid: first };
  }

  /**
   * A provider that reports a reorg is compared with all others. If more of them still have the block, that provider is
   * on a minority fork and is skipped. On a tie, the first pass keeps its position and the second follows its own
   * provider, so that one pass follows the honest provider.
   */
  async function readOnMajorityFork(provider: Provider, step: ReadStep): Promise<Reading> {
    const { after, pass } = step;
    try {
      return await adapter.read(provider, step);
    } catch (error) {
      if (!(error instanceof ReorgError)) throw error;
      const others = providers.names.filter((name) => name !== provider.name);
      const elsewhere = await Promise.all(
        others.map((name) =>
          providers
            .use((other) => adapter.findBlock(other, after.number), { only: [name] })
            .catch((failure: unknown) => {
              if (failure instanceof TemporaryError) return undefined;
              throw failure;
            }),
        ),
      );
      const [same, other] = [
        elsewhere.filter((block) => block?.hash === after.hash).length,
        1 + elsewhere.filter((block) => block && block.hash !== after.hash).length,
      ];
      if (same > other || (same === other && pass === 'first'))
        throw new ProviderError(`${provider.name} alone has another block ${after.number}`, { cause: error });
      throw error;
    }
  }

  async function findTransaction(txHash: string, watching: Watching): Promise<FoundTransaction | undefined> {
    let asked = providers.names;
    // A node that does not know the transaction yet proves nothing, so every provider is asked before it counts as
    // unknown.
    while (asked.length > 0) {
      try {
        const { provider, found } = await providers.use(
          async (provider) => ({
            provider: provider.name,
            found: await adapter.findTransaction(provider, txHash, watching),
          }),
          { only: asked, ignoreFailures: true },
        );
        if (found) return found;
        asked = asked.filter((name) => name !== provider);
      } catch (error) {
        // The others are unreachable, so the answers received so far decide.
        if (error instanceof TemporaryError && asked.length < providers.names.length) return undefined;
        throw error;
      }
    }
    return undefined;
  }

  return {
    async head(pass) {
      let wasBehind = false;
      try {
        return await providers.use(async (provider): Promise<Head> => {
          try {
            return heads.accept(pass, await adapter.readHead(provider), provider.name);
          } catch (error) {
            wasBehind ||= error instanceof ProviderBehindError;
            throw error;
          }
        }, choice(pass));
      } catch (error) {
        const last = heads.last(pass);
        if (wasBehind && last && error instanceof TemporaryError) return last;
        throw error;
      }
    },

    block: (number, pass = 'first') =>
      providers.use((provider) => adapter.findBlock(provider, number), choice(pass, number)),

    async read(after, until, watching, pass) {
      const reading = await providers.use(
        async (provider) => {
          const found = await readOnMajorityFork(provider, { after, until, watching, pass });
          // The covered time decides which payments expire.
          heads.requireNotInFuture(found.covered, provider.name);
          return found;
        },
        choice(pass, after.number),
      );
      if (pass === 'first') firstReads.note(after.number, reading.covered.number, reading.provider);
      return reading;
    },

    check: (transfer, watching, cache) =>
      checkTransfer(providers, async (provider) => {
        const report = await adapter.report(cache ? cacheAnswers(provider, cache) : provider, transfer, watching);
        if (report.type === 'stands')
          heads.requirePlausible({ number: report.head.number, time: report.transfer.block.time }, provider.name);
        return report;
      }),

    async transaction(text, watching, { asked, client } = {}) {
      // Customers submit these, so malformed hashes are rejected without a provider call.
      const txHash = adapter.toTxHash(text);
      if (txHash === undefined) return undefined;
      const look = () => findTransaction(txHash, watching);
      const key = [txHash, ...watching.addresses, ...(watching.selfTransfers ? ['self'] : [])].join(' ');
      if (asked === 'hint') return hints.lookUp(key, look, client);
      return asked === 'proof' ? proofs.lookUp(key, look, client) : look();
    },

    health() {
      const health = providers.health();
      return { reachable: health.some((provider) => provider.healthy), providers: health };
    },

    close: () => providers.close(),
  };
}
