import type { Asset, Network } from '@quittance/contract';
import { PermanentFailure } from '../../../platform/errors.ts';
import { getJson } from '../../http/json.ts';
import type { Token } from './shapes.ts';

// The provider's names of our networks.
const BLOCKCHAINS: Record<Network, string> = {
  ethereum: 'eth', base: 'base', polygon: 'pol', arbitrum: 'arb', solana: 'sol', bitcoin: 'btc', bnb: 'bsc', avalanche: 'avax', tron: 'tron',
};

// Several tokens may carry one symbol on one network; only the one at the issuer's contract is ours.
const CONTRACTS: Record<string, string> = {
  USDC_ETHEREUM: '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48',
  USDT_ETHEREUM: '0xdac17f958d2ee523a2206206994597c13d831ec7',
  USDC_BASE: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
  USDC_POLYGON: '0x3c499c542cef5e3811e1192ce70d8cc03d5c3359',
  USDC_ARBITRUM: '0xaf88d065e77c8cc2239327c5edb3a432268e5831',
  USDC_SOLANA: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
  USDT_SOLANA: 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB',
  USDT_TRON: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
};

const FRESH_MS = 10 * 60_000;

export interface TokenDirectory {
  /** The provider's id of an asset; undefined where it has none. */
  idOf(asset: Asset): Promise<string | undefined>;
}

/** The provider's tokens, read when first needed and again every ten minutes; the last list serves through an outage. */
export function tokenDirectory(url: string, headers: Record<string, string>, timeoutMs: number, now: () => Date): TokenDirectory {
  let read: { at: Date; tokens: Token[] } | undefined;
  let reading: Promise<Token[]> | undefined;

  async function readTokens(): Promise<Token[]> {
    const body = await getJson(`${url}/v0/tokens`, { headers, timeoutMs });
    if (!Array.isArray(body)) throw new PermanentFailure('1Click answered no list of tokens');
    const tokens = body.flatMap(tokenOf);
    read = { at: now(), tokens };
    return tokens;
  }

  return {
    async idOf(asset) {
      const isFresh = read !== undefined && now().getTime() - read.at.getTime() < FRESH_MS;
      if (!isFresh) reading ??= readTokens().finally(() => { reading = undefined; });
      const tokens = isFresh && read ? read.tokens : await (reading as Promise<Token[]>).catch((error: unknown) => {
        if (read) return read.tokens;
        throw error;
      });
      return tokens.find((token) => isToken(token, asset))?.assetId;
    },
  };
}

function isToken(token: Token, asset: Asset): boolean {
  if (token.blockchain !== BLOCKCHAINS[asset.network] || token.decimals !== asset.decimals || token.symbol.toUpperCase() !== asset.asset) return false;
  const contract = CONTRACTS[asset.key];
  if (contract === undefined) return !token.contractAddress;
  const isCaseless = contract.startsWith('0x');
  return isCaseless ? token.contractAddress?.toLowerCase() === contract : token.contractAddress === contract;
}

function tokenOf(value: unknown): Token[] {
  const token = value as Partial<Token> | null;
  if (typeof token?.assetId !== 'string' || typeof token.symbol !== 'string' || typeof token.blockchain !== 'string' || !Number.isInteger(token.decimals)) return [];
  return [{
    assetId: token.assetId, symbol: token.symbol, blockchain: token.blockchain, decimals: token.decimals as number,
    contractAddress: typeof token.contractAddress === 'string' ? token.contractAddress : null,
  }];
}
