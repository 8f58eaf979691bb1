import { base58 } from '@scure/base';
import {
  COMMON_FAULTS,
  errorOf,
  type FaultyRpc,
  type Means,
  resultOf,
  type RpcAnswer,
  type RpcCall,
  startFaultyRpc,
} from '../faulty-rpc.ts';
import { pick } from '../random.ts';

/** The faults of a Solana provider: common ones, those of honest nodes, and those of liars. */
export const SOLANA_FAULTS = [
  ...COMMON_FAULTS,
  'stale_node',
  'head_going_back',
  'index_behind',
  'null_transactions',
  'null_blocks',
  'ledger_gap',
  'forgotten_blocks',
  'unhealthy',
  'wrong_genesis',
  'missing_entries',
  'empty_history',
  'forged_transfer',
  'contradicting_blocks',
  'flipped_results',
  'other_transaction',
] as const;
export type SolanaFault = (typeof SOLANA_FAULTS)[number];

export interface SolanaRpcProxy extends FaultyRpc<SolanaFault> {
  /** The payment in lamports that `forged_transfer` invents. */
  forge: { to: string; amount: bigint };
  /** Changes the result of every call, see `lies/solana-answers.ts`. */
  lie: ((call: RpcCall, result: unknown) => unknown) | null;
}

const LAG_SLOTS = 20;
const SYSTEM_PROGRAM = '11111111111111111111111111111111';

export async function startSolanaRpcProxy(upstream: string, { seed }: { seed?: number } = {}): Promise<SolanaRpcProxy> {
  const forged = new Map<string, unknown>();
  const spoilAndLie = async (...[call, answer, means]: Parameters<typeof spoil>) => {
    const spoilt = await spoil(call, answer, means);
    return proxy.lie && spoilt.result ? { ...spoilt, result: proxy.lie(call, spoilt.result) } : spoilt;
  };
  const proxy = Object.assign(await startFaultyRpc<SolanaFault>({ upstream, seed, spoil: spoilAndLie }), {
    forge: { to: SYSTEM_PROGRAM, amount: 1n },
    lie: null as SolanaRpcProxy['lie'],
  });
  return proxy;

  async function spoil(call: RpcCall, answer: RpcAnswer, means: Means<SolanaFault>): Promise<RpcAnswer> {
    const { strikes, suffers, random, ask } = means;
    const result = (value: unknown) => resultOf(call, value);
    const error = (code: number, message: string) => errorOf(call, code, message);

    if (strikes('unknown_errors')) return error(-32603, 'internal error');
    if (strikes('unhealthy')) return error(-32005, 'Node is behind by 150 slots');
    if (strikes('wrong_shapes'))
      return result(
        pick(random, [{}, [], 'what', -5, { slot: '5', blockhash: '0x', transactions: null }, [{ signature: {} }]]),
      );
    if (call.method === 'getGenesisHash' && strikes('wrong_genesis'))
      return result(base58.encode(new Uint8Array(32).fill(5)));
    if (suffers('stale_node')) return strikes('stale_node') ? stale(call, answer, ask) : answer;
    if (call.method === 'getSlot' && strikes('head_going_back'))
      return result(Math.max(0, answer.result - 1 - Math.floor(random() * 15)));

    switch (call.method) {
      case 'getSignaturesForAddress': {
        if (!Array.isArray(answer.result)) return answer;
        if (strikes('missing_entries')) return result(answer.result.filter(() => random() < 0.5));
        if (strikes('empty_history')) return result([]);
        // A node's index may lag behind its blocks for a moment.
        if (strikes('index_behind'))
          return result(
            answer.result.filter((entry: { confirmationStatus: string }) => entry.confirmationStatus === 'finalized'),
          );
        if (
          call.params[0] === proxy.forge.to &&
          (call.params[1] as { before?: string }).before === undefined &&
          strikes('forged_transfer')
        )
          return result([await invent(random, ask), ...answer.result]);
        return answer;
      }
      case 'getTransaction': {
        const invention = forged.get(call.params[0] as string);
        return invention ? result(invention) : spoilTransaction(call, answer, means);
      }
      case 'getBlock':
        return answer.result ? spoilBlock(call, answer, means) : answer;
      case 'getBlocks':
        // Restarted from a snapshot, without the slots in between.
        return strikes('ledger_gap')
          ? result((answer.result as number[]).filter((_, place, all) => place < 2 || place > all.length - 3))
          : answer;
      default:
        return answer;
    }
  }

  /** A forged transfer that is so consistent that only another provider can contradict it. */
  async function invent(random: () => number, ask: Ask) {
    const slot = (await ask('getSlot', [{ commitment: 'finalized' }])).result as number;
    const block = (
      await ask('getBlock', [slot, { commitment: 'confirmed', transactionDetails: 'none', rewards: false }])
    ).result;
    const signature = base58.encode(Uint8Array.from({ length: 64 }, () => Math.floor(random() * 256)));
    const data = Buffer.alloc(12);
    data.writeUInt32LE(2, 0);
    data.writeBigUInt64LE(proxy.forge.amount, 4);
    const amount = Number(proxy.forge.amount);
    forged.set(signature, {
      slot,
      blockTime: block.blockTime,
      version: 0,
      meta: {
        err: null,
        fee: 5_000,
        preBalances: [10 * amount, 0, 1],
        postBalances: [9 * amount - 5_000, amount, 1],
        preTokenBalances: [],
        postTokenBalances: [],
        innerInstructions: [],
        loadedAddresses: { writable: [], readonly: [] },
      },
      transaction: {
        signatures: [signature],
        message: {
          header: { numRequiredSignatures: 1, numReadonlySignedAccounts: 0, numReadonlyUnsignedAccounts: 1 },
          accountKeys: [base58.encode(new Uint8Array(32).fill(3)), proxy.forge.to, SYSTEM_PROGRAM],
          recentBlockhash: block.blockhash,
          instructions: [{ programIdIndex: 2, accounts: [0, 1], data: base58.encode(data), stackHeight: 1 }],
          addressTableLookups: [],
        },
      },
    });
    return { signature, slot, err: null, memo: null, blockTime: block.blockTime, confirmationStatus: 'finalized' };
  }
}

/** The node as it was some slots ago. */
async function stale(call: RpcCall, answer: RpcAnswer, ask: Ask): Promise<RpcAnswer> {
  const newest = (await ask('getSlot', [{ commitment: 'confirmed' }])).result as number;
  const head = newest - LAG_SLOTS;
  const result = (value: unknown) => resultOf(call, value);
  switch (call.method) {
    case 'getSlot':
      return result(Math.max(0, answer.result - LAG_SLOTS));
    case 'getBlocks':
    case 'getBlocksWithLimit':
      return result((answer.result as number[]).filter((slot) => slot <= head));
    case 'getBlock':
      return (call.params[0] as number) > head
        ? errorOf(call, -32004, `Block not available for slot ${String(call.params[0])}`)
        : answer;
    case 'getTransaction':
      return answer.result && answer.result.slot > head ? result(null) : answer;
    case 'getSignaturesForAddress': {
      const { minContextSlot = 0 } = call.params[1] as { minContextSlot?: number };
      if (minContextSlot > head) return errorOf(call, -32016, 'Minimum context slot has not been reached');
      return result((answer.result as { slot: number }[]).filter((entry) => entry.slot <= head));
    }
    default:
      return answer;
  }
}

function spoilTransaction(call: RpcCall, answer: RpcAnswer, { strikes }: Means<SolanaFault>): RpcAnswer {
  const { result } = answer;
  if (!result) return answer;
  if (strikes('null_transactions')) return resultOf(call, null);
  if (strikes('flipped_results')) return resultOf(call, failed(result));
  if (strikes('other_transaction')) {
    const signatures = [base58.encode(new Uint8Array(64).fill(6))];
    return resultOf(call, { ...result, transaction: { ...result.transaction, signatures } });
  }
  return answer;
}

function spoilBlock(call: RpcCall, answer: RpcAnswer, { strikes }: Means<SolanaFault>): RpcAnswer {
  const block = answer.result;
  if (strikes('null_blocks')) return resultOf(call, null);
  if (strikes('forgotten_blocks'))
    return errorOf(
      call,
      -32001,
      `Block ${String(call.params[0])} cleaned up, does not exist on node. First available block: 99999999`,
    );
  const isFull = () => (call.params[1] as { transactionDetails?: string }).transactionDetails === 'full';
  if (Array.isArray(block.transactions) && isFull()) {
    if (strikes('null_transactions')) return resultOf(call, { ...block, transactions: [] });
    if (strikes('flipped_results')) return resultOf(call, { ...block, transactions: block.transactions.map(failed) });
  }
  if (strikes('contradicting_blocks'))
    return resultOf(call, { ...block, blockhash: base58.encode(new Uint8Array(32).fill(4)) });
  return answer;
}

function failed<T extends { meta: object }>(transaction: T): T {
  return { ...transaction, meta: { ...transaction.meta, err: { InstructionError: [0, { Custom: 1 }] } } };
}

type Ask = Means<SolanaFault>['ask'];
