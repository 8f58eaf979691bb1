import { createHash } from 'node:crypto';
import { base58 } from '@scure/base';
import {
  errorOf,
  type FaultyRpc,
  type Means,
  resultOf,
  type RpcAnswer,
  type RpcCall,
  startFaultyRpc,
} from '../faulty-rpc.ts';

/** A provider that continues the real ledger with invented slots, one of which holds a forged transfer. */
export interface InventingSolanaRpc extends FaultyRpc<'http_500'> {
  /** Starts to lie: invented slots above the real head, all finalized, with the payment in the middle of them. */
  invent(
    payment: { to: string; amount: bigint },
    options?: { slots?: number; secondsPerSlot?: number },
  ): Promise<{ txHash: string }>;
}

const SYSTEM_PROGRAM = '11111111111111111111111111111111';

/**
 * Everything it answers is self-consistent: blocks link by hash, and the transaction is in its block and in the
 * history.
 */
export async function startInventingSolanaRpc(upstream: string): Promise<InventingSolanaRpc> {
  let base = -1;
  let head = 0;
  const blocks = new Map<number, any>();
  let forged: { slot: number; to: string; entry: any; transaction: any } | undefined;

  const rpc = Object.assign(await startFaultyRpc<never>({ upstream, spoil }), {
    async invent({ to, amount }: { to: string; amount: bigint }, { slots = 900, secondsPerSlot = 0.4 } = {}) {
      forged = undefined;
      blocks.clear();
      base = (await request('getSlot', [{ commitment: 'confirmed' }])).result as number;
      head = base + slots;
      const real = (
        await request('getBlock', [base, { commitment: 'confirmed', transactionDetails: 'none', rewards: false }])
      ).result;
      for (let slot = base + 1, previous = real.blockhash; slot <= head; slot += 1) {
        const blockhash = idOf(`${upstream} ${slot}`, 32);
        blocks.set(slot, {
          ...real,
          blockhash,
          previousBlockhash: previous,
          parentSlot: slot - 1,
          blockTime: real.blockTime + Math.floor((slot - base) * secondsPerSlot),
          blockHeight: (real.blockHeight ?? base) + slot - base,
        });
        previous = blockhash;
      }
      const slot = base + Math.floor(slots / 2);
      const block = blocks.get(slot);
      const signature = idOf(`transfer of ${amount} to ${to} in ${slot}`, 64);
      const data = Buffer.alloc(12);
      data.writeUInt32LE(2, 0);
      data.writeBigUInt64LE(amount, 4);
      const units = Number(amount);
      forged = {
        slot,
        to,
        entry: { signature, slot, err: null, memo: null, blockTime: block.blockTime, confirmationStatus: 'finalized' },
        transaction: {
          slot,
          blockTime: block.blockTime,
          version: 0,
          meta: {
            err: null,
            fee: 5_000,
            preBalances: [10 * units, 0, 1],
            postBalances: [9 * units - 5_000, units, 1],
            preTokenBalances: [],
            postTokenBalances: [],
            innerInstructions: [],
            loadedAddresses: { writable: [], readonly: [] },
          },
          transaction: {
            signatures: [signature],
            message: {
              header: { numRequiredSignatures: 1, numReadonlySignedAccounts: 0, numReadonlyUnsignedAccounts: 1 },
              accountKeys: [base58.encode(new Uint8Array(32).fill(3)), to, SYSTEM_PROGRAM],
              recentBlockhash: block.previousBlockhash,
              instructions: [{ programIdIndex: 2, accounts: [0, 1], data: base58.encode(data), stackHeight: 1 }],
              addressTableLookups: [],
            },
          },
        },
      };
      return { txHash: signature };
    },
  });

  async function request(method: string, params: unknown[]): Promise<RpcAnswer> {
    const response = await fetch(upstream, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    return (await response.json()) as RpcAnswer;
  }

  async function spoil(call: RpcCall, answer: RpcAnswer, { ask }: Means<never>): Promise<RpcAnswer> {
    if (!forged) return answer;
    const between = (first: number, last: number) => [...blocks.keys()].filter((slot) => slot >= first && slot <= last);
    const realWith = async (options: Record<string, unknown>) => {
      const { minContextSlot, ...rest } = options;
      return (
        await ask(call.method, [
          call.params[0],
          minContextSlot === undefined ? rest : { ...rest, minContextSlot: Math.min(Number(minContextSlot), base) },
        ])
      ).result;
    };
    switch (call.method) {
      case 'getSlot':
        return resultOf(call, head);
      case 'getBlocks': {
        const [first, last] = call.params as [number, number];
        const real =
          first > base
            ? []
            : ((await ask('getBlocks', [first, Math.min(last, base), { commitment: 'confirmed' }])).result as number[]);
        return resultOf(call, [...real, ...between(first, last)]);
      }
      case 'getBlocksWithLimit': {
        const [first, limit] = call.params as [number, number];
        const real =
          first > base
            ? []
            : (
                ((await ask('getBlocksWithLimit', [first, limit, { commitment: 'confirmed' }])).result ??
                  []) as number[]
              ).filter((slot) => slot <= base);
        return resultOf(call, [...real, ...between(first, head)].slice(0, limit));
      }
      case 'getBlock': {
        const [slot, options] = call.params as [number, { transactionDetails: string }];
        if (slot <= base)
          return answer.error
            ? { ...(await ask('getBlock', [slot, { ...options, commitment: 'confirmed' }])), id: call.id }
            : answer;
        const block = blocks.get(slot);
        if (!block) return errorOf(call, -32004, `Block not available for slot ${slot}`);
        return resultOf(
          call,
          options.transactionDetails === 'signatures'
            ? { ...block, signatures: slot === forged.slot ? [forged.entry.signature] : [] }
            : block,
        );
      }
      case 'getTransaction':
        return call.params[0] === forged.entry.signature ? resultOf(call, forged.transaction) : answer;
      case 'getSignaturesForAddress': {
        const options = call.params[1] as Record<string, unknown>;
        const real = (await realWith(options)) as unknown[];
        return resultOf(
          call,
          call.params[0] === forged.to && options.before === undefined ? [forged.entry, ...real] : real,
        );
      }
      case 'getMultipleAccounts':
        return resultOf(call, await realWith(call.params[1] as Record<string, unknown>));
      default:
        return answer;
    }
  }

  return rpc;
}

function idOf(text: string, bytes: number): string {
  const hash = createHash('sha512').update(text).digest();
  return base58.encode(Uint8Array.from(hash.subarray(0, bytes)));
}
