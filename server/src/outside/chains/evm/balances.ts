import { decodeFunctionResult, encodeFunctionData, type Hex, parseAbi } from 'viem';
import type { Call, Provider } from './provider.ts';
import { bytes, Malformed, quantity } from './shapes.ts';

const MULTICALL3: Hex = '0xcA11bde05977b3631167028862bE2a173976CA11';
const ABI = parseAbi([
  'struct Call3 { address target; bool allowFailure; bytes callData; }',
  'struct Result { bool success; bytes returnData; }',
  'function aggregate3(Call3[] calls) payable returns (Result[] results)',
  'function getEthBalance(address account) view returns (uint256)',
]);
const WALLETS_PER_CALL = 400;

/** Native balances of wallets (lower case) right after a block. Throws `RpcError` where the provider has forgotten that state. */
export async function balancesAt(provider: Provider, wallets: readonly string[], blockHash: string): Promise<Map<string, bigint>> {
  const chunks = Array.from({ length: Math.ceil(wallets.length / WALLETS_PER_CALL) }, (_, at) => wallets.slice(at * WALLETS_PER_CALL, (at + 1) * WALLETS_PER_CALL));
  // The block is named by its hash, so that no answer can be of another branch.
  const together = wallets.length > 3
    ? await provider.attempt(chunks.map((chunk): Call<bigint[] | null> => ({
      method: 'eth_call', params: [{ to: MULTICALL3, data: question(chunk) }, { blockHash }], parse: (value) => answer(bytes(value, 'balances'), chunk.length),
    })))
    : [];
  const state = together.find((entry) => 'error' in entry);
  if (state && 'error' in state) throw state.error;
  const read = together.map((entry) => ('value' in entry ? entry.value : null));
  if (read.length > 0 && read.every((chunk) => chunk !== null)) return new Map(chunks.flatMap((chunk, at) => chunk.map((wallet, position) => [wallet, (read[at] as bigint[])[position] as bigint] as const)));

  const single = await provider.batch(wallets.map((wallet): Call<bigint> => ({ method: 'eth_getBalance', params: [wallet, { blockHash }], parse: (value) => quantity(value, 'balance') })));
  return new Map(wallets.map((wallet, at) => [wallet, single[at] as bigint]));
}

function question(wallets: readonly string[]): Hex {
  return encodeFunctionData({
    abi: ABI, functionName: 'aggregate3',
    args: [wallets.map((wallet) => ({ target: MULTICALL3, allowFailure: false, callData: encodeFunctionData({ abi: ABI, functionName: 'getEthBalance', args: [wallet as Hex] }) }))],
  });
}

/** Null where the chain has no such contract (yet): then each wallet is asked for. */
function answer(data: string, wallets: number): bigint[] | null {
  if (data === '0x') return null;
  try {
    const results = decodeFunctionResult({ abi: ABI, functionName: 'aggregate3', data: data as Hex });
    if (results.length !== wallets) throw new Malformed(`${results.length} balances for ${wallets} wallets`);
    return results.map((result) => quantity(result.returnData, 'balance'));
  } catch (error) {
    throw error instanceof Malformed ? error : new Malformed(`balances: ${(error as Error).message.slice(0, 100)}`);
  }
}

