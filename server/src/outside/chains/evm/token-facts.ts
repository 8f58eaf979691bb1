import { decodeFunctionResult, encodeFunctionData, type Hex, parseAbi } from 'viem';
import type { TokenFacts } from '../chain.ts';
import type { Call } from '../rpc/provider.ts';
import type { Providers } from '../rpc/providers.ts';
import { isRevert } from './refusals.ts';
import { bytes } from './shapes.ts';

const ABI = parseAbi(['function decimals() view returns (uint8)', 'function symbol() view returns (string)']);
const MAX_SYMBOL_LENGTH = 32;

/** What the contract of a token says of itself. */
export function tokenFacts(providers: Providers, address: string): Promise<TokenFacts> {
  return providers.use(async (provider) => {
    const names = ['decimals', 'symbol'] as const;
    const answers = await provider.attempt(names.map((functionName) => askFor(address, functionName)));
    const [decimals, symbol] = answers.map((answer, at) => {
      if ('value' in answer) return decoded(names[at] ?? 'symbol', answer.value);
      // Tron's nodes say so of an address without a contract.
      if (isRevert(answer.error) || /not exist|not a contract|validate/i.test(answer.error.message)) return null;
      throw answer.error;
    });
    return {
      address,
      decimals: typeof decimals === 'number' ? decimals : null,
      symbol: typeof symbol === 'string' ? symbol.slice(0, MAX_SYMBOL_LENGTH) : null,
    };
  });
}

function askFor(to: string, functionName: 'decimals' | 'symbol'): Call<Hex> {
  return {
    method: 'eth_call',
    params: [{ to, data: encodeFunctionData({ abi: ABI, functionName }) }, 'latest'],
    parse: (value) => bytes(value, functionName) as Hex,
  };
}

/** Null if the answer is not one of this function, as where no contract is. */
function decoded(functionName: 'decimals' | 'symbol', data: Hex): number | string | null {
  try {
    return decodeFunctionResult({ abi: ABI, functionName, data });
  } catch {
    return null;
  }
}
