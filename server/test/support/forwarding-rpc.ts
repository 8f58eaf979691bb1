import { setTimeout as pause } from 'node:timers/promises';
import { serve } from './listen.ts';

/** An endpoint in front of a node, which it may exchange, and that may take its time. */
export interface ForwardingRpc extends AsyncDisposable {
  url: string;
  /** The node that answers the next request. */
  upstream: string;
  /** How long each answer takes. */
  delayMs: number;
}

export async function startForwardingRpc(upstream: string): Promise<ForwardingRpc> {
  const headers = { 'content-type': 'application/json' };
  const listening = await serve((request, response) => {
    const forward = async () => {
      const body = (await request.toArray()).join('');
      const answer = await fetch(endpoint.upstream, { method: 'POST', headers, body });
      const text = await answer.text();
      await pause(endpoint.delayMs, undefined, { ref: false });
      response.writeHead(200, headers).end(text);
    };
    forward().catch((error: unknown) => response.destroy(error as Error));
  });
  const endpoint: ForwardingRpc = { ...listening, upstream, delayMs: 0 };
  return endpoint;
}
