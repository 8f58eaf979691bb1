import { type Asset, type Network, NETWORK_SLUGS, NETWORKS } from '@quittance/contract';
import { cached } from '../../../platform/cached.ts';
import { PermanentError } from '../../../platform/errors.ts';
import { getJson } from '../../http/json.ts';
import { TOKEN_CONTRACTS } from '../addresses.ts';

// The provider's numbers of other networks.
const OTHER_CHAINS = { solana: 792703809, bitcoin: 8253038 };

/** The provider's numbers of networks: of EVM networks the chain ID. */
export const RELAY_CHAINS = Object.fromEntries(
  NETWORK_SLUGS.map((network) => [network, relayChainOf(network)]),
) as Record<Network, number>;

function relayChainOf(network: Network): number {
  const row = NETWORKS[network];
  return 'chainId' in row ? row.chainId : OTHER_CHAINS[row.family];
}

export const EVM_NATIVE = '0x0000000000000000000000000000000000000000';
const TOKENS: Record<string, string> = {
  ...TOKEN_CONTRACTS,
  BTC_BITCOIN: 'bc1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqmql8k8',
  SOL_SOLANA: '11111111111111111111111111111111',
};

const LIST_TTL_MS = 10 * 60_000;

export interface Directory {
  /** The provider's name of an asset; undefined if it does not support the chain. */
  currencyOf(asset: Asset): Promise<string | undefined>;
  /** Whether the asset may be sent to a deposit address. */
  isDepositable(asset: Asset): Promise<boolean>;
  /** The name of a chain in order data. */
  chainNameOf(network: Network): Promise<string | undefined>;
}

interface RelayChain {
  id: number;
  name: string | undefined;
  enabled: boolean;
  native: string | undefined;
  depositable: ReadonlySet<string>;
}

/** The provider's chains, loaded on first use and again every ten minutes. During an outage the last list is used. */
export function relayDirectory(
  url: string,
  headers: Record<string, string>,
  timeoutMs: number,
  now: () => Date,
): Directory {
  const known = cached<ReadonlyMap<number, RelayChain>>({
    ttlMs: LIST_TTL_MS,
    isServedOnError: true,
    max: 1,
    nowMs: () => now().getTime(),
  });
  const chains = () => known.get('', readChains);

  async function readChains(): Promise<ReadonlyMap<number, RelayChain>> {
    const body = (await getJson(`${url}/chains`, { headers, timeoutMs })) as { chains?: unknown };
    if (!Array.isArray(body?.chains)) throw new PermanentError('Relay returned no list of chains');
    return new Map(body.chains.flatMap(chainOf).map((chain) => [chain.id, chain]));
  }

  async function currencyOf(asset: Asset): Promise<string | undefined> {
    const chain = (await chains()).get(RELAY_CHAINS[asset.network]);
    if (!chain?.enabled) return undefined;
    const token = TOKENS[asset.key];
    if (token) return token;
    return asset.network === 'tron' ? chain.native : EVM_NATIVE;
  }

  return {
    currencyOf,
    async chainNameOf(network) {
      return (await chains()).get(RELAY_CHAINS[network])?.name;
    },
    async isDepositable(asset) {
      const currency = await currencyOf(asset);
      return (
        currency !== undefined &&
        ((await chains()).get(RELAY_CHAINS[asset.network])?.depositable.has(currency.toLowerCase()) ?? false)
      );
    },
  };
}

function chainOf(value: unknown): RelayChain[] {
  const chain = value as {
    id?: unknown;
    name?: unknown;
    depositEnabled?: unknown;
    disabled?: unknown;
    currency?: { address?: unknown };
    solverCurrencies?: unknown;
  } | null;
  if (!Number.isInteger(chain?.id)) return [];
  const solver = Array.isArray(chain?.solverCurrencies) ? chain.solverCurrencies : [];
  return [
    {
      id: chain?.id as number,
      name: typeof chain?.name === 'string' ? chain.name : undefined,
      enabled: chain?.depositEnabled === true && chain.disabled !== true,
      native: typeof chain?.currency?.address === 'string' ? chain.currency.address : undefined,
      depositable: new Set(
        solver.flatMap((currency: { address?: unknown } | null) =>
          typeof currency?.address === 'string' ? [currency.address.toLowerCase()] : [],
        ),
      ),
    },
  ];
}
