import type { IncomingMessage, ServerResponse } from 'node:http';
import { request } from 'undici';
import { serve } from './listen.ts';
import { randomFrom } from './random.ts';

/** Faults of any chain's provider: in transport, and with malformed answers. */
export const COMMON_FAULTS = [
  'http_500',
  'rate_limited',
  'timeout',
  'connection_reset',
  'garbage_json',
  'wrong_shapes',
  'dripping_body',
  'unknown_errors',
  'batch_refused',
] as const;
type CommonFault = (typeof COMMON_FAULTS)[number];

/** A test provider between the service and a real node that can be made to fail. */
export interface FaultyRpc<Fault extends string> extends AsyncDisposable {
  url: string;
  /** Applies the fault to this share of the relevant calls from now on; null ends it. */
  suffer(fault: Fault | null, share?: number): void;
  /** Calls received so far, by method. */
  heard: Map<string, number>;
  /** Number of injected faults. */
  injected: number;
  stop(): Promise<void>;
}

export interface RpcCall {
  id: number;
  method: string;
  params: unknown[];
}

export interface RpcAnswer {
  jsonrpc: '2.0';
  id: number;
  result?: any;
  error?: { code: number; message: string };
}

/** What a chain's own faults are built from. */
export interface Means<Fault extends string> {
  /** Whether one of these faults is active, and applies this time. */
  strikes(...kinds: Fault[]): boolean;
  suffers(kind: Fault): boolean;
  random: () => number;
  /** Calls the real node. */
  ask(method: string, params: unknown[]): Promise<RpcAnswer>;
}

export interface FaultyRpcOptions<Fault extends string> {
  upstream: string;
  /** One seed is one sequence of faults, as far as the order of requests allows. */
  seed?: number | undefined;
  /** Answers a call from the node's answer, changed by the chain's own faults. */
  spoil(call: RpcCall, answer: RpcAnswer, means: Means<Fault>): Promise<RpcAnswer> | RpcAnswer;
}

/** Starts it on a free port. */
export async function startFaultyRpc<Own extends string>({
  upstream,
  seed = 1,
  spoil,
}: FaultyRpcOptions<Own | CommonFault>): Promise<FaultyRpc<Own | CommonFault>> {
  type Fault = Own | CommonFault;
  const random = randomFrom(seed);
  let fault: Fault | null = null;
  let share = 1;
  const silent = new Set<ServerResponse>();

  const proxy: FaultyRpc<Fault> = {
    url: '',
    heard: new Map(),
    injected: 0,
    suffer(next, nextShare = 1) {
      fault = next;
      share = nextShare;
      if (next !== 'timeout') for (const response of silent) response.destroy();
    },
    stop: () => listening.stop(),
    [Symbol.asyncDispose]: () => listening.stop(),
  };

  const means: Means<Fault> = {
    strikes: (...kinds) => fault !== null && kinds.includes(fault) && random() < share && ++proxy.injected > 0,
    suffers: (kind) => fault === kind,
    random,
    ask: async (method, params) =>
      (await ask(upstream, [{ jsonrpc: '2.0', id: 1, method, params } as RpcCall]))[0] as RpcAnswer,
  };
  const { strikes } = means;

  const listening = await serve((request, response) => {
    forward(request, response).catch((error: unknown) => response.writeHead(502).end(String(error)));
  });

  async function forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = JSON.parse((await request.toArray()).join('')) as RpcCall | RpcCall[];
    const calls = [body].flat();
    for (const call of calls) proxy.heard.set(call.method, (proxy.heard.get(call.method) ?? 0) + 1);

    if (strikes('http_500')) return void response.writeHead(500).end('<html>Internal Server Error</html>');
    if (strikes('rate_limited'))
      return void response
        .writeHead(429)
        .end('{"jsonrpc":"2.0","error":{"code":429,"message":"Too many requests for a specific RPC call"},"id":1}');
    if (strikes('connection_reset')) return void response.destroy();
    if (strikes('garbage_json')) return void response.writeHead(200).end('{"jsonrpc":"2.0","id":1,"result":');
    if (strikes('timeout')) return void silent.add(response);
    if (strikes('batch_refused') && Array.isArray(body))
      return send(response, {
        jsonrpc: '2.0',
        id: 0,
        error: { code: -32600, message: 'batch requests are not allowed' },
      });

    const answers = await ask(upstream, calls);
    const spoilt: RpcAnswer[] = [];
    for (const [at, call] of calls.entries()) spoilt.push(await spoil(call, answers[at] as RpcAnswer, means));
    const answer = Array.isArray(body) ? spoilt : spoilt[0];
    if (strikes('dripping_body')) return drip(response, JSON.stringify(answer), silent);
    send(response, answer);
  }

  proxy.url = listening.url;
  return proxy;
}

export const resultOf = (call: RpcCall, result: unknown): RpcAnswer => ({ jsonrpc: '2.0', id: call.id, result });

export const errorOf = (call: RpcCall, code: number, message: string): RpcAnswer => ({
  jsonrpc: '2.0',
  id: call.id,
  error: { code, message },
});

async function ask(upstream: string, calls: RpcCall[]): Promise<RpcAnswer[]> {
  const { body } = await request(upstream, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(calls),
  });
  return (await body.json()) as RpcAnswer[];
}

function send(response: ServerResponse, answer: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
}

/** A byte now and then, for longer than any client should wait. */
function drip(response: ServerResponse, text: string, silent: Set<ServerResponse>): void {
  silent.add(response);
  response.writeHead(200, { 'content-type': 'application/json' });
  let at = 0;
  const timer = setInterval(() => response.write(text[at++ % text.length]), 20);
  response.once('close', () => clearInterval(timer));
}
