import type { Logger } from 'pino';
import { TemporaryError } from '../../../platform/errors.ts';
import type { BlockRef, Chain } from '../chain.ts';
import { createRpcChain, type RpcTuning } from '../rpc/chain.ts';
import type { Provider } from '../rpc/provider.ts';
import { createProviders } from '../rpc/providers.ts';
import { address } from './shapes.ts';
import { findBlockAt } from './block-at.ts';
import { buildTransfer } from './build-transfer.ts';
import { findBlock, findTransactions, latestBlockhash, ownerOf, requireBlock } from './calls.ts';
import { accepts, broadcast } from './signed-payments.ts';
import { reportOn } from './check.ts';
import { readHead } from './head.ts';
import { createReader, type ReaderOptions } from './reader.ts';
import { MAINNET_GENESIS, type Solana, SYSTEM_PROGRAM, TOKEN_PROGRAMS, watchedMints } from './solana.ts';
import { isSignature } from './signature.ts';
import { selfTransfersOf } from './self-transfers.ts';
import { revertedPayments, toBlockRef, transfersOf } from './transfers.ts';

export interface SolanaChainOptions {
  rpcUrls: readonly string[];
  /** The genesis hash of a test cluster; null for mainnet. */
  genesisHash: string | null;
  /** Mints by asset, for a test cluster. */
  tokens: Record<string, string>;
  /** Overrides of defaults, for tests. */
  tuning?: RpcTuning & ReaderOptions;
}

// About twelve seconds. Nodes behind a load balancer can be that far apart.
const MAX_LAG_SLOTS = 30n;
const USUAL_SLOT_MS = 400;

/** Solana over JSON-RPC. Blocks are numbered by slot. */
export function createSolanaChain(options: SolanaChainOptions, log: Logger): Chain {
  const { tuning = {} } = options;
  const solana: Solana = {
    mints: watchedMints(options.tokens),
    log: log.child({ network: 'solana' }),
    unreadable: new Map(),
  };
  const providers = createProviders(
    options.rpcUrls,
    {
      pin: {
        method: 'getGenesisHash',
        expected: options.genesisHash ?? MAINNET_GENESIS,
        parse: (value) => address(value, 'genesis hash'),
      },
      ...tuning,
    },
    solana.log,
  );
  const reader = createReader(solana, tuning);

  const shared = createRpcChain(
    providers,
    {
      maxLag: MAX_LAG_SLOTS,
      usualBlockMs: options.genesisHash === null ? USUAL_SLOT_MS : null,
      log: solana.log,
      readHead: async (provider) => reader.reportHead(provider, await readHead(provider)),
      async findBlock(provider, slot) {
        const block = await findBlock(provider, slot);
        return block === null || block === 'skipped' ? undefined : toBlockRef(block);
      },
      read: (provider, step) => reader.read(provider, step),
      report: (provider, transfer, watching) => reportOn(solana, provider, transfer, watching),
      toTxHash: (text) => (isSignature(text) ? text : undefined),
      async findTransaction(provider, txHash, watching) {
        const seen = await lookUp(provider, txHash);
        return (
          seen && {
            transfers: watching.selfTransfers
              ? selfTransfersOf(solana, seen, watching.addresses)
              : transfersOf(solana, seen, watching.addresses),
            reverted: seen.transaction.failed ? revertedPayments(solana, seen.transaction, watching.addresses) : null,
          }
        );
      },
    },
    tuning,
  );

  return {
    ...shared,
    network: 'solana',

    async blockAt(time) {
      let oldest: BlockRef | undefined;
      for (const name of providers.names) {
        const found = await providers
          .use((provider) => findBlockAt(provider, time), { only: [name] })
          .catch((failure: unknown) => {
            if (failure instanceof TemporaryError) return undefined;
            throw failure;
          });
        if (found?.reached) return found.block;
        if (found && (!oldest || found.block.number < oldest.number)) oldest = found.block;
      }
      if (!oldest) return (await providers.use((provider) => findBlockAt(provider, time))).block;
      solana.log.error(
        { wanted: time, from: oldest.time, alarm: 'history_missing' },
        'no provider has the blocks to read: add one with the full history',
      );
      return oldest;
    },

    async accountKindOf(address) {
      const account = await providers.use((provider) => provider.call(ownerOf(address)));
      if (!account || account.owner === SYSTEM_PROGRAM) return null;
      if (account.isProgram) return 'program';
      return TOKEN_PROGRAMS.includes(account.owner) ? 'token_account' : 'contract';
    },

    broadcast: (signed) => broadcast(providers, signed),
    accepts: (signed) => accepts(providers, signed),

    async buildTransfer(request) {
      const recentBlockhash = await providers.use((provider) => provider.call(latestBlockhash));
      return buildTransfer({ ...request, recentBlockhash, tokens: options.tokens });
    },
  };
}

async function lookUp(provider: Provider, txHash: string) {
  const [transaction] = await findTransactions(provider, [txHash]);
  return transaction ? { transaction, block: await requireBlock(provider, transaction.slot) } : undefined;
}
