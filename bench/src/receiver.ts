import { createServer, type AddressInfo, type Socket } from 'node:net';
import { endWithBench } from './ends.ts';

// A receiver at minimal cost: it finds the end of a request and answers it, on plain sockets.
const ANSWER = Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
const HEAD_END = Buffer.from('\r\n\r\n');

const server = createServer({ noDelay: true }, (socket) => {
  socket.on('error', () => {});
  answerAll(socket);
});
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
endWithBench();

function answerAll(socket: Socket): void {
  let pending: Buffer = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
    for (;;) {
      const headEnd = pending.indexOf(HEAD_END);
      if (headEnd < 0) return;
      const length = Number(/content-length: *(\d+)/i.exec(pending.toString('latin1', 0, headEnd))?.[1] ?? 0);
      const end = headEnd + 4 + length;
      if (pending.length < end) return;
      pending = pending.subarray(end);
      socket.write(ANSWER);
    }
  });
}
