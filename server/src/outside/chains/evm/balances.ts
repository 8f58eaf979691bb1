import { RpcError } from '../rpc/errors.ts';
import type { Call, Provider } from '../rpc/provider.ts';
import { MalformedAnswerError } from '../rpc/shapes.ts';
import { bytes, quantity } from './shapes.ts';

const MULTICALL3 = '0xcA11bde05977b3631167028862bE2a173976CA11';
const WALLETS_PER_CALL = 400;

/**
 * Native balances of wallets (lowercase) right after a block. Throws `RpcError` if the provider has pruned that state.
 */
export async function balancesAt(
  provider: Provider,
  wallets: readonly string[],
  blockHash: string,
): Promise<Map<string, bigint>> {
  const chunks = Array.from({ length: Math.ceil(wallets.length / WALLETS_PER_CALL) }, (_, at) =>
    wallets.slice(at * WALLETS_PER_CALL, (at + 1) * WALLETS_PER_CALL),
  );
  // The block is identified by its hash, so that no answer can come from another fork.
  const together =
    wallets.length > 3
      ? await provider.attempt(
          chunks.map(
            (chunk): Call<bigint[] | null> => ({
              method: 'eth_call',
              params: [{ to: MULTICALL3, data: encodeBalanceCalls(chunk) }, { blockHash }],
              parse: (value) => decodeBalances(bytes(value, 'balances'), chunk.length),
            }),
          ),
        )
      : [];
  const state = together.find((entry) => 'error' in entry);
  if (state && 'error' in state) throw state.error;
  const read = together.map((entry) => ('value' in entry ? entry.value : null));
  if (read.length > 0 && read.every((chunk) => chunk !== null))
    return new Map(
      chunks.flatMap((chunk, at) =>
        chunk.map((wallet, position) => [wallet, (read[at] as bigint[])[position] as bigint] as const),
      ),
    );

  const single = await provider.batch(
    wallets.map(
      (wallet): Call<bigint> => ({ method: 'eth_getBalance', params: [wallet, { blockHash }], parse: toBalance }),
    ),
  );
  return new Map(wallets.map((wallet, at) => [wallet, single[at] as bigint]));
}

/** Erigon returns null for an unknown block, where other nodes return an error. */
export function toBalance(value: unknown): bigint {
  if (value === null) throw new RpcError('eth_getBalance', 0, 'block not found');
  return quantity(value, 'balance');
}

// Encoded and decoded by hand: each block needs the balances of thousands of wallets, and every call looks the same.
const AGGREGATE3 = '82ad56cb';
const GET_ETH_BALANCE = '4d2301cc';
const CALL_WORDS = 6;

/** `aggregate3` with one `getEthBalance` per wallet. */
export function encodeBalanceCalls(wallets: readonly string[]): string {
  const offsets = wallets.map((_, at) => word(wallets.length * 32 + at * CALL_WORDS * 32));
  const head = `${MULTICALL3.slice(2).toLowerCase().padStart(64, '0')}${word(0)}${word(96)}${word(36)}${GET_ETH_BALANCE}`;
  const calls = wallets.map((wallet) => `${head}${wallet.slice(2).padStart(64, '0')}${'0'.repeat(56)}`);
  return `0x${AGGREGATE3}${word(32)}${word(wallets.length)}${offsets.join('')}${calls.join('')}`;
}

/**
 * The balances of the result, in order. Null if the chain does not have the contract (yet): then each wallet is
 * requested.
 */
export function decodeBalances(data: string, wallets: number): bigint[] | null {
  if (data === '0x') return null;
  const words = (data.length - 2) / 64;
  const at = (index: number): bigint => {
    if (!Number.isSafeInteger(index) || index < 0 || index >= words)
      throw new MalformedAnswerError('balances: the response is cut short');
    return BigInt(`0x${data.slice(2 + index * 64, 2 + (index + 1) * 64)}`);
  };
  if (at(0) !== 32n || at(1) !== BigInt(wallets))
    throw new MalformedAnswerError(`balances: not a response for ${wallets} wallets`);
  return Array.from({ length: wallets }, (_, wallet) => {
    const result = 2 + Number(at(2 + wallet)) / 32;
    if (at(result) !== 1n || at(result + 1) !== 64n || at(result + 2) !== 32n)
      throw new MalformedAnswerError('balances: a call in the batch did not succeed');
    return at(result + 3);
  });
}

function word(number: number): string {
  return number.toString(16).padStart(64, '0');
}
