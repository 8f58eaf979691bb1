import { connect, type Socket } from 'node:net';
import { endWithBench } from './ends.ts';

/** The request to send: `{n}` in a text is replaced by a unique number. */
export interface LoadRequest {
  method: 'GET' | 'POST';
  /** One of these is chosen at random for each request. */
  paths: string[];
  headers: Record<string, string>;
  body?: string;
}

export interface Load {
  host: string;
  port: number;
  connections: number;
  seconds: number;
  /** Not measured, because code is compiled and caches are filled meanwhile. */
  warmUpSeconds: number;
  expectStatus: number;
  request: LoadRequest;
}

export interface LoadResult {
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
  failures: number;
}

const HEAD_END = Buffer.from('\r\n\r\n');

/** As many requests as the server answers, one at a time on each connection, over plain sockets: a cheap client. */
async function runLoad(load: Load): Promise<LoadResult> {
  const latenciesMs: number[] = [];
  let failures = 0;
  let number = Math.floor(Math.random() * 1e9) * 1_000;
  const countFromMs = performance.now() + load.warmUpSeconds * 1_000;
  const endMs = countFromMs + load.seconds * 1_000;

  await Promise.all(
    Array.from(
      { length: load.connections },
      () =>
        new Promise<void>((resolve, reject) => {
          const socket = connect({ host: load.host, port: load.port, noDelay: true });
          socket.on('error', reject);
          socket.on('connect', () => send());
          let sentMs = 0;
          const read = responseReader((status) => {
            const nowMs = performance.now();
            if (sentMs >= countFromMs) {
              if (status === load.expectStatus) latenciesMs.push(nowMs - sentMs);
              else failures += 1;
            }
            if (nowMs < endMs) return send();
            socket.end();
            return resolve();
          });
          socket.on('data', read);

          function send(): void {
            sentMs = performance.now();
            write(socket, load, (number += 1));
          }
        }),
    ),
  );

  latenciesMs.sort((a, b) => a - b);
  const at = (share: number) => latenciesMs[Math.floor((latenciesMs.length - 1) * share)] ?? Number.NaN;
  return { perSecond: latenciesMs.length / load.seconds, p50Ms: at(0.5), p99Ms: at(0.99), failures };
}

function write(socket: Socket, { host, port, request }: Load, number: number): void {
  const path = request.paths[Math.floor(Math.random() * request.paths.length)];
  const body = request.body?.replaceAll('{n}', String(number));
  const headers = Object.entries(request.headers)
    .map(([name, value]) => `${name}: ${value.replaceAll('{n}', String(number))}\r\n`)
    .join('');
  const length = body === undefined ? '' : `content-length: ${Buffer.byteLength(body)}\r\n`;
  socket.write(`${request.method} ${path} HTTP/1.1\r\nhost: ${host}:${port}\r\n${headers}${length}\r\n${body ?? ''}`);
}

/**
 * Reports the status of each response once it is complete. Responses have a Content-Length, like all of the service's.
 */
function responseReader(answered: (status: number) => void): (chunk: Buffer) => void {
  let pending: Buffer = Buffer.alloc(0);
  return (chunk) => {
    pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
    const headEnd = pending.indexOf(HEAD_END);
    if (headEnd < 0) return;
    const head = pending.toString('latin1', 0, headEnd);
    const length = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1]);
    if (Number.isNaN(length)) throw new Error(`an answer without Content-Length: ${head}`);
    if (pending.length < headEnd + 4 + length) return;
    pending = Buffer.alloc(0);
    answered(Number(head.slice(9, 12)));
  };
}

// As a separate process, because the load must not share a thread with what it measures.
endWithBench();
process.on('message', (load: Load) => {
  runLoad(load).then(
    (result) => process.send?.(result),
    (error: Error) => process.send?.({ error: error.message }),
  );
});
