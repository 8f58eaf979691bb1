import type { Asset, Network } from '@quittance/contract';
import { PermanentFailure } from '../../../platform/errors.ts';
import { getJson } from '../../http/json.ts';

export const RELAY_CHAINS: Record<Network, number> = {
  ethereum: 1, base: 8453, polygon: 137, arbitrum: 42161, bnb: 56, avalanche: 43114, solana: 792703809, bitcoin: 8253038, tron: 728126428,
};

const EVM_NATIVE = '0x0000000000000000000000000000000000000000';
const TOKENS: Record<string, string> = {
  USDC_ETHEREUM: '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48',
  USDT_ETHEREUM: '0xdac17f958d2ee523a2206206994597c13d831ec7',
  USDC_BASE: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
  USDC_POLYGON: '0x3c499c542cef5e3811e1192ce70d8cc03d5c3359',
  USDC_ARBITRUM: '0xaf88d065e77c8cc2239327c5edb3a432268e5831',
  USDC_SOLANA: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
  USDT_SOLANA: 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB',
  USDT_TRON: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
  BTC_BITCOIN: 'bc1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqmql8k8',
  SOL_SOLANA: '11111111111111111111111111111111',
};

const FRESH_MS = 10 * 60_000;

export interface Directory {
  /** How the provider calls an asset; undefined where it does not have its chain. */
  currencyOf(asset: Asset): Promise<string | undefined>;
  /** Whether it may be sent to a deposit address. */
  isDepositable(asset: Asset): Promise<boolean>;
}

interface RelayChain {
  id: number;
  enabled: boolean;
  native: string | undefined;
  depositable: ReadonlySet<string>;
}

/** The provider's chains, read when first needed and again every ten minutes; the last list serves through an outage. */
export function relayDirectory(url: string, headers: Record<string, string>, timeoutMs: number, now: () => Date): Directory {
  let read: { at: Date; chains: Map<number, RelayChain> } | undefined;

  async function chains(): Promise<Map<number, RelayChain>> {
    if (read && now().getTime() - read.at.getTime() < FRESH_MS) return read.chains;
    try {
      const body = (await getJson(`${url}/chains`, { headers, timeoutMs })) as { chains?: unknown };
      if (!Array.isArray(body?.chains)) throw new PermanentFailure('Relay answered no list of chains');
      read = { at: now(), chains: new Map(body.chains.flatMap(chainOf).map((chain) => [chain.id, chain])) };
    } catch (error) {
      if (!read) throw error;
    }
    return read.chains;
  }

  async function currencyOf(asset: Asset): Promise<string | undefined> {
    const chain = (await chains()).get(RELAY_CHAINS[asset.network]);
    if (!chain?.enabled) return undefined;
    const known = TOKENS[asset.key];
    if (known) return known;
    return asset.network === 'tron' ? chain.native : EVM_NATIVE;
  }

  return {
    currencyOf,
    async isDepositable(asset) {
      const currency = await currencyOf(asset);
      return currency !== undefined && ((await chains()).get(RELAY_CHAINS[asset.network])?.depositable.has(currency.toLowerCase()) ?? false);
    },
  };
}

function chainOf(value: unknown): RelayChain[] {
  const chain = value as { id?: unknown; depositEnabled?: unknown; disabled?: unknown; currency?: { address?: unknown }; solverCurrencies?: unknown } | null;
  if (!Number.isInteger(chain?.id)) return [];
  const solver = Array.isArray(chain?.solverCurrencies) ? chain.solverCurrencies : [];
  return [{
    id: chain?.id as number,
    enabled: chain?.depositEnabled === true && chain.disabled !== true,
    native: typeof chain?.currency?.address === 'string' ? chain.currency.address : undefined,
    depositable: new Set(solver.flatMap((currency: { address?: unknown } | null) => (typeof currency?.address === 'string' ? [currency.address.toLowerCase()] : []))),
  }];
}
