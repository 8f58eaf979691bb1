import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a call costs by Alchemy's list. Those that are not named cost 20. */
const UNITS: Record<string, number> = {
  eth_chainId: 0,
  eth_blockNumber: 10,
  eth_call: 26,
  eth_getLogs: 60,
  debug_traceBlockByHash: 309,
};
const OTHER_UNITS = 20;

/** A node of a chain of empty blocks that come by the clock, and the calls that it has answered. */
export interface PacedNode extends AsyncDisposable {
  url: string;
  calls: Map<string, number>;
}

export interface Chain {
  chainId: number;
  blockSeconds: number;
  /** The first block's time, in Unix seconds. */
  startedAt: number;
}

interface Call {
  id: number;
  method: string;
  params: unknown[];
}

export async function startPacedNode(chain: Chain, delayMs: number): Promise<PacedNode> {
  const calls = new Map<string, number>();
  const answer = ({ id, method, params }: Call) => {
    calls.set(method, (calls.get(method) ?? 0) + 1);
    return { jsonrpc: '2.0', id, result: resultOf(chain, method, params) };
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const asked = JSON.parse(Buffer.concat(chunks).toString()) as Call | Call[];
      const answers = Array.isArray(asked) ? asked.map(answer) : answer(asked);
      setTimeout(() => response.setHeader('content-type', 'application/json').end(JSON.stringify(answers)), delayMs);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
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

function resultOf(chain: Chain, method: string, params: unknown[]): unknown {
  const newest = Math.floor((Date.now() / 1000 - chain.startedAt) / chain.blockSeconds);
  switch (method) {
    case 'eth_chainId':
      return hex(chain.chainId);
    case 'eth_blockNumber':
      return hex(newest);
    case 'eth_getLogs':
      return [];
    case 'eth_getBlockByNumber':
      return blockOf(chain, params[0] as string, newest);
    default:
      return null;
  }
}

function blockOf(chain: Chain, tag: string, newest: number): object | null {
  const behind: Record<string, number> = { latest: 0, safe: 30, finalized: 600 };
  const number = tag in behind ? Math.max(0, newest - (behind[tag] ?? 0)) : Number(tag);
  if (number > newest) return null;
  return {
    number: hex(number),
    hash: hashOf(number),
    parentHash: hashOf(number - 1),
    timestamp: hex(Math.floor(chain.startedAt + number * chain.blockSeconds)),
    transactions: [],
  };
}

function hashOf(number: number): string {
  return `0x${(number + 1).toString(16).padStart(64, '0')}`;
}

function hex(number: number): string {
  return `0x${number.toString(16)}`;
}
