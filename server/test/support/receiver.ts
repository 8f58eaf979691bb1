import { createServer, type IncomingHttpHeaders } from 'node:http';
import { listen } from './listen.ts';

/** One webhook as it arrived. */
export interface Received {
  at: number;
  path: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
  event: any;
}

/** A merchant's server on a free port. Answers 200 by default. */
export interface Receiver {
  url: string;
  port: number;
  received: Received[];
  /** Its answer from now on: a status, or by request. */
  answer(with_: number | ((request: Received) => number | Promise<number>)): void;
  /** The number of connections so far, and a wait for them. */
  connections(): number;
  /** The number of requests that have started to arrive, answered or not. */
  begun(): number;
  connected(count: number): Promise<void>;
  /** The next request on a reused connection finds it closed. */
  closeOnNextRequest(): void;
  /** Waits until this number of matching requests has arrived. */
  waitFor(count: number, fits?: (request: Received) => boolean): Promise<Received[]>;
  close(): Promise<void>;
}

export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  const waiting = new Set<() => void>();
  let connections = 0;
  let begun = 0;
  let isClosing = false;
  let answering: number | ((request: Received) => number | Promise<number>) = 200;

  const server = createServer((request, response) => {
    begun += 1;
    if (isClosing) {
      isClosing = false;
      request.socket.destroy();
      return;
    }
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', async () => {
      const body = Buffer.concat(chunks);
      const one: Received = {
        at: Date.now(),
        path: request.url ?? '',
        headers: request.headers,
        body,
        event: parse(body),
      };
      const status = typeof answering === 'number' ? answering : await answering(one);
      received.push(one);
      response.writeHead(status, { 'content-type': 'text/plain' }).end(`answered ${status}`);
      for (const look of waiting) look();
    });
  });
  server.on('connection', () => {
    connections += 1;
    for (const look of waiting) look();
  });
  const { port, url, stop } = await listen(server);

  /** Checks again at every arrival. */
  const until = (isSo: () => boolean) =>
    new Promise<void>((resolve) => {
      const look = () => {
        if (!isSo()) return;
        waiting.delete(look);
        resolve();
      };
      waiting.add(look);
      look();
    });

  return {
    url: `${url}/hook`,
    port,
    received,
    answer(with_) {
      answering = with_;
    },
    connections: () => connections,
    begun: () => begun,
    connected: (count) => until(() => connections >= count),
    closeOnNextRequest() {
      isClosing = true;
    },
    waitFor(count, fits = () => true) {
      const found = () => received.filter(fits);
      return until(() => found().length >= count).then(found);
    },
    close: stop,
  };
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}
