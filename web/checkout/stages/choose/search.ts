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
  const typed = wordsOf(text);
  if (typed.length === 0) return { isFound: () => true };
  const options = coins.flatMap(({ networks }) => networks);
  const known = typed.filter((word) => options.some((option) => isKnown(option, word)));
  // Beside a coin and its network, an unknown word is one of a language: `usdt en solana`. Beside a coin alone, it may be the
  // network, which is not accepted: `tether usd ton`.
  const own = namesOfCoin(meantIn(coins, known)?.asset ?? '');
  const hasNetwork = known.some(
    (word) => !own.includes(word) && options.some(({ network }) => isNetwork(network, word)),
  );
  const words = known.length > 1 && hasNetwork ? known : typed;
  const matches = (option: Option) => words.every((word) => isKnown(option, word));
  const found = coins.filter(({ networks }) => networks.some(matches));
  const coin = namedIn(found, words) ?? found[0] ?? meantIn(coins, words);
  // `eth` names the coin, and `eth mainnet` its own network too.
  const hasMain = /\bmain/i.test(text);
  const isOnNamed = ({ asset, network }: Option) =>
    words.some((word) => (hasMain || word !== squeeze(asset)) && network.startsWith(word));
  const hasFound = found.length > 0;
  return {
    isFound: hasFound ? matches : () => true,
    asset: coin?.asset,
    network: coin?.networks.find((option) => matches(option) && isOnNamed(option))?.network,
    accepted: !hasFound && (coin ? withNetworks(coin) : coins.map(({ asset }) => asset).join(', ')),
  };
}

function isKnown({ asset, network }: Option, word: string): boolean {
  const names = namesOf(asset, network);
  const begins = (text: string) => names.some((name) => name.startsWith(text));
  const symbol = squeeze(asset);
  return begins(word) || (word.startsWith(symbol) && begins(word.slice(symbol.length)));
}

function isNetwork(network: string, word: string): boolean {
  return networkNames(network).some((name) => squeeze(name).startsWith(word));
}

function namedIn(coins: readonly Coin[], words: readonly string[]): Coin | undefined {
  return coins.find(({ asset }) => namesOfCoin(asset).some((name) => words.includes(name)));
}

/** The coin that was meant where nothing is found: `ethereum` is one, but more likely the network of another. */
function meantIn(coins: readonly Coin[], words: readonly string[]): Coin | undefined {
  const networks = coins.flatMap((coin) => coin.networks.flatMap(({ network }) => networkNames(network).map(squeeze)));
  return (
    namedIn(
      coins,
      words.filter((word) => !networks.includes(word)),
    ) ??
    coins.find(({ asset }) => words.includes(squeeze(asset))) ??
    namedIn(coins, words)
  );
}

function withNetworks({ asset, networks }: Coin): string {
  return `${asset} (${networks.map(({ network }) => networkName(network)).join(', ')})`;
}

/** The words that tell options apart: `mainnet` is any network, and the `one` of Arbitrum begins like `on`. */
function wordsOf(search: string): string[] {
  return search
    .split(/\s+/)
    .map(squeeze)
    .filter((word) => !/^(one?|net.*|main.*|)$/.test(word));
}

function namesOfCoin(asset: string): string[] {
  return [asset, ...coinNames(asset)].map(squeeze);
}

function coinNames(asset: string): string[] {
  return COIN_NAMES[asset]?.split(', ') ?? [];
}

function networkNames(network: string): string[] {
  return [network, networkName(network), ...exchangeNames(network).split(', ')];
}

/** Everything that people call a coin or its network, as a whole and by its words. */
function namesOf(asset: string, network: string): string[] {
  const names = [asset, ...coinNames(asset), ...networkNames(network)];
  return names.flatMap((name) => [name, ...name.split(/[ -]/)]).map(squeeze);
}

/** `TRC-20` and `trc20` are the same name. */
function squeeze(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}
