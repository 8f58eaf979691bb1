import type { Logger } from 'pino';
import { TemporaryFailure } from '../../../platform/errors.ts';
import { type BlockRef, type Chain, Forked, type Head, type Pass, type Reading } from '../chain.ts';
import { checkTransfer } from '../rpc/check.ts';
import { ProviderFailure } from '../rpc/errors.ts';
import { createFirstReads } from '../rpc/first-reads.ts';
import { Behind, createHeads } from '../rpc/heads.ts';
import type { Provider } from '../rpc/provider.ts';
import { createProviders, type ProvidersOptions } from '../rpc/providers.ts';
import { address } from './shapes.ts';
import { findBlockAt } from './block-at.ts';
import { buildTransfer } from './build-transfer.ts';
import { findBlock, findTransactions, latestBlockhash, ownerOf, requireBlock } from './calls.ts';
import { testify } from './check.ts';
import { readHead } from './head.ts';
import { createReader, type ReaderOptions } from './reader.ts';
import { MAINNET_GENESIS, type Solana, SYSTEM_PROGRAM, TOKEN_PROGRAMS, watchedMints } from './solana.ts';
import { isSignature } from './signature.ts';
import { toBlockRef, transfersOf } from './transfers.ts';

export interface SolanaChainOptions {
  rpcUrls: readonly string[];
  /** A test cluster's own first block; else the main network's. */
  genesisHash: string | null;
  /** Mint by asset, where a test cluster has its own. */
  tokens: Record<string, string>;
  /** For tests: what otherwise has good defaults. */
  tuning?: ReaderOptions & { deadlineMs?: number; pauseMs?: ProvidersOptions['pauseMs']; silentForGoodMs?: number };
}

// A provider that has been silent for so long no longer counts as one that could contradict.
const SILENT_FOR_GOOD_MS = 60_000;
// About twelve seconds: nodes behind a load balancer are that far apart at times.
const LAG_SLOTS_MOST = 30n;

/** Solana, over JSON-RPC. Blocks are numbered by slot. */
export function createSolanaChain(options: SolanaChainOptions, log: Logger): Chain {
  const { tuning = {} } = options;
  const solana: Solana = { mints: watchedMints(options.tokens), log: log.child({ network: 'solana' }) };
  const silentForGoodMs = tuning.silentForGoodMs ?? SILENT_FOR_GOOD_MS;
  const providers = createProviders(options.rpcUrls, {
    pin: { method: 'getGenesisHash', expected: options.genesisHash ?? MAINNET_GENESIS, parse: (value) => address(value, 'genesis hash') },
    ...(tuning.deadlineMs && { deadlineMs: tuning.deadlineMs }), ...(tuning.pauseMs && { pauseMs: tuning.pauseMs }),
  }, solana.log);
  const heads = createHeads(LAG_SLOTS_MOST);
  const reader = createReader(solana, tuning);
  const firstReads = createFirstReads();

  /** The second pass looks with other eyes than the first had at that slot, as long as there are any. */
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
      const elsewhere = await providers.use((other) => findBlock(other, after.number), { only: others }).catch((failure: unknown) => {
        if (failure instanceof TemporaryFailure) return null;
        throw failure;
      });
      if (elsewhere !== null && elsewhere !== 'skipped' && elsewhere.hash === after.hash) throw new ProviderFailure(`${provider.name} alone has another block in slot ${after.number}`, { cause: error });
      throw error;
    }
  }

  return {
    network: 'solana',

    async head(pass) {
      let wasBehind = false;
      try {
        return await providers.use(async (provider): Promise<Head> => {
          try {
            return heads.take(pass, reader.told(provider, await readHead(provider)), provider.name);
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
      const block = await providers.use((provider) => findBlock(provider, number));
      return block === null || block === 'skipped' ? undefined : toBlockRef(block);
    },

    async blockAt(time) {
      let oldest: BlockRef | undefined;
      for (const name of providers.names) {
        const found = await providers.use((provider) => findBlockAt(provider, time), { only: [name] }).catch((failure: unknown) => {
          if (failure instanceof TemporaryFailure) return undefined;
          throw failure;
        });
        if (found?.reached) return found.block;
        if (found && (!oldest || found.block.number < oldest.number)) oldest = found.block;
      }
      if (!oldest) return (await providers.use((provider) => findBlockAt(provider, time))).block;
      solana.log.error({ wanted: time, from: oldest.time, alarm: 'history_missing' }, 'no provider has kept the blocks that should be read; add one with the whole history');
      return oldest;
    },

    async read(after, until, watching, pass) {
      const reading = await providers.use(
        (provider) => onSharedBranch(provider, after, () => reader.read(provider, after, until, watching.addresses, pass)), choice(pass, after.number),
      );
      if (pass === 'first') firstReads.note(after.number, reading.covered.number, reading.provider);
      return reading;
    },

    check: (transfer, watching, { agreement }) => checkTransfer(
      providers, (provider) => testify(solana, provider, transfer, watching.addresses), { agreement, silentForGoodMs },
    ),

    async transaction(txHash, watching) {
      // Customers write these; no provider should have to say that it is none.
      if (!isSignature(txHash)) return undefined;
      let asked = providers.names;
      let failure: unknown;
      // A node that does not know it yet is no proof that there is none: every provider is asked before it is unknown.
      while (asked.length > 0) {
        try {
          const { provider, seen } = await providers.use(async (provider) => ({ provider: provider.name, seen: await lookUp(provider, txHash) }), { only: asked });
          if (seen) return { transfers: transfersOf(solana, seen, watching.addresses), reverted: seen.transaction.failed };
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

    async inhabitantOf(address) {
      const account = await providers.use((provider) => provider.call(ownerOf(address)));
      if (!account || account.owner === SYSTEM_PROGRAM) return null;
      if (account.isProgram) return 'program';
      return TOKEN_PROGRAMS.includes(account.owner) ? 'token_account' : 'contract';
    },

    async buildTransfer(request) {
      const recentBlockhash = await providers.use((provider) => provider.call(latestBlockhash));
      return buildTransfer({ ...request, recentBlockhash, tokens: options.tokens });
    },

    health() {
      const health = providers.health();
      return { reachable: health.some((provider) => provider.healthy), providers: health };
    },

    close: () => providers.close(),
  };
}

async function lookUp(provider: Provider, txHash: string) {
  const [transaction] = await findTransactions(provider, [txHash]);
  return transaction ? { transaction, block: await requireBlock(provider, transaction.slot) } : undefined;
}
