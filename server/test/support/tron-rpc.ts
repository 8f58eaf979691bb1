import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Raw, rewrite } from './evm-rpc-proxy.ts';
import { randomFrom } from './random.ts';

/** The refusals that java-tron's documentation lists, and what TronGrid says beyond its plan, here without a time. */
export const TRON_REFUSALS = [
  'no_resources',
  'frequency_limit',
  'too_many_results',
  'too_large',
  'batch_size',
] as const;
/** A key that it does not know, and a node without logs, are no matter of limits. */
export type TronRefusal = (typeof TRON_REFUSALS)[number] | 'no_key' | 'no_logs';

/** A node of Ethereum that speaks Tron's dialect of its JSON-RPC. */
export interface TronRpc extends AsyncDisposable {
  url: string;
  /** Refuses this share of the requests from now on, each for one of these reasons. */
  refuse(reasons: readonly TronRefusal[], share?: number): void;
  /** Names each block by the hash of another height. */
  mixesHeights: boolean;
  /**
   * The last block whose logs a filter finds. None is one of a node whose JSON-RPC was switched on late, which answers
   * every filter with none (java-tron #6384). Null: the newest.
   */
  lastIndexed: bigint | null;
  requests: number;
  /** How often it refused, by reason. */
  refused: Map<TronRefusal | 'block_range', number>;
}

interface Call {
  id: number;
  method: string;
  params: unknown[];
}

const MAX_BLOCK_RANGE = 5_000n;
const NO_RESOURCES = { Error: 'class java.lang.IllegalAccessException : lack of computing resources' };
const FREQUENCY = { Error: 'The key exceeds the frequency limit(15), and the query server is suspended for 0s' };

export async function startTronRpc(upstream: string, { seed = 1 }: { seed?: number } = {}): Promise<TronRpc> {
  const random = randomFrom(seed);
  let [reasons, share]: [readonly TronRefusal[], number] = [[], 0];
  const count = (reason: TronRefusal | 'block_range') =>
    rpc.refused.set(reason, (rpc.refused.get(reason) ?? 0) + 1).size > 0;
  const strikes = (reason: TronRefusal) => reasons.includes(reason) && random() < share && count(reason);

  const server = createServer(async (request, response) => {
    const send = (status: number, body: unknown) => response.writeHead(status).end(JSON.stringify(body));
    try {
      const body = JSON.parse((await request.toArray()).join('')) as Call | Call[];
      rpc.requests += 1;
      if (strikes('no_key')) return send(401, { Error: 'ApiKey not exists' });
      if (strikes('no_resources')) return send(200, NO_RESOURCES);
      if (strikes('frequency_limit')) return send(403, FREQUENCY);
      if (Array.isArray(body) && strikes('batch_size'))
        return send(200, errorOf(null, -32005, `Batch size ${body.length} exceeds the limit of ${body.length - 1}`));
      const answers = await Promise.all([body].flat().map(answer));
      return send(200, Array.isArray(body) ? answers : answers[0]);
    } catch (error) {
      return send(502, String(error));
    }
  });

  async function answer(call: Call): Promise<Raw> {
    const refusal = refusalOf(call);
    if (refusal) return refusal;
    const reply = await fetch(upstream, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', ...call }),
    });
    const said = (await reply.json()) as Raw;
    if (call.method === 'eth_getLogs' && rpc.lastIndexed !== null && toBlockOf(call) > rpc.lastIndexed)
      return { ...said, result: [] };
    return { ...said, result: rewrite(said.result, (raw) => inTronDialect(raw, rpc.mixesHeights ? 1n : 0n)) };
  }

  function refusalOf({ id, method, params }: Call): Raw | undefined {
    const [first, second] = params as [unknown, unknown];
    const isMissing = method.startsWith('debug_') || method.startsWith('trace_') || method === 'eth_sendRawTransaction';
    if (isMissing || (method === 'eth_getLogs' && strikes('no_logs')))
      return errorOf(id, -32601, `the method ${method} does not exist/is not available`);
    if (first === 'safe' || first === 'pending') return errorOf(id, -32602, `TAG ${first} not supported`);
    if (['eth_call', 'eth_getCode', 'eth_getBalance'].includes(method) && second !== 'latest')
      return errorOf(id, -32602, 'QUANTITY not supported, just support TAG as latest');
    if (method !== 'eth_getLogs') return undefined;
    const { fromBlock } = first as { fromBlock: string };
    const span = toBlockOf({ params }) - BigInt(fromBlock);
    if (span > MAX_BLOCK_RANGE && count('block_range'))
      return errorOf(id, -32602, `exceed max block range: ${MAX_BLOCK_RANGE}`);
    if (span > 0n && strikes('too_many_results')) return errorOf(id, -32005, 'query returned more than 10000 results');
    if (span > 0n && strikes('too_large')) return errorOf(id, -32003, 'Response exceeds the limit of 26214400');
    return undefined;
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const rpc: TronRpc = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/jsonrpc`,
    mixesHeights: false,
    lastIndexed: null,
    requests: 0,
    refused: new Map(),
    refuse(next, nextShare = 1) {
      [reasons, share] = [next, nextShare];
    },
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  return rpc;
}

function toBlockOf({ params: [filter] }: Pick<Call, 'params'>): bigint {
  return BigInt((filter as { toBlock: string }).toBlock);
}

function errorOf(id: number | null, code: number, message: string): Raw {
  return { jsonrpc: '2.0', id, error: { code, message, data: '{}' } };
}

/** The hash of a block with its height in the first eight bytes. */
export function tronBlockHash(hash: string, number: bigint): string {
  return `0x${number.toString(16).padStart(16, '0')}${hash.slice(18)}`;
}

/** An object of an answer as Tron's nodes write it; with `off`, each block has the hash of another height. */
export function inTronDialect(raw: Raw, off = 0n): Raw {
  const heightOf = (number: unknown) => BigInt(number as string) + off;
  const isBlock = raw.number !== undefined && raw.parentHash !== undefined;
  return {
    ...raw,
    ...(isBlock && {
      hash: tronBlockHash(raw.hash as string, heightOf(raw.number)),
      parentHash: tronBlockHash(raw.parentHash as string, heightOf(raw.number) - (raw.number === '0x0' ? 0n : 1n)),
      stateRoot: '0x',
    }),
    ...(typeof raw.blockHash === 'string' &&
      raw.blockNumber != null && { blockHash: tronBlockHash(raw.blockHash, heightOf(raw.blockNumber)) }),
    // Not in a block yet.
    ...(raw.blockHash === null && raw.input !== undefined && { blockHash: '0x', blockNumber: '0x' }),
  };
}
