import { findAsset, NETWORKS } from '@quittance/contract';
import { startSolana } from '../../server/test/support/solana/index.ts';
import { addressOf, type WatchedNetwork } from './open-sessions.ts';
import { startPacedNode } from './paced-node.ts';

/** A network with the real one's pace, as two providers show it: one node under two names. */
export interface CostedNetwork extends AsyncDisposable {
  network: WatchedNetwork;
  /** What customers pay with, and where to. */
  asset: 'USDC' | 'ETH';
  wallet: string;
  /** The hosts of the providers: the one that the first pass reads from, and the second pass's. */
  hosts: [string, string];
  env: Record<string, string>;
  /** Produces the blocks up to now. */
  goOn(): void;
  /** By the amount alone, or with the reference where amounts are not unique. */
  pay(amount: bigint, reference: string): Promise<unknown>;
}

/** A wallet that the seeded sessions do not have. */
const WALLET_AT = 1_000_000;
/** Enough blocks before the first session for any look back. */
const PAST_SECONDS = 100_000;
const SLOT_SECONDS = NETWORKS.solana.blockSeconds;

export async function startEvm(network: 'base' | 'arbitrum' | 'ethereum'): Promise<CostedNetwork> {
  const { chainId, blockSeconds } = NETWORKS[network];
  const startedAt = Math.floor(Date.now() / 1000) - PAST_SECONDS;
  const node = await startPacedNode({ chainId, blockSeconds, startedAt });
  const [asset, wallet] = [network === 'ethereum' ? 'ETH' : 'USDC', addressOf(network, WALLET_AT + chainId)] as const;
  return {
    network,
    asset,
    wallet,
    ...twoNames(network, node.url),
    goOn: () => {},
    pay: async (amount) => node.pay(wallet, amount, findAsset(asset, network)?.address ?? null),
    [Symbol.asyncDispose]: () => node[Symbol.asyncDispose](),
  };
}

export async function startSolanaNode(): Promise<CostedNetwork> {
  const cluster = await startSolana({
    genesisHash: NETWORKS.solana.genesisHash,
    finalizedLag: 32,
    startsAt: new Date(Date.now() - PAST_SECONDS * 1000),
  });
  const mint = await cluster.createMint({ at: NETWORKS.solana.assets.USDC.address });
  const [wallet, customer] = [addressOf('solana', WALLET_AT), await cluster.newWallet()];
  await cluster.mint(mint, customer.address, 1_000_000_000_000n);
  cluster.slots(1, { intervalMs: PAST_SECONDS * 1000 });
  cluster.slots(100);
  let producedMs = Date.now();
  return {
    network: 'solana',
    asset: 'USDC',
    wallet,
    ...twoNames('solana', cluster.url),
    goOn() {
      const slots = Math.floor((Date.now() - producedMs) / (SLOT_SECONDS * 1000));
      producedMs += slots * SLOT_SECONDS * 1000;
      cluster.slots(slots);
    },
    pay: (amount, reference) =>
      cluster.transferToken({ mint, from: customer, to: wallet, amount, references: [reference], close: false }),
    [Symbol.asyncDispose]: () => cluster.stop(),
  };
}

function twoNames(network: WatchedNetwork, url: string): Pick<CostedNetwork, 'hosts' | 'env'> {
  const second = url.replace('127.0.0.1', 'localhost');
  return {
    hosts: [new URL(url).host, new URL(second).host],
    env: { [`RPC_${network.toUpperCase()}_URLS`]: `${url},${second}` },
  };
}
