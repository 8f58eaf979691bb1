import { NETWORKS } from '@quittance/contract';
import type { Logger } from 'pino';
import { cached } from '../../../platform/cached.ts';
import { SECOND_MS } from '../../../platform/time.ts';
import type { BlockRef, Chain, Head, Reading, ReadStep, Watching } from '../chain.ts';
import { blockAt } from '../rpc/block-at.ts';
import { type ChainAdapter, createRpcChain, type LookedUp, type RpcTuning } from '../rpc/chain.ts';
import { accountLookUp } from '../rpc/look-up-account.ts';
import type { ChainPin, Provider } from '../rpc/provider.ts';
import { createProviders } from '../rpc/providers.ts';
import type { Question, Report } from '../rpc/quorum.ts';
import { address } from './shapes.ts';
import { findBlockAt } from './block-at.ts';
import { accountAt, kindOf, mintFacts, ownerOfTokens } from './account-kind.ts';
import { buildTransfer } from './build-transfer.ts';
import { findBlock, findTransactions, latestBlockhash, newestSlot, requireBlock } from './calls.ts';
import { accepts, broadcast } from './signed-payments.ts';
import { reportOn } from './check.ts';
import { readHead } from './head.ts';
import { createReader, type Reader, type ReaderOptions } from './reader.ts';
import { type Solana, watchedMints } from './solana.ts';
import { isSignature } from '../solana-key.ts';
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

/** Strangers ask for transactions to sign. A blockhash is good for a minute. */
const BLOCKHASH_TTL_MS = 2 * SECOND_MS;

/** Solana over JSON-RPC. Blocks are numbered by slot. */
export function createSolanaChain(options: SolanaChainOptions, log: Logger): Chain {
  const { tuning = {} } = options;
  const solana: Solana = {
    mints: watchedMints(options.tokens),
    log: log.child({ network: 'solana' }),
    unreadable: new Map(),
    shown: new Map(),
  };
  const providers = createProviders(
    options.rpcUrls,
    { pin: clusterPin(options.genesisHash), network: 'solana', ...tuning },
    solana.log,
  );
  const adapter = new SolanaAdapter(options, solana);
  const lookUpAccount = accountLookUp(providers, (provider, address) => provider.call(accountAt(address)));
  const blockhashes = cached<string>({ ttlMs: BLOCKHASH_TTL_MS, max: 1 });
  const readBlockhash = () => providers.use((provider) => provider.call(latestBlockhash));
  return {
    ...createRpcChain(providers, adapter, tuning),
    network: 'solana',
    async blockAt(time, start) {
      const { usualBlockMs, nowMs } = { usualBlockMs: adapter.usualBlockMs, nowMs: Date.now, ...tuning };
      const search = { time, start, usualBlockMs, nowMs: nowMs() };
      return blockAt(providers, (provider) => findBlockAt(provider, time), search, solana.log);
    },
    accountKindOf: async (...asked) => kindOf(await lookUpAccount(...asked)),
    tokenAccountOwner: async (...asked) => ownerOfTokens(await lookUpAccount(...asked)),
    async describeToken(asset) {
      const mint = [...solana.mints].find(([, watched]) => watched === asset)?.[0];
      return mint === undefined ? undefined : mintFacts(providers, mint);
    },
    broadcast: (signed) => broadcast(providers, signed),
    accepts: (signed) => accepts(providers, signed),
    async buildTransfer(request) {
      // Two equal refunds carry nothing, so only another blockhash makes them two transactions.
      const recentBlockhash = await (request.reference === null ? readBlockhash() : blockhashes.get('', readBlockhash));
      return buildTransfer({ ...request, recentBlockhash, tokens: options.tokens });
    },
  };
}

/** A provider proves its chain by the genesis hash. */
function clusterPin(genesisHash: string | null): ChainPin {
  return {
    method: 'getGenesisHash',
    expected: genesisHash ?? NETWORKS.solana.genesisHash,
    parse: (value) => address(value, 'genesis hash'),
  };
}

/** The calls of Solana to one provider, with the state that reading keeps between them. */
class SolanaAdapter implements ChainAdapter {
  readonly maxLag = MAX_LAG_SLOTS;
  readonly usualBlockMs: number | null;
  readonly testChainSetting = 'GENESIS_SOLANA';
  readonly log: Logger;
  readonly #solana: Solana;
  readonly #reader: Reader;

  constructor({ genesisHash, tuning = {} }: SolanaChainOptions, solana: Solana) {
    this.usualBlockMs = genesisHash === null ? NETWORKS.solana.blockSeconds * SECOND_MS : null;
    this.log = solana.log;
    this.#solana = solana;
    this.#reader = createReader(solana, tuning);
  }

  async readHead(provider: Provider): Promise<Head> {
    return this.#reader.reportHead(provider, await readHead(provider));
  }

  readNewest(provider: Provider): Promise<bigint> {
    return provider.call(newestSlot('confirmed'));
  }

  async findBlock(provider: Provider, slot: bigint): Promise<BlockRef | undefined> {
    const block = await findBlock(provider, slot);
    return block === null || block === 'skipped' ? undefined : toBlockRef(block);
  }

  read(provider: Provider, step: ReadStep): Promise<Reading> {
    return this.#reader.read(provider, step);
  }

  report(provider: Provider, { transfer, watching }: Question): Promise<Report> {
    return reportOn(this.#solana, provider, transfer, watching);
  }

  forgetShown(): void {
    this.#solana.shown.clear();
  }

  toTxHash(text: string): string | undefined {
    return isSignature(text) ? text : undefined;
  }

  async findTransaction(
    provider: Provider,
    txHash: string,
    { addresses, selfTransfers }: Watching,
  ): Promise<LookedUp | undefined> {
    const seen = await lookUp(provider, txHash);
    if (!seen) return undefined;
    const { transaction } = seen;
    const transfers = (selfTransfers ? selfTransfersOf : transfersOf)(this.#solana, seen, addresses);
    return {
      transfers,
      reverted: transaction.failed ? revertedPayments(this.#solana, transaction, addresses) : null,
      ...(transfers.length === 0 && { emptyIn: transaction.slot }),
    };
  }
}

async function lookUp(provider: Provider, txHash: string) {
  const [transaction] = await findTransactions(provider, [txHash]);
  return transaction ? { transaction, block: await requireBlock(provider, transaction.slot) } : undefined;
}
