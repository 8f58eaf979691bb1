import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a call costs by Alchemy's list, and by assumption where that has none. Those that are not named cost 20. */
const UNITS: Record<string, number> = {
  eth_chainId: 0,
  eth_blockNumber: 10,
  eth_call: 26,
  eth_getLogs: 60,
  debug_traceBlockByHash: 309,
  getSlot: 10,
  getBlocks: 10,
  getGenesisHash: 10,
  getAccountInfo: 10,
  getSignaturesForAddress: 40,
  getTransaction: 40,
  getBlock: 40,
};
const OTHER_UNITS = 20;
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const PAYER = `0x${'5a'.repeat(20)}`;

/** A node of a chain of blocks that come by the clock, empty but for the payments. */
export interface PacedNode extends AsyncDisposable {
  url: string;
  /** A transfer in the next block: of this token, or of the native coin. */
  pay(to: string, amount: bigint, token: string | null): void;
}

export interface PacedChain {
  chainId: number;
  blockSeconds: number;
  /** The first block's time, in Unix seconds. */
  startedAt: number;
}

interface Payment {
  block: number;
  hash: string;
  to: string;
  amount: bigint;
  token: string | null;
}

interface Call {
  id: number;
  method: string;
  params: unknown[];
}

export async function startPacedNode(chain: PacedChain): Promise<PacedNode> {
  const node = new Node(chain);
  const answer = ({ id, method, params }: Call) => ({ jsonrpc: '2.0', id, result: node.answer(method, params) });
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const asked = JSON.parse(Buffer.concat(chunks).toString()) as Call | Call[];
      const answers = Array.isArray(asked) ? asked.map(answer) : answer(asked);
      response.setHeader('content-type', 'application/json').end(JSON.stringify(answers));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    pay: (to, amount, token) => node.pay(to.toLowerCase(), amount, token?.toLowerCase() ?? null),
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export function unitsOf(calls: ReadonlyMap<string, number>): number {
  return [...calls].reduce((sum, [method, times]) => sum + times * (UNITS[method] ?? OTHER_UNITS), 0);
}

class Node {
  readonly #chain: PacedChain;
  readonly #payments: Payment[] = [];

  constructor(chain: PacedChain) {
    this.#chain = chain;
  }

  pay(to: string, amount: bigint, token: string | null): void {
    const hash = `0x${'ee'.repeat(16)}${hex(this.#payments.length + 1)
      .slice(2)
      .padStart(32, '0')}`;
    this.#payments.push({ block: this.#newest() + 1, hash, to, amount, token });
  }

  answer(method: string, params: readonly unknown[]): unknown {
    const newest = this.#newest();
    const known = this.#payments.filter(({ block }) => block <= newest);
    const named = known.find(({ hash }) => hash === params[0]);
    switch (method) {
      case 'eth_chainId':
        return hex(this.#chain.chainId);
      case 'eth_blockNumber':
        return hex(newest);
      case 'eth_getBlockByNumber':
        return this.#block(params[0] as string, params[1] === true);
      case 'eth_getLogs': {
        const { fromBlock, toBlock } = params[0] as { fromBlock: string; toBlock: string };
        return known
          .filter(({ block }) => block >= Number(fromBlock) && block <= Number(toBlock))
          .flatMap((payment) => logsOf(payment));
      }
      case 'eth_getTransactionReceipt':
        return named ? receiptOf(named) : null;
      case 'eth_getTransactionByHash':
        return named ? transactionOf(named) : null;
      case 'eth_getCode':
        return '0x';
      case 'eth_getBalance':
        return hex(this.#balance(params[0] as string, params[1] as { blockHash: string }));
      case 'eth_call':
        return this.#balances((params[0] as { data: string }).data, params[1] as { blockHash: string });
      default:
        return null;
    }
  }

  #newest(): number {
    return Math.floor((Date.now() / 1000 - this.#chain.startedAt) / this.#chain.blockSeconds);
  }

  #block(tag: string, isFull: boolean): object | null {
    const newest = this.#newest();
    const behind: Record<string, number> = { latest: 0, safe: 30, finalized: 600 };
    const number = tag in behind ? Math.max(0, newest - (behind[tag] ?? 0)) : Number(tag);
    if (number > newest) return null;
    const inside = this.#payments.filter(({ block }) => block === number);
    return {
      number: hex(number),
      hash: hashOf(number),
      parentHash: hashOf(number - 1),
      timestamp: hex(Math.floor(this.#chain.startedAt + number * this.#chain.blockSeconds)),
      miner: PAYER,
      transactions: inside.map((payment) => (isFull ? transactionOf(payment) : payment.hash)),
    };
  }

  #balance(wallet: string, { blockHash }: { blockHash: string }): bigint {
    const upTo = Number(blockHash) - 1;
    return this.#payments
      .filter(({ block, to, token }) => block <= upTo && to === wallet && token === null)
      .reduce((sum, { amount }) => sum + amount, 0n);
  }

  /** The answer of the contract that returns many balances at once. */
  #balances(data: string, block: { blockHash: string }): string {
    const words = data.slice(10).match(/.{64}/g) as string[];
    const count = Number(`0x${words[1]}`);
    // Each call ends with a wallet, after the four bytes of its function.
    const wallets = Array.from({ length: count }, (_, at) => {
      const call = 10 + 64 * (2 + count + 6 * at + 4);
      return `0x${data.slice(call + 8 + 24, call + 8 + 64)}`;
    });
    const results = wallets.flatMap((wallet) => [1n, 64n, 32n, this.#balance(wallet, block)]);
    const offsets = wallets.map((_, at) => BigInt(32 * (count + 4 * at)));
    const answer = [32n, BigInt(count), ...offsets, ...results];
    return `0x${answer.map((one) => one.toString(16).padStart(64, '0')).join('')}`;
  }
}

function transactionOf({ block, hash, to, amount, token }: Payment): object {
  return {
    hash,
    blockNumber: hex(block),
    blockHash: hashOf(block),
    from: PAYER,
    to: token ?? to,
    value: token === null ? hex(amount) : '0x0',
    input: token === null ? '0x' : `0xa9059cbb${word(to)}${word(hex(amount))}`,
  };
}

function receiptOf(payment: Payment): object {
  return {
    transactionHash: payment.hash,
    blockNumber: hex(payment.block),
    blockHash: hashOf(payment.block),
    status: '0x1',
    gasUsed: '0x1',
    logs: logsOf(payment),
  };
}

function logsOf({ block, hash, to, amount, token }: Payment): object[] {
  if (token === null) return [];
  return [
    {
      address: token,
      topics: [TRANSFER, `0x${word(PAYER)}`, `0x${word(to)}`],
      data: `0x${word(hex(amount))}`,
      blockNumber: hex(block),
      blockHash: hashOf(block),
      transactionHash: hash,
      logIndex: '0x0',
    },
  ];
}

function word(text: string): string {
  return text.slice(2).padStart(64, '0');
}

function hashOf(number: number): string {
  return `0x${(number + 1).toString(16).padStart(64, '0')}`;
}

function hex(number: number | bigint): string {
  return `0x${number.toString(16)}`;
}
