import { TemporaryFailure } from '../../../platform/errors.ts';
import { type BlockRef, type Chain, Forked, type Head, type Pass, type Reading, type Transfer, type Watching } from '../chain.ts';
import { checkTransfer, type Testimony } from './check.ts';
import { ProviderFailure } from './errors.ts';
import { createFirstReads } from './first-reads.ts';
import { Behind, createHeads } from './heads.ts';
import { createHints } from './hints.ts';
import type { Provider } from './provider.ts';
import type { Providers, ProvidersOptions } from './providers.ts';

/** What a family of chains asks one provider. Which provider it is, and what follows where providers differ, is the same for all. */
export interface Family {
  /** How far apart the nodes behind one load balancer may be, in blocks. */
  lagMost: bigint;
  readHead(provider: Provider): Promise<Head>;
  /** The block of this number as the provider has it now, or undefined where it has none. */
  findBlock(provider: Provider, number: bigint): Promise<BlockRef | undefined>;
  /** Throws `Forked` where the provider no longer has `after`. */
  read(provider: Provider, after: BlockRef, until: Head, watching: Watching, pass: Pass): Promise<Reading>;
  testify(provider: Provider, transfer: Transfer, watching: Watching): Promise<Testimony>;
  /** A transaction's hash as the chain writes it; undefined where the text can be none. */
  toTxHash(text: string): string | undefined;
  findTransaction(provider: Provider, txHash: string, watching: Watching): Promise<{ transfers: Transfer[]; reverted: boolean } | undefined>;
}

/** For tests: what otherwise has good defaults. */
export interface RpcTuning extends Pick<ProvidersOptions, 'deadlineMs' | 'pauseMs'> {
  silentForGoodMs?: number;
}

// A provider that has been silent for so long no longer counts as one that could contradict.
const SILENT_FOR_GOOD_MS = 60_000;

/** What a chain does the same way whatever its family, with the providers of one network. */
export function createRpcChain(
  providers: Providers, family: Family, { silentForGoodMs = SILENT_FOR_GOOD_MS }: RpcTuning,
): Pick<Chain, 'head' | 'block' | 'read' | 'check' | 'transaction' | 'health' | 'close'> {
  const heads = createHeads(family.lagMost);
  const firstReads = createFirstReads();
  const hints = createHints();

  /** The second pass looks with other eyes than the first had at that block, as long as there are any. */
  function choice(pass: Pass, after?: bigint) {
    if (pass === 'first' || providers.names.length < 2) return {};
    // Who read it before this process began is not known; most likely the first in the settings.
    const first = firstReads.by(after) ?? providers.names[0];
    const others = providers.names.filter((name) => name !== first && providers.silentMs(name) < silentForGoodMs);
    return others.length > 0 ? { only: others } : { avoid: first };
  }

  /** A provider alone on its branch is passed over; a branch that nobody contradicts is the chain. */
  async function onSharedBranch(provider: Provider, after: BlockRef, read: () => Promise<Reading>): Promise<Reading> {
    try {
      return await read();
    } catch (error) {
      const others = providers.names.filter((name) => name !== provider.name);
      if (!(error instanceof Forked) || others.length === 0) throw error;
      const elsewhere = await providers.use((other) => family.findBlock(other, after.number), { only: others }).catch((failure: unknown) => {
        if (failure instanceof TemporaryFailure) return undefined;
        throw failure;
      });
      if (elsewhere?.hash === after.hash) throw new ProviderFailure(`${provider.name} alone has another block ${after.number}`, { cause: error });
      throw error;
    }
  }

  async function findTransaction(txHash: string, watching: Watching): Promise<{ transfers: Transfer[]; reverted: boolean } | undefined> {
    let asked = providers.names;
    // A node that does not know it yet is no proof that there is none: every provider is asked before it is unknown.
    while (asked.length > 0) {
      try {
        const { provider, found } = await providers.use(
          async (provider) => ({ provider: provider.name, found: await family.findTransaction(provider, txHash, watching) }), { only: asked, forgiving: true },
        );
        if (found) return found;
        asked = asked.filter((name) => name !== provider);
      } catch (error) {
        // The others are silent; the word of those that answered is all there is.
        if (error instanceof TemporaryFailure && asked.length < providers.names.length) return undefined;
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

    block: (number) => providers.use((provider) => family.findBlock(provider, number)),

    async read(after, until, watching, pass) {
      const reading = await providers.use(
        (provider) => onSharedBranch(provider, after, () => family.read(provider, after, until, watching, pass)), choice(pass, after.number),
      );
      if (pass === 'first') firstReads.note(after.number, reading.covered.number, reading.provider);
      return reading;
    },

    check: (transfer, watching, { agreement }) => checkTransfer(
      providers, (provider) => family.testify(provider, transfer, watching), { agreement, silentForGoodMs },
    ),

    async transaction(text, watching, { isHint = false } = {}) {
      // Customers write these; no provider should have to say that it is none.
      const txHash = family.toTxHash(text);
      if (txHash === undefined) return undefined;
      return isHint ? hints.lookUp([txHash, ...watching.addresses].join(' '), () => findTransaction(txHash, watching)) : findTransaction(txHash, watching);
    },

    health() {
      const health = providers.health();
      return { reachable: health.some((provider) => provider.healthy), providers: health };
    },

    close: () => providers.close(),
  };
}
