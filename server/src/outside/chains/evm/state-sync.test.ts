import { concatHex, type Hex, keccak256, stringToHex } from 'viem';
import { expect, test } from 'vitest';
import type { Transfer } from '../chain.ts';
import type { Call, Provider } from '../rpc/provider.ts';
import { reportOn } from './check.ts';
import { evmWith } from '../../../../test/support/evm-read.ts';
import type { EvmContext } from './native.ts';
import { TRANSFER_TOPIC } from './logs.ts';
import { ShownBlocks } from './shown-blocks.ts';

const hashOf = (number: number) => `0x${number.toString(16).padStart(64, '0')}`;
const [TOKEN, SHOP, SENDER] = ['aa', '11', '22'].map((byte) => `0x${byte.repeat(20)}`) as [string, string, string];
const MESSAGE = keccak256(concatHex([stringToHex('matic-bor-receipt-'), '0x0000000000000008', hashOf(8) as Hex]));

test('a transfer made by a message from Ethereum stands even if the node does not return its transaction', async () => {
  const evm = evmWith({ network: 'polygon', chainId: 137, tokens: new Map([[TOKEN, 'USDC']]), native: null });
  const transfer: Transfer = {
    network: 'polygon',
    txHash: MESSAGE,
    index: 0,
    asset: 'USDC',
    from: SENDER,
    to: SHOP,
    amountUnits: 5n,
    block: { number: 8n, hash: hashOf(8), time: new Date(8_000) },
    carried: [],
  };
  expect(
    await reportOn({ evm, shown: new ShownBlocks() } as unknown as EvmContext, node, {
      transfer,
      watching: { addresses: new Set([SHOP]) },
      tags: true,
    }),
  ).toMatchObject({
    type: 'stands',
    transfer: { txHash: MESSAGE },
  });
});

const topic = (address: string) => `0x${address.slice(2).padStart(64, '0')}`;
const log = {
  address: TOKEN,
  topics: [TRANSFER_TOPIC, topic(SENDER), topic(SHOP)],
  data: hashOf(5),
  blockNumber: '0x8',
  blockHash: hashOf(8),
  transactionHash: MESSAGE,
  logIndex: '0x0',
};

function answer({ method, params }: Call<unknown>): unknown {
  if (method === 'eth_getTransactionByHash') return null;
  if (method === 'eth_getTransactionReceipt')
    return {
      transactionHash: MESSAGE,
      blockNumber: '0x8',
      blockHash: hashOf(8),
      status: '0x1',
      gasUsed: '0x0',
      logs: [log],
    };
  const number = params[0] === '0x8' ? 8 : 9;
  return { number: `0x${number}`, hash: hashOf(number), parentHash: hashOf(number - 1), timestamp: `0x${number}` };
}

const node = {
  name: 'node',
  call: async (call: Call<unknown>) => call.parse(answer(call)),
  batch: async (calls: Call<unknown>[]) => calls.map((call) => call.parse(answer(call))),
  attempt: async (calls: Call<unknown>[]) => calls.map((call) => ({ value: call.parse(answer(call)) })),
} as unknown as Provider;
