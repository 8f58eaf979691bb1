import { createHash } from 'node:crypto';
import { type FaultyRpc, type Means, resultOf, type RpcAnswer, type RpcCall, startFaultyRpc } from './faulty-rpc.ts';

/** A provider that continues the real chain with invented blocks, one of which holds a forged transfer. */
export interface InventingRpc extends FaultyRpc<'http_500'> {
  /** Starts to lie: invented blocks above the real head, with the payment in the middle of them. */
  invent(
    payment: { token: string; to: string; amountUnits: bigint },
    options?: { blocks?: number; secondsPerBlock?: number },
  ): Promise<{ txHash: string }>;
}

type Raw = Record<string, unknown>;

const SENDER = `0x${'11'.repeat(20)}`;
const TRANSFER_TOPIC = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

/** Everything it answers is self-consistent: blocks link by hash, receipt, transaction, log and block agree. */
export async function startInventingRpc(upstream: string): Promise<InventingRpc> {
  let invented: Map<bigint, Raw> | undefined;
  let base = 0n;
  let head = 0n;
  let forged: { log: Raw; receipt: Raw; transaction: Raw } | undefined;

  const rpc = Object.assign(await startFaultyRpc<never>({ upstream, spoil }), {
    async invent(
      payment: { token: string; to: string; amountUnits: bigint },
      { blocks = 900, secondsPerBlock = 12 } = {},
    ) {
      const latest = (await request('eth_getBlockByNumber', ['latest', false])).result as Raw;
      base = BigInt(latest.number as string);
      head = base + BigInt(blocks);
      invented = new Map();
      let parentHash = latest.hash as string;
      for (let number = base + 1n; number <= head; number += 1n) {
        const hash = hashOf(`${upstream} ${number}`);
        const timestamp = hex(BigInt(latest.timestamp as string) + (number - base) * BigInt(secondsPerBlock));
        invented.set(number, {
          ...latest,
          number: hex(number),
          hash,
          parentHash,
          timestamp,
          transactions: [],
          withdrawals: [],
        });
        parentHash = hash;
      }
      const block = invented.get(base + BigInt(Math.floor(blocks / 2))) as Raw;
      const txHash = hashOf(`transfer of ${payment.amountUnits} to ${payment.to} in ${String(block.hash)}`);
      const place = {
        blockNumber: block.number,
        blockHash: block.hash,
        transactionHash: txHash,
        transactionIndex: '0x0',
      };
      const log: Raw = {
        ...place,
        address: payment.token,
        removed: false,
        logIndex: '0x0',
        topics: [TRANSFER_TOPIC, word(SENDER), word(payment.to)],
        data: `0x${payment.amountUnits.toString(16).padStart(64, '0')}`,
      };
      forged = {
        log,
        receipt: {
          ...place,
          status: '0x1',
          from: SENDER,
          to: payment.token,
          gasUsed: '0x5208',
          effectiveGasPrice: '0x1',
          logs: [log],
        },
        transaction: { ...place, hash: txHash, from: SENDER, to: payment.token, value: '0x0', input: '0x' },
      };
      block.transactions = [forged.transaction];
      return { txHash };
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
    if (!invented || !forged) return answer;
    const as = async (method: string, params: unknown[]) => ({ ...(await ask(method, params)), id: call.id });
    switch (call.method) {
      case 'eth_blockNumber':
        return resultOf(call, hex(head));
      case 'eth_getBlockByNumber': {
        const [tag, whole] = call.params as [string, boolean];
        const number = tag.startsWith('0x') ? BigInt(tag) : head;
        if (number <= base) return answer;
        const block = invented.get(number);
        return resultOf(
          call,
          block
            ? {
                ...block,
                transactions: whole
                  ? block.transactions
                  : (block.transactions as Raw[]).map((transaction) => transaction.hash),
              }
            : null,
        );
      }
      case 'eth_getLogs': {
        const filter = call.params[0] as { fromBlock: string; toBlock: string };
        const [from, to] = [BigInt(filter.fromBlock), BigInt(filter.toBlock)];
        const real =
          from > base
            ? []
            : ((await ask('eth_getLogs', [{ ...filter, toBlock: hex(to < base ? to : base) }])).result as Raw[]);
        const at = BigInt(forged.log.blockNumber as string);
        return resultOf(call, from <= at && at <= to ? [...real, forged.log] : real);
      }
      case 'eth_getTransactionReceipt':
        return isForged(call) ? resultOf(call, forged.receipt) : answer;
      case 'eth_getTransactionByHash':
        return isForged(call) ? resultOf(call, forged.transaction) : answer;
      case 'eth_getBalance':
        // No native money moves in an invented block.
        return answer.result === undefined ? as('eth_getBalance', [call.params[0], hex(base)]) : answer;
      default:
        return answer;
    }
  }

  function isForged(call: RpcCall): boolean {
    return call.params[0] === forged?.transaction.hash;
  }

  return rpc;
}

function hashOf(text: string): string {
  return `0x${createHash('sha256').update(text).digest('hex')}`;
}

function hex(number: bigint): string {
  return `0x${number.toString(16)}`;
}

function word(address: string): string {
  return `0x${address.slice(2).toLowerCase().padStart(64, '0')}`;
}
