import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One webhook as it arrived. */
export interface Received {
  at: number;
  path: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
  // biome-ignore lint/suspicious/noExplicitAny: tests look at events without declaring their types again
  event: any;
}

/** A merchant's server on a free port. Answers 200 unless told otherwise. */
export interface Receiver {
  url: string;
  port: number;
  received: Received[];
  /** What it answers from now on: a status, or by request. */
  answer(with_: number | ((request: Received) => number | Promise<number>)): void;
  /** Waits until so many have arrived that fit. */
  waitFor(count: number, fits?: (request: Received) => boolean): Promise<Received[]>;
  close(): Promise<void>;
}

export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  const waiting = new Set<() => void>();
  let answering: number | ((request: Received) => number | Promise<number>) = 200;

  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', async () => {
      const body = Buffer.concat(chunks);
      const one: Received = { at: Date.now(), path: request.url ?? '', headers: request.headers, body, event: parse(body) };
      const status = typeof answering === 'number' ? answering : await answering(one);
      received.push(one);
      response.writeHead(status, { 'content-type': 'text/plain' }).end(`answered ${status}`);
      for (const look of waiting) look();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  return {
    url: `http://127.0.0.1:${port}/hook`,
    port,
    received,
    answer(with_) {
      answering = with_;
    },
    waitFor(count, fits = () => true) {
      return new Promise((resolve) => {
        const look = () => {
          const found = received.filter(fits);
          if (found.length < count) return;
          waiting.delete(look);
          resolve(found);
        };
        waiting.add(look);
        look();
      });
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}
