import { type AssetSymbol, findAsset, type Network } from '@quittance/contract';
import type { Logger } from 'pino';
import type { BlockRef, Chain } from '../../src/outside/chains/chain.ts';
import { createEvmChain as createChain, type EvmChainOptions } from '../../src/outside/chains/evm/chain.ts';
import { type Dialect, inDialect } from '../../src/outside/chains/rpc/dialect.ts';
import { createProvider } from '../../src/outside/chains/rpc/provider.ts';
import { createSolanaChain as createSolana } from '../../src/outside/chains/solana/chain.ts';
import { TEMPO } from '../../src/outside/chains/tempo/dialect.ts';
import { TRON } from '../../src/outside/chains/tron/dialect.ts';
import { type Raw, rewrite } from './evm-rpc-proxy.ts';
import { inTempoDialect } from './tempo-answers.ts';
import { inTronDialect, tronBlockHash } from './tron-rpc.ts';

// The suites of chains run over the coins and networks that they name, and over another row of the networks with its
// key: ROW=USDT_BNB npm test -- --project networks server/test/journeys/evm-reorgs.test.ts
const [symbol, slug] = (process.env.ROW ?? '').toUpperCase().split('_') as [string, string?];
const row = slug === undefined ? undefined : findAsset(symbol, slug);
if (process.env.ROW && !row) throw new Error(`ROW=${process.env.ROW} is no asset of a network`);
const isSolana = row?.network === 'solana';
const evmRow = isSolana ? undefined : row;

interface Speech {
  dialect: Dialect;
  speak(raw: Raw): Raw;
}

/** The networks whose nodes write differently, and how a test chain's answers become theirs. */
const SPEECHES: Partial<Record<Network, Speech>> = {
  tron: { dialect: TRON, speak: inTronDialect },
  tempo: { dialect: TEMPO, speak: inTempoDialect },
};
const speech = evmRow && SPEECHES[evmRow.network];

/** The row's network and coin instead of the suite's. */
export const networkOf = (usual: Network): Network => evmRow?.network ?? usual;
export const coinOf = (usual: AssetSymbol): AssetSymbol => row?.asset ?? usual;
/** Whether transfers of the native coin are read, as on the suite's own network. */
export const READS_NATIVE = evmRow === undefined;
/** Whether blocks are read whole, for a native coin, so that a log that is in none of them is not even read. */
export const READS_WHOLE_BLOCKS = evmRow?.network === 'ethereum';
export const TOKEN_CONTRACT =
  evmRow?.decimals === 18 ? 'PeggedToken' : evmRow?.takesMemo === true ? 'MemoToken' : 'TestToken';

/** A block of the test chain as the row's nodes name it. */
export function asRef<Ref extends Pick<BlockRef, 'hash' | 'number'>>(ref: Ref): Ref {
  return evmRow?.network === 'tron' ? { ...ref, hash: tronBlockHash(ref.hash, ref.number) } : ref;
}

/** A chain of the row's network, with the suite's token under its coin. */
export function createEvmChain(options: EvmChainOptions, log: Logger): Chain {
  if (!evmRow) return createChain(options, log);
  const { USDC: token, ...others } = options.tokens;
  const open: typeof createProvider = (...asked) => {
    const provider = (options.tuning?.open ?? createProvider)(...asked);
    return speech ? inDialect(provider, { translate: (result) => rewrite(result, speech.speak) }) : provider;
  };
  return createChain(
    {
      ...options,
      network: evmRow.network as EvmChainOptions['network'],
      tokens: { ...others, ...(token && { [evmRow.asset]: token }) },
      ...(speech && { dialect: speech.dialect }),
      tuning: { ...options.tuning, open },
    },
    log,
  );
}

/** The same on Solana, where only the coin may be another one. */
export function createSolanaChain(...[options, log]: Parameters<typeof createSolana>): Chain {
  if (!isSolana) return createSolana(options, log);
  const { USDC: mint, ...others } = options.tokens;
  return createSolana({ ...options, tokens: { ...others, ...(mint && { [row.asset]: mint }) } }, log);
}
