import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What can go wrong with a provider. Those of the transport, those of honest nodes, and those of liars. */
export const FAULTS = [
  'http_500', 'rate_limited', 'timeout', 'connection_reset', 'garbage_json', 'wrong_shapes', 'dripping_body', 'unknown_errors', 'batch_refused',
  'stale_head', 'head_going_back', 'missing_logs', 'empty_results', 'null_block', 'too_many_results', 'range_limit',
  'wrong_chain_id', 'forged_logs', 'forged_transfer', 'contradicting_blocks', 'flipped_receipts', 'forged_tags',
] as const;
export type Fault = (typeof FAULTS)[number];

/** A provider of ours that can be made to fail, between the service and a real node. */
export interface RpcProxy extends AsyncDisposable {
  url: string;
  /** Makes this share of what it concerns go wrong from now on; none with null. */
  suffer(fault: Fault | null, share?: number): void;
  /** Methods that this provider does not serve at all, by how they begin. */
  refused: string[];
  /** How many addresses it takes in one topic of a log filter. */
  recipientsMost: number;
  /** What `forged_logs` and `forged_transfer` invent. */
  forge: { token: string; to: string; amountUnits: bigint };
  /** Calls heard so far, by method. */
  heard: Map<string, number>;
  /** How often something went wrong on purpose. */
  injected: number;
  stop(): Promise<void>;
}

interface Call {
  id: number;
  method: string;
  params: unknown[];
}
type Answer = { jsonrpc: '2.0'; id: number; result?: unknown; error?: { code: number; message: string } };
type Raw = Record<string, unknown>;

const LAG_BLOCKS = 50n;
const RANGE_MOST = 10n;
const TRANSFER_TOPIC = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

/** Starts it on a free port. One seed is one course of faults, as far as the order of requests is. */
export async function startRpcProxy(upstream: string, options: { seed?: number } = {}): Promise<RpcProxy> {
  const random = randomFrom(options.seed ?? 1);
  let fault: Fault | null = null;
  let share = 1;
  const forged = new Map<string, { receipt: Raw; transaction: Raw }>();
  const silent = new Set<ServerResponse>();

  const proxy: RpcProxy = {
    url: '',
    refused: [],
    recipientsMost: 1000,
    forge: { token: `0x${'00'.repeat(20)}`, to: `0x${'00'.repeat(20)}`, amountUnits: 1n },
    heard: new Map(),
    injected: 0,
    suffer(next, nextShare = 1) {
      fault = next;
      share = nextShare;
      if (next !== 'timeout') for (const response of silent) response.destroy();
    },
    stop: () => new Promise((resolve) => {
      server.closeAllConnections();
      server.close(() => resolve());
    }),
    [Symbol.asyncDispose]: () => proxy.stop(),
  };

  const strikes = (...kinds: Fault[]) => fault !== null && kinds.includes(fault) && random() < share && ++proxy.injected > 0;

  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => response.writeHead(502).end(String(error)));
  });

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = JSON.parse((await request.toArray()).join('')) as Call | Call[];
    for (const call of [body].flat()) proxy.heard.set(call.method, (proxy.heard.get(call.method) ?? 0) + 1);

    if (strikes('http_500')) return void response.writeHead(500).end('<html>Internal Server Error</html>');
    if (strikes('rate_limited')) return void response.writeHead(429).end('{"error":"slow down"}');
    if (strikes('connection_reset')) return void response.destroy();
    if (strikes('garbage_json')) return void response.writeHead(200).end('{"jsonrpc":"2.0","id":1,"result":');
    if (strikes('timeout')) return void silent.add(response);
    if (strikes('batch_refused') && Array.isArray(body)) return send(response, { jsonrpc: '2.0', id: 0, error: { code: -32600, message: 'batch requests are not allowed' } });

    const calls = [body].flat();
    const answers = await ask(upstream, calls);
    const spoilt: Answer[] = [];
    for (const [at, call] of calls.entries()) spoilt.push(await spoil(call, answers[at] as Answer));
    if (strikes('dripping_body')) return drip(response, JSON.stringify(Array.isArray(body) ? spoilt : spoilt[0]), silent);
    send(response, Array.isArray(body) ? spoilt : spoilt[0]);
  }

  async function spoil(call: Call, answer: Answer): Promise<Answer> {
    const result = (value: unknown): Answer => ({ jsonrpc: '2.0', id: call.id, result: value });
    const error = (code: number, message: string): Answer => ({ jsonrpc: '2.0', id: call.id, error: { code, message } });

    if (proxy.refused.some((start) => call.method.startsWith(start))) return error(-32601, `the method ${call.method} does not exist/is not available`);
    if (strikes('unknown_errors')) return error(-32603, 'internal error');
    if (strikes('wrong_shapes')) return result(pick(random, [{}, [], 'what', 5, { number: 5, hash: '0x', logs: null }, [{ topics: {} }]]));
    if (call.method === 'eth_chainId' && strikes('wrong_chain_id')) return result('0x539');
    if (fault === 'stale_head') return stale(call, answer, LAG_BLOCKS);
    if (fault === 'head_going_back' && call.params[0] === 'latest' && strikes('head_going_back')) {
      return { ...(await ask1(upstream, 'eth_getBlockByNumber', [hex(max0((await headNumber()) - BigInt(1 + Math.floor(random() * 20)))), call.params[1]])), id: call.id };
    }

    switch (call.method) {
      case 'eth_getLogs': {
        const range = call.params[0] as { fromBlock: string; toBlock: string; topics?: unknown[] };
        const span = BigInt(range.toBlock) - BigInt(range.fromBlock) + 1n;
        if (((range.topics?.[2] as unknown[] | undefined)?.length ?? 0) > proxy.recipientsMost) return error(-32602, 'exceed max topics');
        if (strikes('missing_logs')) return result((answer.result as unknown[]).filter(() => random() < 0.5));
        if (strikes('empty_results')) return result([]);
        if (span > RANGE_MOST && strikes('too_many_results')) return error(-32005, 'query returned more than 10000 results');
        if (span > RANGE_MOST && strikes('range_limit')) {
          return error(...pick(random, [[-32602, 'eth_getLogs is limited to a 10 block range'], [-32000, 'query timeout exceeded'], [-32701, 'Please specify an address in your request or, to remove restrictions, order a dedicated full node'], [-32005, 'query exceeds max block range 10']] as [number, string][]));
        }
        if (strikes('forged_logs')) return result([...(answer.result as unknown[]), (await invent(BigInt(range.toBlock))).log]);
        if (strikes('forged_transfer')) {
          const invention = await invent(BigInt(range.toBlock));
          forged.set(invention.log.transactionHash as string, invention);
          return result([...(answer.result as unknown[]), invention.log]);
        }
        return answer;
      }
      case 'eth_getTransactionReceipt': {
        const invention = forged.get(call.params[0] as string);
        if (invention) return result(invention.receipt);
        if (answer.result && strikes('flipped_receipts')) return result({ ...(answer.result as Raw), status: '0x0', logs: [] });
        return answer;
      }
      case 'eth_getTransactionByHash': {
        const invention = forged.get(call.params[0] as string);
        if (invention) return result(invention.transaction);
        if (answer.result && strikes('forged_tags')) return result({ ...(answer.result as Raw), input: `${(answer.result as Raw).input as string}51544e43${'66'.repeat(16)}` });
        return answer;
      }
      case 'eth_getBlockByNumber': {
        if (strikes('null_block')) return result(null);
        if (answer.result && strikes('contradicting_blocks')) return result({ ...(answer.result as Raw), hash: `0x${'ba'.repeat(32)}` });
        return answer;
      }
      default:
        return answer;
    }
  }

  /** The node as it was some blocks ago. */
  async function stale(call: Call, answer: Answer, lag: bigint): Promise<Answer> {
    if (!strikes('stale_head')) return answer;
    const head = max0((await headNumber()) - lag);
    const nothing: Answer = { jsonrpc: '2.0', id: call.id, result: null };
    const result = answer.result as Raw | null;
    if (call.method === 'eth_getBlockByNumber') {
      const tag = call.params[0] as string;
      if (tag.startsWith('0x')) return BigInt(tag) > head ? nothing : answer;
      return { ...(await ask1(upstream, call.method, [hex(tag === 'latest' ? head : max0(head - 2n)), call.params[1]])), id: call.id };
    }
    if (call.method === 'eth_getLogs') return { ...answer, result: (answer.result as Raw[]).filter((log) => BigInt(log.blockNumber as string) <= head) };
    if (result && typeof result.blockNumber === 'string' && BigInt(result.blockNumber) > head) return nothing;
    return answer;
  }

  /** A transfer that never was, told so well that only another provider can say so. */
  async function invent(number: bigint) {
    const block = (await ask1(upstream, 'eth_getBlockByNumber', [hex(number), false])).result as Raw;
    const transactionHash = `0x${Array.from({ length: 64 }, () => Math.floor(random() * 16).toString(16)).join('')}`;
    const place = { blockNumber: block.number, blockHash: block.hash, transactionHash, transactionIndex: '0x0' };
    const log: Raw = {
      ...place, address: proxy.forge.token, removed: false, logIndex: '0x0',
      topics: [TRANSFER_TOPIC, word(`0x${'11'.repeat(20)}`), word(proxy.forge.to)], data: `0x${proxy.forge.amountUnits.toString(16).padStart(64, '0')}`,
    };
    return {
      log,
      receipt: { ...place, status: '0x1', from: `0x${'11'.repeat(20)}`, to: proxy.forge.token, gasUsed: '0x5208', effectiveGasPrice: '0x1', logs: [log] } as Raw,
      transaction: { ...place, hash: transactionHash, from: `0x${'11'.repeat(20)}`, to: proxy.forge.token, value: '0x0', input: '0x' } as Raw,
    };
  }

  const headNumber = async () => BigInt((await ask1(upstream, 'eth_blockNumber', [])).result as string);

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  proxy.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return proxy;
}

async function ask(upstream: string, calls: Call[]): Promise<Answer[]> {
  const response = await fetch(upstream, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(calls) });
  return (await response.json()) as Answer[];
}

async function ask1(upstream: string, method: string, params: unknown[]): Promise<Answer> {
  return (await ask(upstream, [{ jsonrpc: '2.0', id: 1, method, params } as unknown as Call]))[0] as Answer;
}

function send(response: ServerResponse, answer: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
}

/** A byte now and then, for longer than anybody should wait. */
function drip(response: ServerResponse, text: string, silent: Set<ServerResponse>): void {
  silent.add(response);
  response.writeHead(200, { 'content-type': 'application/json' });
  let at = 0;
  const timer = setInterval(() => response.write(text[at++ % text.length]), 20);
  response.once('close', () => clearInterval(timer));
}

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function pick<T>(random: () => number, values: readonly T[]): T {
  return values[Math.floor(random() * values.length)] as T;
}

function hex(number: bigint): string {
  return `0x${number.toString(16)}`;
}

function word(address: string): string {
  return `0x${address.slice(2).toLowerCase().padStart(64, '0')}`;
}

function max0(number: bigint): bigint {
  return number < 0n ? 0n : number;
}
