import { RpcError } from '../../src/outside/chains/rpc/errors.ts';
import type { Call, Provider } from '../../src/outside/chains/rpc/provider.ts';

export const TOKEN = `0x${'aa'.repeat(20)}`;
export const PAYER = `0x${'22'.repeat(20)}`;
export const SHOP = `0x${'11'.repeat(20)}`;
export const hashOf = (number: number) => `0x${number.toString(16).padStart(64, '0')}`;
export const txHash = (number: number) => `0xff${number.toString(16).padStart(62, '0')}`;
export const hex = (number: number) => `0x${number.toString(16)}`;

export const payment = (hash: string, number: number) => ({
  hash,
  blockNumber: hex(number),
  blockHash: hashOf(number),
  from: PAYER,
  to: SHOP,
  value: '0x5',
  input: '0x',
});
export const receiptOf = (hash: string, number: number) => ({
  transactionHash: hash,
  blockNumber: hex(number),
  blockHash: hashOf(number),
  status: '0x1',
  from: PAYER,
  to: SHOP,
  gasUsed: '0x1',
  logs: [],
});

/** A provider whose blocks have one payment each. */
export function onePaymentEach(): Provider {
  return blocksOf(
    (number) => [payment(txHash(number), number)],
    (hash) => receiptOf(hash, Number(BigInt(hash) & 0xffffn)),
  );
}

/** A provider whose blocks have these transactions. */
export function blocksOf(
  transactionsIn: (number: number) => unknown[],
  receiptFor: (hash: string) => unknown,
): Provider {
  const answer = ({ method, params }: Call<unknown>): unknown => {
    const [first, second] = params as [string, unknown];
    const number = Number(first);
    switch (method) {
      case 'eth_getBlockByNumber':
        return {
          number: first,
          hash: hashOf(number),
          parentHash: hashOf(number - 1),
          timestamp: first,
          ...(second === true ? { transactions: transactionsIn(number) } : {}),
        };
      case 'eth_getBlockReceipts':
        return transactionsIn(number).map((transaction) => receiptFor((transaction as { hash: string }).hash));
      case 'eth_getTransactionReceipt':
        return receiptFor(first);
      case 'eth_getLogs':
        return [];
      default:
        throw new RpcError(method, -32601, 'the method does not exist');
    }
  };
  return {
    name: 'node',
    call: async (call: Call<unknown>) => call.parse(answer(call)),
    batch: async (calls: Call<unknown>[]) => calls.map((call) => call.parse(answer(call))),
    attempt: async (calls: Call<unknown>[]) => calls.map((call) => ({ value: call.parse(answer(call)) })),
  } as unknown as Provider;
}
