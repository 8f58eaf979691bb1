import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Ledger } from './ledger.ts';
import { answerCall, type NodeOptions } from './rpc.ts';
import { RpcRefusedError } from './rpc-views.ts';

interface Call {
  id?: unknown;
  method?: unknown;
  params?: unknown;
}

/** Serves a ledger as a node's JSON-RPC on a free port of this machine, including batches. */
export async function serveLedger(ledger: Ledger, node: NodeOptions): Promise<{ url: string; stop(): Promise<void> }> {
  const server = createServer(async (request, response) => {
    // Browser wallets send requests from other origins.
    response.setHeader('access-control-allow-origin', '*');
    response.setHeader('access-control-allow-headers', '*');
    if (request.method === 'OPTIONS') return void response.writeHead(204).end();
    const text = Buffer.concat(await request.toArray()).toString();
    response.setHeader('content-type', 'application/json');
    let body: Call | Call[];
    try {
      body = JSON.parse(text) as Call | Call[];
    } catch {
      return void response.end(toJson({ jsonrpc: '2.0', id: null, error: { code: -32700, message: 'Parse error' } }));
    }
    response.end(toJson(Array.isArray(body) ? body.map((call) => answer(call)) : answer(body)));
  });

  function answer(call: Call): unknown {
    const id = call.id ?? null;
    try {
      return {
        jsonrpc: '2.0',
        id,
        result: answerCall(ledger, node, String(call.method), Array.isArray(call.params) ? call.params : []),
      };
    } catch (error) {
      if (error instanceof RpcRefusedError)
        return {
          jsonrpc: '2.0',
          id,
          error: {
            code: error.code,
            message: error.message,
            ...(error.data === undefined ? {} : { data: error.data }),
          },
        };
      return { jsonrpc: '2.0', id, error: { code: -32603, message: `Internal error: ${(error as Error).message}` } };
    }
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

/** Nodes write whole numbers beyond 2^53 without rounding. */
function toJson(value: unknown): string {
  const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };
  return JSON.stringify(value, (_key, entry: unknown) => (typeof entry === 'bigint' ? rawJSON(String(entry)) : entry));
}
