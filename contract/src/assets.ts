import { assetKey, EXTRA_ASSETS, isReceivable } from './extra-assets.ts';
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
  /** Whether exact amounts are in whole cents. */
  payersRound: boolean;
  /** Whether a memo in the transfer names the payment. */
  takesMemo: boolean;
  /** What the contract calls itself. */
  ownSymbol: string;
}

/** Behind the places of the Safe List. */
const LAST_PLACE = 1_000;

const rows = NETWORK_SLUGS.flatMap((network) =>
  Object.entries<AssetRow>(NETWORKS[network].assets).map(([symbol, row]) => ({
    row,
    entry: assetOf(symbol as AssetSymbol, network, row),
  })),
).sort((one, other) => (one.row.place ?? LAST_PLACE) - (other.row.place ?? LAST_PLACE));

/** Every asset that has a row, offered at this server or not: a stored payment keeps its own. */
export const KNOWN_ASSETS: readonly Asset[] = Object.freeze(rows.map(({ entry }) => entry));

/** What `EXTRA_ASSETS` may name. */
export const EXTRA_ASSET_KEYS: readonly string[] = rows.flatMap(({ row, entry }) =>
  row.receivable === 'extra' ? [entry.key] : [],
);

/** The Safe List: the pay assets, in the order the API lists them. */
export const PAY_ASSETS: readonly Asset[] = Object.freeze(
  rows.flatMap(({ row, entry }) => (row.place !== undefined || EXTRA_ASSETS.includes(entry.key) ? [entry] : [])),
);

export const RECEIVE_ASSETS: readonly Asset[] = Object.freeze(PAY_ASSETS.filter((entry) => entry.receivable));
export const RECEIVE_SYMBOLS: readonly AssetSymbol[] = [...new Set(RECEIVE_ASSETS.map(({ asset }) => asset))];

function assetOf(asset: AssetSymbol, network: Network, row: AssetRow): Asset {
  const { decimals, address = null, testAddress = null, ownSymbol = asset } = row;
  const { payersRound = false, takesMemo = false } = row;
  const key = assetKey(asset, network);
  const receivable = isReceivable(key, row.receivable);
  return { key, asset, network, decimals, receivable, address, testAddress, ownSymbol, payersRound, takesMemo };
}

const byKey = new Map(KNOWN_ASSETS.map((entry) => [entry.key, entry]));

/** The row of an asset on a network, both read case-insensitively; undefined if the network does not have it. */
export function findAsset(symbol: string, network: string): Asset | undefined {
  return byKey.get(assetKey(symbol, network));
}

/** The Safe List entry with this key (`USDC_SOLANA`, read case-insensitively). */
export function findAssetByKey(key: string): Asset | undefined {
  const found = byKey.get(key.toUpperCase());
  return found && PAY_ASSETS.includes(found) ? found : undefined;
}

/** The same by symbol and network. */
export function findPayAsset(symbol: string, network: string): Asset | undefined {
  return findAssetByKey(assetKey(symbol, network));
}

/** The coins that are worth a dollar each. */
export const STABLECOINS = ['USDC', 'USDT'] as const satisfies readonly AssetSymbol[];

/** The coin that is worth a euro: its price is the euro's. */
export const EURO_COIN = 'EURC' satisfies AssetSymbol;

export function isStablecoin(symbol: AssetSymbol): symbol is (typeof STABLECOINS)[number] {
  return (STABLECOINS as readonly AssetSymbol[]).includes(symbol);
}

/** Words that people call the coins by in the languages of the checkout, to search for. The names of networks are in their rows. */
export const COIN_NAMES: Readonly<Record<AssetSymbol, string>> = {
  USDC: 'USD Coin',
  USDT: 'Tether, Тетер, تيثر, تيذر, 泰达币, 泰達幣, テザー, टेथर, ٹیتھر',
  EURC: 'Euro Coin',
  ETH: 'Ether, Ethereum, Эфир, Эфириум, إيثريوم, ايثريوم, 以太坊, イーサリアム, एथेरियम, ایتھریم',
  SOL: 'Solana',
  BTC: 'Bitcoin, XBT, Биткоин, Биткойн, بيتكوين, 比特币, 比特幣, ビットコイン, बिटकॉइन, بٹ کوائن',
  BNB: 'Binance Coin, Smart Chain',
  POL: 'Polygon, Matic',
  AVAX: 'Avalanche',
  TRX: 'Tronix',
};
