import { pino } from 'pino';
import type { Chain, Head } from '../../src/outside/chains/chain.ts';
import { createEvmChain } from '../../src/outside/chains/evm/chain.ts';
import { ProviderError, RpcError } from '../../src/outside/chains/rpc/errors.ts';
import type { Call, Provider } from '../../src/outside/chains/rpc/provider.ts';
import { blocksOf, hashOf, hex, PAYER, receiptOf, SHOP, TOKEN, txHash } from './evm-answers.ts';

export const PAID_IN = 5;
export const INSIDE = 10n ** 15n;
const NEWEST = 9;

/** What one node says about a chain on which the contract `TOKEN` pays the shop in the transaction of block `PAID_IN`. */
export interface InsideNode {
  /** The shop's balance after a block; null if the node keeps no states. */
  balance: ((number: number) => bigint) | null;
  /** What the contract paid by the node's trace; undefined if it does not trace. */
  traces?: bigint;
  isDown?: boolean;
}

/** The balance that is true. */
export const real = (number: number): bigint => (number >= PAID_IN ? INSIDE : 0n);

export const at = (number: number) => ({ number: BigInt(number), hash: hashOf(number), time: new Date(number * 1000) });
export const until = (number: number): Head => ({ ...at(number), safe: null, finalized: null });

/** A network whose providers are these nodes, in their order. */
export function insideChain(nodes: Record<string, InsideNode>, maxFilteredWallets = 10): Chain {
  const open = (name: string) => providerOf(name, nodes[name] as InsideNode);
  const tuning = { maxFilteredWallets, open, pauseMs: { first: 0, longest: 0 } };
  return createEvmChain(
    { network: 'ethereum', rpcUrls: Object.keys(nodes), chainId: 1, tokens: {}, tuning },
    pino({ level: 'silent' }),
  );
}

const transactionsIn = (number: number) =>
  number === PAID_IN
    ? [
        {
          hash: txHash(number),
          blockNumber: hex(number),
          blockHash: hashOf(number),
          from: PAYER,
          to: TOKEN,
          value: '0x7',
          input: '0x',
        },
      ]
    : [];

function providerOf(name: string, node: InsideNode): Provider {
  const plain = blocksOf(transactionsIn, (hash) => ({ ...receiptOf(hash, PAID_IN), to: TOKEN }));
  const trace = () => ({
    type: 'CALL',
    from: PAYER,
    to: TOKEN,
    value: '0x7',
    calls: node.traces ? [{ type: 'CALL', from: TOKEN, to: SHOP, value: `0x${node.traces.toString(16)}` }] : [],
  });
  const call = async (asked: Call<unknown>): Promise<unknown> => {
    provider.requests += 1;
    if (node.isDown) throw new ProviderError(`${name} is down`);
    const [first, second] = asked.params as [string, { blockHash: string }];
    switch (asked.method) {
      case 'eth_getBalance':
        if (!node.balance) throw new RpcError(asked.method, -32_000, 'missing trie node');
        return asked.parse(`0x${node.balance(Number(second.blockHash)).toString(16)}`);
      case 'eth_getTransactionByHash':
        return asked.parse(transactionsIn(PAID_IN)[0]);
      case 'debug_traceTransaction':
      case 'debug_traceBlockByHash':
        if (node.traces === undefined) return plain.call(asked);
        if (asked.method === 'debug_traceTransaction') return asked.parse(trace());
        return asked.parse(transactionsIn(Number(first)).map(({ hash }) => ({ txHash: hash, result: trace() })));
      case 'eth_getBlockByNumber':
        return plain.call(Number.isNaN(Number(first)) ? { ...asked, params: [hex(NEWEST), second] } : asked);
      default:
        return plain.call(asked);
    }
  };
  const attempt = async (asked: Call<unknown>) => {
    try {
      return { value: await call(asked) };
    } catch (error) {
      if (error instanceof RpcError) return { error };
      throw error;
    }
  };
  const provider = {
    name,
    requests: 0,
    get proven() {
      return this;
    },
    call,
    batch: (calls: Call<unknown>[]) => Promise.all(calls.map(call)),
    attempt: (calls: Call<unknown>[]) => Promise.all(calls.map(attempt)),
    recheckChain: () => {},
    close: async () => {},
  };
  return provider as unknown as Provider;
}
