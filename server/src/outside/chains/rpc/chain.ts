import type { Logger } from 'pino';
import { TemporaryError } from '../../../platform/errors.ts';
import { MINUTE_MS } from '../../../platform/time.ts';
import {
  type BlockRef,
  type Chain,
  ForkError,
  type FoundTransaction,
  type Head,
  type Pass,
  type Reading,
  type Transfer,
  type Watching,
} from '../chain.ts';
import { checkTransfer } from './check.ts';
import { ProviderBehindError, ProviderError } from './errors.ts';
import { createFirstReads } from './first-reads.ts';
import { createHeads } from './heads.ts';
import { createHints } from './hints.ts';
import { rememberAnswers } from './memory.ts';
import type { Provider } from './provider.ts';
import type { Providers, ProvidersOptions } from './providers.ts';
import type { Report } from './quorum.ts';

/** What a family of chains asks one provider. Which provider it is, and what follows where providers differ, is the same for all. */
export interface Family {
  /** How far apart the nodes behind one load balancer may be, in blocks. */
  maxLag: bigint;
  /** The network's usual block time; null on a test chain, see `heads.ts`. */
  usualBlockMs: number | null;
  log: Logger;
  readHead(provider: Provider): Promise<Head>;
  /** The block of this number as the provider has it now, or undefined where it has none. */
  findBlock(provider: Provider, number: bigint): Promise<BlockRef | undefined>;
  /** Throws `ForkError` where the provider no longer has `after`. */
  read(provider: Provider, after: BlockRef, until: Head, watching: Watching, pass: Pass): Promise<Reading>;
  report(provider: Provider, transfer: Transfer, watching: Watching): Promise<Report>;
  /** A transaction's hash as the chain writes it; undefined where the text can be none. */
  toTxHash(text: string): string | undefined;
  findTransaction(provider: Provider, txHash: string, watching: Watching): Promise<FoundTransaction | undefined>;
}

/** For tests: what otherwise has good defaults. */
export interface RpcTuning extends Pick<ProvidersOptions, 'deadlineMs' | 'pauseMs' | 'nowMs'> {
  /** Switches the plausibility rules of heads on for a test chain. */
  usualBlockMs?: number;
}

/** After so long without an answer of the other providers, the second pass reads from the first pass's provider as well. */
const READ_TWICE_FROM_ONE_AFTER_MS = 1 * MINUTE_MS;

/** What a chain does the same way whatever its family, with the providers of one network. */
export function createRpcChain(
  providers: Providers,
  family: Family,
  tuning: RpcTuning,
): Pick<Chain, 'head' | 'block' | 'read' | 'check' | 'transaction' | 'health' | 'close'> {
  const heads = createHeads({
    maxLag: family.maxLag,
    usualBlockMs: tuning.usualBlockMs ?? family.usualBlockMs,
    nowMs: tuning.nowMs ?? Date.now,
    log: family.log,
  });
  const firstReads = createFirstReads();
  const hints = createHints();
  const proofs = createHints();

  /** The second pass reads each block from another provider than the first pass did, as long as one answers. */
  function choice(pass: Pass, after?: bigint) {
    if (pass === 'first' || providers.names.length < 2) return {};
    // Who read it before this process began is not known; most likely the first in the settings.
    const first = firstReads.by(after) ?? providers.names[0];
    const others = providers.names.filter(
      (name) => name !== first && providers.unreachableMs(name) < READ_TWICE_FROM_ONE_AFTER_MS,
    );
    return others.length > 0 ? { only: others } : { avoid: first };
  }

  /**
   * A provider that reports a fork is asked against all others: where more of them still have the block, that provider
   * alone is on another branch and is passed over. Between two, the first pass stays where it is and the second goes with
   * its own provider, so that whichever of the two is honest, one pass follows it.
   */
  async function onSharedBranch(
    provider: Provider,
    after: BlockRef,
    pass: Pass,
    read: () => Promise<Reading>,
  ): Promise<Reading> {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof ForkError)) throw error;
      const others = providers.names.filter((name) => name !== provider.name);
      const elsewhere = await Promise.all(
        others.map((name) =>
          providers
            .use((other) => family.findBlock(other, after.number), { only: [name] })
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
    // A node that does not know it yet is no proof that there is none: every provider is asked before it is unknown.
    while (asked.length > 0) {
      try {
        const { provider, found } = await providers.use(
          async (provider) => ({
            provider: provider.name,
            found: await family.findTransaction(provider, txHash, watching),
          }),
          { only: asked, forgiving: true },
        );
        if (found) return found;
        asked = asked.filter((name) => name !== provider);
      } catch (error) {
        // The others are silent; the word of those that answered is all there is.
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
            return heads.take(pass, await family.readHead(provider), provider.name);
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
      providers.use((provider) => family.findBlock(provider, number), choice(pass, number)),

    async read(after, until, watching, pass) {
      const reading = await providers.use(
        async (provider) => {
          const found = await onSharedBranch(provider, after, pass, () =>
            family.read(provider, after, until, watching, pass),
          );
          // How far time is covered decides what expires.
          heads.requirePast(found.covered, provider.name);
          return found;
        },
        choice(pass, after.number),
      );
      if (pass === 'first') firstReads.note(after.number, reading.covered.number, reading.provider);
      return reading;
    },

    check: (transfer, watching, memory) =>
      checkTransfer(providers, async (provider) => {
        const report = await family.report(memory ? rememberAnswers(provider, memory) : provider, transfer, watching);
        if (report.type === 'stands')
          heads.requirePlausible({ number: report.head.number, time: report.transfer.block.time }, provider.name);
        return report;
      }),

    async transaction(text, watching, { asked, client } = {}) {
      // Customers write these; no provider should have to say that it is none.
      const txHash = family.toTxHash(text);
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
