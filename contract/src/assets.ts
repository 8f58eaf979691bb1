/** Networks by the slug the API answers, with the name a person reads. */
export const NETWORKS = {
  ethereum: { name: 'Ethereum', family: 'evm' },
  base: { name: 'Base', family: 'evm' },
  polygon: { name: 'Polygon', family: 'evm' },
  arbitrum: { name: 'Arbitrum', family: 'evm' },
  solana: { name: 'Solana', family: 'solana' },
  bitcoin: { name: 'Bitcoin', family: 'bitcoin' },
  bnb: { name: 'BNB Chain', family: 'evm' },
  avalanche: { name: 'Avalanche', family: 'evm' },
  tron: { name: 'Tron', family: 'tron' },
} as const satisfies Record<string, { name: string; family: ChainFamily }>;

export type ChainFamily = 'evm' | 'solana' | 'bitcoin' | 'tron';
export type Network = keyof typeof NETWORKS;

/** How long a block usually takes. */
export const BLOCK_SECONDS: Record<Network, number> = {
  ethereum: 12,
  base: 2,
  polygon: 2,
  arbitrum: 0.25,
  solana: 0.4,
  bitcoin: 600,
  bnb: 1,
  avalanche: 2,
  tron: 3,
};

export const NETWORK_SLUGS = Object.keys(NETWORKS) as [Network, ...Network[]];

export type AssetSymbol = 'USDC' | 'USDT' | 'ETH' | 'SOL' | 'BTC' | 'BNB' | 'POL' | 'AVAX' | 'TRX';

/** One asset on one network, with everything that is true of it everywhere. */
export interface Asset {
  /** The Safe List key, `ASSET_NETWORK`: `USDC_SOLANA`. */
  key: string;
  asset: AssetSymbol;
  network: Network;
  /** How many decimals one whole unit has; amounts of the asset are written with all of them. */
  decimals: number;
  /** Whether a payout wallet may receive it. */
  receivable: boolean;
}

function asset(symbol: AssetSymbol, network: Network, decimals: number, receivable = false): Asset {
  return { key: `${symbol}_${network.toUpperCase()}`, asset: symbol, network, decimals, receivable };
}

/** The Safe List: the seventeen pay assets, in the order the API lists them. Eight of them can be received. */
export const PAY_ASSETS: readonly Asset[] = Object.freeze([
  asset('ETH', 'ethereum', 18, true),
  asset('SOL', 'solana', 9, true),
  asset('USDC', 'solana', 6, true),
  asset('ETH', 'base', 18),
  asset('USDC', 'base', 6, true),
  asset('USDC', 'ethereum', 6, true),
  asset('USDT', 'ethereum', 6, true),
  asset('USDT', 'solana', 6),
  asset('BTC', 'bitcoin', 8),
  asset('BNB', 'bnb', 18),
  asset('POL', 'polygon', 18),
  asset('ETH', 'arbitrum', 18),
  asset('AVAX', 'avalanche', 18),
  asset('TRX', 'tron', 6),
  asset('USDT', 'tron', 6),
  asset('USDC', 'polygon', 6, true),
  asset('USDC', 'arbitrum', 6, true),
]);

export const RECEIVE_ASSETS: readonly Asset[] = Object.freeze(PAY_ASSETS.filter((entry) => entry.receivable));

/** The networks a payout wallet can be on; the only ones that need a watcher. */
export const RECEIVE_NETWORKS = ['ethereum', 'base', 'polygon', 'arbitrum', 'solana'] as const;
export type ReceiveNetwork = (typeof RECEIVE_NETWORKS)[number];
/** Those whose addresses have one form: an account has the same address on all of them. */
export const EVM_RECEIVE_NETWORKS: readonly ReceiveNetwork[] = RECEIVE_NETWORKS.filter(
  (network) => NETWORKS[network].family === 'evm',
);

const byKey = new Map(PAY_ASSETS.map((entry) => [entry.key, entry]));

/** The Safe List entry of an asset on a network, both read case-insensitively; undefined if it is not listed. */
export function findAsset(symbol: string, network: string): Asset | undefined {
  return byKey.get(`${symbol}_${network}`.toUpperCase());
}

/** The Safe List entry with this key (`USDC_SOLANA`, read case-insensitively). */
export function findAssetByKey(key: string): Asset | undefined {
  return byKey.get(key.toUpperCase());
}
