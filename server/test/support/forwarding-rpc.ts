import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** An endpoint in front of a node, which it may exchange, and that may take its time. */
export interface ForwardingRpc extends AsyncDisposable {
  url: string;
  /** The node that answers the next request. */
  upstream: string;
}

export async function startForwardingRpc(upstream: string, delayMs = 0): Promise<ForwardingRpc> {
  const headers = { 'content-type': 'application/json' };
  const server = createServer((request, response) => {
    const serve = async () => {
      const body = (await request.toArray()).join('');
      const answer = await fetch(endpoint.upstream, { method: 'POST', headers, body });
      const text = await answer.text();
      await pause(delayMs, undefined, { ref: false });
      response.writeHead(200, headers).end(text);
    };
    serve().catch((error: unknown) => response.destroy(error as Error));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const endpoint: ForwardingRpc = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    upstream,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  return endpoint;
}
