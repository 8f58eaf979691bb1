import { base58 } from '@scure/base';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { randomFrom } from '../evm-rpc-proxy.ts';

/** What can go wrong with a provider of Solana. Those of the transport, those of honest nodes, and those of liars. */
export const SOLANA_FAULTS = [
  'http_500', 'rate_limited', 'timeout', 'connection_reset', 'garbage_json', 'wrong_shapes', 'dripping_body', 'unknown_errors', 'batch_refused',
  'stale_node', 'head_going_back', 'index_behind', 'null_transactions', 'null_blocks', 'ledger_gap', 'forgotten_blocks', 'unhealthy',
  'wrong_genesis', 'missing_entries', 'empty_history', 'forged_transfer', 'contradicting_blocks', 'flipped_results', 'other_transaction',
] as const;
export type SolanaFault = (typeof SOLANA_FAULTS)[number];

/** A provider of ours that can be made to fail, between the service and a node. */
export interface SolanaRpcProxy extends AsyncDisposable {
  url: string;
  /** Makes this share of what it concerns go wrong from now on; none with null. */
  suffer(fault: SolanaFault | null, share?: number): void;
  /** What `forged_transfer` invents: lamports for somebody. */
  forge: { to: string; amount: bigint };
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
interface Answer {
  jsonrpc: '2.0';
  id: number;
  result?: any;
  error?: { code: number; message: string };
}

const LAG_SLOTS = 20;
const SYSTEM_PROGRAM = '11111111111111111111111111111111';

/** Starts it on a free port. One seed is one course of faults, as far as the order of requests is. */
export async function startSolanaRpcProxy(upstream: string, options: { seed?: number } = {}): Promise<SolanaRpcProxy> {
  const random = randomFrom(options.seed ?? 1);
  let fault: SolanaFault | null = null;
  let share = 1;
  const forged = new Map<string, unknown>();
  const silent = new Set<ServerResponse>();

  const proxy: SolanaRpcProxy = {
    url: '',
    forge: { to: SYSTEM_PROGRAM, amount: 1n },
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

  const strikes = (...kinds: SolanaFault[]) => fault !== null && kinds.includes(fault) && random() < share && ++proxy.injected > 0;

  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => response.writeHead(502).end(String(error)));
  });

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = JSON.parse((await request.toArray()).join('')) as Call | Call[];
    for (const call of [body].flat()) proxy.heard.set(call.method, (proxy.heard.get(call.method) ?? 0) + 1);

    if (strikes('http_500')) return void response.writeHead(500).end('<html>Internal Server Error</html>');
    if (strikes('rate_limited')) return void response.writeHead(429).end('{"jsonrpc":"2.0","error":{"code":429,"message":"Too many requests for a specific RPC call"},"id":1}');
    if (strikes('connection_reset')) return void response.destroy();
    if (strikes('garbage_json')) return void response.writeHead(200).end('{"jsonrpc":"2.0","id":1,"result":');
    if (strikes('timeout')) return void silent.add(response);
    if (strikes('batch_refused') && Array.isArray(body)) return send(response, { jsonrpc: '2.0', id: 0, error: { code: -32600, message: 'batch requests are not allowed' } });

    const calls = [body].flat();
    const answers = await ask(calls);
    const spoilt: Answer[] = [];
    for (const [place, call] of calls.entries()) spoilt.push(await spoil(call, answers[place] as Answer));
    if (strikes('dripping_body')) return drip(response, JSON.stringify(Array.isArray(body) ? spoilt : spoilt[0]), silent);
    send(response, Array.isArray(body) ? spoilt : spoilt[0]);
  }

  async function spoil(call: Call, answer: Answer): Promise<Answer> {
    const result = (value: unknown): Answer => ({ jsonrpc: '2.0', id: call.id, result: value });
    const error = (code: number, message: string): Answer => ({ jsonrpc: '2.0', id: call.id, error: { code, message } });

    if (strikes('unknown_errors')) return error(-32603, 'internal error');
    if (strikes('unhealthy')) return error(-32005, 'Node is behind by 150 slots');
    if (strikes('wrong_shapes')) return result(pick(random, [{}, [], 'what', -5, { slot: '5', blockhash: '0x', transactions: null }, [{ signature: {} }]]));
    if (call.method === 'getGenesisHash' && strikes('wrong_genesis')) return result(base58.encode(new Uint8Array(32).fill(5)));
    if (fault === 'stale_node') return stale(call, answer);
    if (call.method === 'getSlot' && strikes('head_going_back')) return result(Math.max(0, answer.result - 1 - Math.floor(random() * 15)));

    switch (call.method) {
      case 'getSignaturesForAddress': {
        if (!Array.isArray(answer.result)) return answer;
        if (strikes('missing_entries')) return result(answer.result.filter(() => random() < 0.5));
        if (strikes('empty_history')) return result([]);
        // The index of a node may trail its blocks by a moment.
        if (strikes('index_behind')) return result(answer.result.filter((entry: { confirmationStatus: string }) => entry.confirmationStatus === 'finalized'));
        if (call.params[0] === proxy.forge.to && (call.params[1] as { before?: string }).before === undefined && strikes('forged_transfer')) return result([await invent(), ...answer.result]);
        return answer;
      }
      case 'getTransaction': {
        const invention = forged.get(call.params[0] as string);
        if (invention) return result(invention);
        if (!answer.result) return answer;
        if (strikes('null_transactions')) return result(null);
        if (strikes('flipped_results')) return result({ ...answer.result, meta: { ...answer.result.meta, err: { InstructionError: [0, { Custom: 1 }] } } });
        if (strikes('other_transaction')) return result({ ...answer.result, transaction: { ...answer.result.transaction, signatures: [base58.encode(new Uint8Array(64).fill(6))] } });
        return answer;
      }
      case 'getBlock': {
        if (!answer.result) return answer;
        if (strikes('null_blocks')) return result(null);
        if (strikes('forgotten_blocks')) return error(-32001, `Block ${String(call.params[0])} cleaned up, does not exist on node. First available block: 99999999`);
        if (strikes('contradicting_blocks')) return result({ ...answer.result, blockhash: base58.encode(new Uint8Array(32).fill(4)) });
        return answer;
      }
      case 'getBlocks':
        // Started anew from a snapshot: what was in between is not there.
        return strikes('ledger_gap') ? result((answer.result as number[]).filter((_, place, all) => place < 2 || place > all.length - 3)) : answer;
      default:
        return answer;
    }
  }

  /** The node as it was some slots ago. */
  async function stale(call: Call, answer: Answer): Promise<Answer> {
    if (!strikes('stale_node')) return answer;
    const newest = (await ask1('getSlot', [{ commitment: 'confirmed' }])).result as number;
    const head = newest - LAG_SLOTS;
    const result = (value: unknown): Answer => ({ jsonrpc: '2.0', id: call.id, result: value });
    switch (call.method) {
      case 'getSlot':
        return result(Math.max(0, answer.result - LAG_SLOTS));
      case 'getBlocks':
        return result((answer.result as number[]).filter((slot) => slot <= head));
      case 'getBlock':
        return (call.params[0] as number) > head ? { jsonrpc: '2.0', id: call.id, error: { code: -32004, message: `Block not available for slot ${String(call.params[0])}` } } : answer;
      case 'getTransaction':
        return answer.result && answer.result.slot > head ? result(null) : answer;
      case 'getSignaturesForAddress': {
        const { minContextSlot = 0 } = call.params[1] as { minContextSlot?: number };
        if (minContextSlot > head) return { jsonrpc: '2.0', id: call.id, error: { code: -32016, message: 'Minimum context slot has not been reached' } };
        return result((answer.result as { slot: number }[]).filter((entry) => entry.slot <= head));
      }
      default:
        return answer;
    }
  }

  /** A transfer that never was, told so well that only another provider can say so. */
  async function invent() {
    const slot = (await ask1('getSlot', [{ commitment: 'finalized' }])).result as number;
    const block = (await ask1('getBlock', [slot, { commitment: 'confirmed', transactionDetails: 'none', rewards: false }])).result;
    const signature = base58.encode(Uint8Array.from({ length: 64 }, () => Math.floor(random() * 256)));
    const data = Buffer.alloc(12);
    data.writeUInt32LE(2, 0);
    data.writeBigUInt64LE(proxy.forge.amount, 4);
    const amount = Number(proxy.forge.amount);
    forged.set(signature, {
      slot, blockTime: block.blockTime, version: 0,
      meta: {
        err: null, fee: 5_000, preBalances: [10 * amount, 0, 1], postBalances: [9 * amount - 5_000, amount, 1], preTokenBalances: [], postTokenBalances: [],
        innerInstructions: [], loadedAddresses: { writable: [], readonly: [] },
      },
      transaction: {
        signatures: [signature],
        message: {
          header: { numRequiredSignatures: 1, numReadonlySignedAccounts: 0, numReadonlyUnsignedAccounts: 1 },
          accountKeys: [base58.encode(new Uint8Array(32).fill(3)), proxy.forge.to, SYSTEM_PROGRAM], recentBlockhash: block.blockhash,
          instructions: [{ programIdIndex: 2, accounts: [0, 1], data: base58.encode(data), stackHeight: 1 }], addressTableLookups: [],
        },
      },
    });
    return { signature, slot, err: null, memo: null, blockTime: block.blockTime, confirmationStatus: 'finalized' };
  }

  async function ask(calls: Call[]): Promise<Answer[]> {
    const response = await fetch(upstream, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(calls) });
    return (await response.json()) as Answer[];
  }

  async function ask1(method: string, params: unknown[]): Promise<Answer> {
    return (await ask([{ jsonrpc: '2.0', id: 1, method, params } as unknown as Call]))[0] as Answer;
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  proxy.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return proxy;
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

function pick<T>(random: () => number, values: readonly T[]): T {
  return values[Math.floor(random() * values.length)] as T;
}
