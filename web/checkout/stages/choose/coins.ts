import { familyOf } from '../../../networks/networks.ts';
import type { CheckoutPage, Option } from '../../page-state.ts';

/** A coin and where it can be paid, the best network first. */
export interface Coin {
  asset: string;
  networks: [Option, ...Option[]];
}

// The coins that most customers hold come first.
const USUAL = ['USDC', 'USDT', 'BTC', 'ETH'];
const ORDER = [...USUAL, 'SOL', 'BNB', 'POL', 'AVAX', 'TRX'];
const VISIBLE_AT_ONCE = 4;

/**
 * The reachable coins: the one that the merchant receives, then the usual ones, then the others. If all wallets of this
 * browser are of one family, what they can pay comes first among the others, and among a coin's networks.
 */
export function coinsOf({ session, wallets = [] }: Pick<CheckoutPage, 'session' | 'wallets'>): Coin[] {
  const families = new Set(wallets.map((wallet) => wallet.family as string));
  const canPay = (option: Option) => families.size === 1 && families.has(familyOf(option.network));
  const available = session.options.filter((option) => option.available);
  const rank = ({ asset, networks }: Coin): number[] => {
    const place = ORDER.indexOf(asset);
    const isUsual = USUAL.includes(asset);
    return [
      first(networks.some(isDirect)),
      first(isUsual),
      first(!isUsual && networks.some(canPay)),
      place < 0 ? ORDER.length : place,
    ];
  };
  // Only the wallet knows the network fee, and slow networks are usually expensive.
  const networkRank = (option: Option): number[] => [
    first(isDirect(option)),
    first(canPay(option)),
    first(isUsualNetwork(option)),
    option.typical_seconds ?? Number.MAX_SAFE_INTEGER,
  ];
  // Browsers inside wallets are often years old, so this uses no newer features.
  return [...new Set(available.map((option) => option.asset))]
    .map((asset): Coin => {
      const networks = available.filter((option) => option.asset === asset);
      return { asset, networks: networks.sort((a, b) => compare(networkRank(a), networkRank(b))) as Coin['networks'] };
    })
    .sort((a, b) => compare(rank(a), rank(b)));
}

/** The coins to show at once, and those that the customer opens. */
export function splitCoins(coins: readonly Coin[]): { usual: readonly Coin[]; others: readonly Coin[] } {
  // Two steps to a single coin would be one too many.
  const count = coins.length <= VISIBLE_AT_ONCE + 1 ? coins.length : VISIBLE_AT_ONCE;
  return { usual: coins.slice(0, count), others: coins.slice(count) };
}

export function isDirect({ kind }: Option): boolean {
  return kind === 'direct';
}

export function keyOf(option: { asset: string; network: string }): string {
  return `${option.asset}_${option.network.toUpperCase()}`;
}

/** USDT means Tron to most people. Counts only after what the browser's wallets can pay on. */
function isUsualNetwork({ asset, network }: Option): boolean {
  return asset === 'USDT' && network === 'tron';
}

function first(is: boolean): number {
  return is ? 0 : 1;
}

function compare(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((value, place) => value !== b[place]);
  return at < 0 ? 0 : (a[at] ?? 0) - (b[at] ?? 0);
}
