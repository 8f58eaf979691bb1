import { type AssetRow, type AssetSymbol, NETWORK_SLUGS, NETWORKS, type Network } from './networks.ts';

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
  /** The issuer's own contract or mint; null for a native coin. */
  address: string | null;
  /** The contract or mint on the issuer's test network; null if it has none. */
  testAddress: string | null;
}

/** The Safe List: the pay assets, in the order the API lists them. */
export const PAY_ASSETS: readonly Asset[] = Object.freeze(
  NETWORK_SLUGS.flatMap((network) =>
    Object.entries<AssetRow>(NETWORKS[network].assets).map(([asset, row]) => ({
      place: row.place,
      entry: assetOf(asset as AssetSymbol, network, row),
    })),
  )
    .sort((one, other) => one.place - other.place)
    .map(({ entry }) => entry),
);

export const RECEIVE_ASSETS: readonly Asset[] = Object.freeze(PAY_ASSETS.filter((entry) => entry.receivable));
export const RECEIVE_SYMBOLS: readonly AssetSymbol[] = [...new Set(RECEIVE_ASSETS.map(({ asset }) => asset))];

function assetOf(asset: AssetSymbol, network: Network, row: AssetRow): Asset {
  const { decimals, receivable = false, address = null, testAddress = null } = row;
  return { key: `${asset}_${network.toUpperCase()}`, asset, network, decimals, receivable, address, testAddress };
}

const byKey = new Map(PAY_ASSETS.map((entry) => [entry.key, entry]));

/** The Safe List entry of an asset on a network, both read case-insensitively; undefined if it is not listed. */
export function findAsset(symbol: string, network: string): Asset | undefined {
  return byKey.get(`${symbol}_${network}`.toUpperCase());
}

/** The Safe List entry with this key (`USDC_SOLANA`, read case-insensitively). */
export function findAssetByKey(key: string): Asset | undefined {
  return byKey.get(key.toUpperCase());
}

/** The coins that are worth a dollar each. */
export const STABLECOINS = ['USDC', 'USDT'] as const satisfies readonly AssetSymbol[];

export function isStablecoin(symbol: AssetSymbol): symbol is (typeof STABLECOINS)[number] {
  return (STABLECOINS as readonly AssetSymbol[]).includes(symbol);
}

/** What people call the coins, to search by. The names of networks are in their rows. */
export const COIN_NAMES: Readonly<Record<AssetSymbol, string>> = {
  USDC: 'USD Coin',
  USDT: 'Tether USD',
  ETH: 'Ether, Ethereum',
  SOL: 'Solana',
  BTC: 'Bitcoin, XBT',
  BNB: 'Binance Coin, BNB Smart Chain, Binance Smart Chain',
  POL: 'Polygon, Matic',
  AVAX: 'Avalanche',
  TRX: 'Tron, Tronix',
};
