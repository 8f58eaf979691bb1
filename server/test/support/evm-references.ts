import { pino } from 'pino';
import type { Hex } from 'viem';
import type { BlockRef, Chain, Transfer } from '../../src/outside/chains/chain.ts';
import { createEvmChain } from '../../src/outside/chains/evm/chain.ts';
import { buildTag } from '../../src/outside/chains/evm/tag.ts';
import { type BatchCall, calldata, type TestChain } from './anvil.ts';

export const SHOP = '0x00000000000000000000000000000000000A11cE';
export const WATCHING = { addresses: new Set([SHOP]) };
export const REFERENCE = Buffer.alloc(16, 0xa7);
export const OTHER_REFERENCE = Buffer.alloc(16, 0xb8);
export const TAG = buildTag(REFERENCE);

/** What `references` says of a transfer whose reference counts, and of one whose reference does not. */
export const PROVEN = { carried: [hex(REFERENCE)], unproven: [] };
export const UNPROVEN = { carried: [], unproven: [hex(REFERENCE)] };

export function references(transfers: Transfer[]) {
  return transfers.map(({ carried, unproven = [] }) => ({ carried: carried.map(hex), unproven: unproven.map(hex) }));
}

export function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}

/** The call of a contract wallet that makes these calls. */
export function execute(calls: readonly BatchCall[]): Hex {
  return calldata('Batcher', 'execute', [
    calls.map(({ target, value = 0n, data = '0x' }) => ({ target, value, data })),
  ]);
}

export function openChain(
  anvil: TestChain,
  { rpcUrls, usdc, network = 'base' }: { rpcUrls: string[]; usdc: string; network?: 'base' | 'ethereum' },
): Chain {
  return createEvmChain(
    {
      network,
      rpcUrls,
      chainId: anvil.chainId,
      tokens: { USDC: usdc },
      tuning: { pauseMs: { first: 1, longest: 5 } },
    },
    pino({ level: 'silent' }),
  );
}

/** The transfers to the shop after a block. */
export async function readAfter(chain: Chain, start: BlockRef): Promise<Transfer[]> {
  const head = await chain.head('first');
  const transfers: Transfer[] = [];
  for (let after = start; after.number < head.number; ) {
    const reading = await chain.read({ after, until: head, watching: WATCHING, pass: 'first' });
    transfers.push(...reading.transfers);
    after = reading.covered;
  }
  return transfers;
}
