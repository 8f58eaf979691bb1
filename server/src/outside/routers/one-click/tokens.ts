import type { Asset, Network } from '@quittance/contract';
import { cached } from '../../../platform/cached.ts';
import { PermanentError } from '../../../platform/errors.ts';
import { getJson } from '../../http/json.ts';
import { TOKEN_CONTRACTS } from '../addresses.ts';
import type { Token } from './shapes.ts';

/** The provider's names of the networks that it lists. */
const BLOCKCHAINS: Partial<Record<Network, string>> = {
  ethereum: 'eth',
  base: 'base',
  polygon: 'pol',
  arbitrum: 'arb',
  solana: 'sol',
  bitcoin: 'btc',
  bnb: 'bsc',
  avalanche: 'avax',
  tron: 'tron',
};

const LIST_TTL_MS = 10 * 60_000;

export interface TokenDirectory {
  /** The provider's id of an asset; undefined if it has none. */
  idOf(asset: Asset): Promise<string | undefined>;
}

/** The provider's tokens, loaded on first use and again every ten minutes. During an outage the last list is used. */
export function tokenDirectory(
  url: string,
  headers: Record<string, string>,
  timeoutMs: number,
  now: () => Date,
): TokenDirectory {
  const known = cached<Token[]>({
    ttlMs: LIST_TTL_MS,
    isServedOnError: true,
    max: 1,
    nowMs: () => now().getTime(),
  });

  async function readTokens(): Promise<Token[]> {
    const body = await getJson(`${url}/v0/tokens`, { headers, timeoutMs });
    if (!Array.isArray(body)) throw new PermanentError('1Click returned no list of tokens');
    return body.flatMap(tokenOf);
  }

  return {
    async idOf(asset) {
      const tokens = await known.get('', readTokens);
      return tokens.find((token) => isToken(token, asset))?.assetId;
    },
  };
}

function isToken(token: Token, asset: Asset): boolean {
  if (
    token.blockchain !== BLOCKCHAINS[asset.network] ||
    token.decimals !== asset.decimals ||
    ![asset.asset, asset.ownSymbol.toUpperCase()].includes(token.symbol.toUpperCase())
  )
    return false;
  const contract = TOKEN_CONTRACTS[asset.key];
  if (contract === undefined) return !token.contractAddress;
  const isCaseless = contract.startsWith('0x');
  return isCaseless ? token.contractAddress?.toLowerCase() === contract : token.contractAddress === contract;
}

function tokenOf(value: unknown): Token[] {
  const token = value as Partial<Token> | null;
  if (
    typeof token?.assetId !== 'string' ||
    typeof token.symbol !== 'string' ||
    typeof token.blockchain !== 'string' ||
    !Number.isInteger(token.decimals)
  )
    return [];
  return [
    {
      assetId: token.assetId,
      symbol: token.symbol,
      blockchain: token.blockchain,
      decimals: token.decimals as number,
      contractAddress: typeof token.contractAddress === 'string' ? token.contractAddress : null,
    },
  ];
}
