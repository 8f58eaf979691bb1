import { COIN_NAMES } from '../../../networks/coin-names.facts.ts';
import { exchangeNames, networkName } from '../../../networks/networks.ts';
import type { Option } from '../../page-state.ts';
import type { Coin } from './coins.ts';

/** What a text finds. */
export interface Found {
  isFound: (option: Option) => boolean;
  /** The coin that it means, and the network if it names one. */
  asset?: string | undefined;
  network?: string | undefined;
  /** What is accepted, where the text finds nothing. */
  accepted?: string | false;
}

/**
 * Finds options by how any name of the coin or the network begins: `tether`, `trc-20`, `usdt on bsc`, `USDTTRC20`. The
 * text means the coin that a word of it names, otherwise the first that matches. A coin that is not accepted on the
 * network that was searched for is still the one that was meant. Where nothing is found everything stays, to choose from.
 */
export function searchCoins(coins: readonly Coin[], text: string): Found {
  const words = wordsOf(text);
  const matches = ({ asset, network }: Option) => {
    const names = namesOf(asset, network);
    const begins = (word: string) => names.some((name) => name.startsWith(word));
    const symbol = squeeze(asset);
    return words.every((word) => begins(word) || (word.startsWith(symbol) && begins(word.slice(symbol.length))));
  };
  const found = coins.filter(({ networks }) => networks.some(matches));
  const isNamed = ({ asset }: Coin) => [asset, ...coinNames(asset)].map(squeeze).some((name) => words.includes(name));
  const coin = found.find(isNamed) ?? found[0] ?? coins.find(isNamed);
  const isOnNamed = ({ asset, network }: Option) =>
    words.some((word) => word !== squeeze(asset) && network.startsWith(word));
  const hasFound = found.length > 0;
  return {
    isFound: hasFound ? matches : () => true,
    asset: coin?.asset,
    network: coin?.networks.find((option) => matches(option) && isOnNamed(option))?.network,
    accepted: !hasFound && (coin ? withNetworks(coin) : coins.map(({ asset }) => asset).join(', ')),
  };
}

function withNetworks({ asset, networks }: Coin): string {
  return `${asset} (${networks.map(({ network }) => networkName(network)).join(', ')})`;
}

/** The words that tell options apart: `mainnet` is any network, and the `one` of Arbitrum begins like `on`. */
function wordsOf(search: string): string[] {
  return search
    .split(/\s+/)
    .map(squeeze)
    .filter((word) => !/^(one?|auf|net.*|main.*|)$/.test(word));
}

function coinNames(asset: string): string[] {
  return COIN_NAMES[asset]?.split(', ') ?? [];
}

/** Everything that people call a coin or its network, as a whole and by its words. */
function namesOf(asset: string, network: string): string[] {
  const names = [asset, ...coinNames(asset), network, networkName(network), ...exchangeNames(network).split(', ')];
  return names.flatMap((name) => [name, ...name.split(/[ -]/)]).map(squeeze);
}

/** `TRC-20` and `trc20` are the same name. */
function squeeze(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}
