import { type Asset, PAY_ASSETS } from '@quittance/contract';
import { invariant } from '../../platform/errors.ts';
import { type EvmNetwork, tokenAddress } from '../chains/evm/tokens.ts';
import { mintOf } from '../chains/solana/solana.ts';

const USDT_ON_TRON = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';

/**
 * The issuers' own contracts and mints, by the key of the asset; lower case on EVM networks. A network may have several
 * tokens with the same symbol; only these are offered.
 */
export const TOKEN_CONTRACTS: Readonly<Record<string, string>> = Object.fromEntries(
  PAY_ASSETS.filter(({ asset }) => asset === 'USDC' || asset === 'USDT').map((asset) => [asset.key, contractOf(asset)]),
);

function contractOf({ asset, network }: Asset): string {
  if (network === 'tron') return USDT_ON_TRON;
  if (network === 'solana') return mintOf(asset);
  const contract = tokenAddress(network as EvmNetwork, asset);
  invariant(contract, 'every token of the Safe List has a contract');
  return contract.toLowerCase();
}
