import { createServer, type AddressInfo, type Socket } from 'node:net';
import { endWithBench } from './ends.ts';

/** What a receiver has received since it was last asked, without what it answered late; times are monotonic. */
export interface Received {
  count: number;
  firstMs: number;
  lastMs: number;
  /** How many different ids have arrived since the message `ids`. */
  different: number;
}

// A receiver at minimal cost: it finds the end of a request and answers it, on plain sockets. Requests to /slow are
// answered after nine seconds. Each message asks what it has received; after `ids` it remembers what it gets.
const ANSWER = Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
const HEAD_END = Buffer.from('\r\n\r\n');
const SLOW = Buffer.from('POST /slow');
const SLOW_MS = 9_000;

let received = { count: 0, firstMs: 0, lastMs: 0 };
let ids: Set<string | undefined> | undefined;
const server = createServer({ noDelay: true }, (socket) => {
  socket.on('error', () => {});
  answerAll(socket);
});
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
process.on('message', (message) => {
  if (message === 'ids') ids = new Set();
  process.send?.({ ...received, different: ids?.size ?? 0 } satisfies Received);
  received = { count: 0, firstMs: 0, lastMs: 0 };
});
endWithBench();

function answerAll(socket: Socket): void {
  let pending: Buffer = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
    for (;;) {
      const headEnd = pending.indexOf(HEAD_END);
      if (headEnd < 0) return;
      const head = pending.toString('latin1', 0, headEnd);
      const length = Number(/content-length: *(\d+)/i.exec(head)?.[1] ?? 0);
      const end = headEnd + 4 + length;
      if (pending.length < end) return;
      const isSlow = pending.subarray(0, SLOW.length).equals(SLOW);
      pending = pending.subarray(end);
      if (isSlow) setTimeout(() => socket.writable && socket.write(ANSWER), SLOW_MS);
      else {
        note();
        ids?.add(/webhook-id: *(\S+)/i.exec(head)?.[1]);
        socket.write(ANSWER);
      }
    }
  });
}

function note(): void {
  const nowMs = performance.now();
  if (received.count === 0) received.firstMs = nowMs;
  received.lastMs = nowMs;
  received.count += 1;
}
