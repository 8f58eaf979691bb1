import { once } from 'node:events';
import { connect } from 'node:net';
import { constants, setPriority } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';

/**
 * A client as a process of its own, so that its work is neither in the figures of others nor before the service's: sends these
 * requests at once, each on a connection of its own, and prints the milliseconds and bytes until all were answered. With `unreadMs`
 * it reads nothing, and ends after that time.
 */
export interface ClientWork {
  url: string;
  count: number;
  path: string;
  head: string;
  unreadMs?: number;
}

setPriority(constants.priority.PRIORITY_LOW);
const { url, count, path, head, unreadMs } = JSON.parse(process.argv[2] ?? '') as ClientWork;
const { hostname, port } = new URL(url);
const sockets = Array.from({ length: count }, () => connect(Number(port), hostname).pause());
await Promise.all(sockets.map((socket) => once(socket, 'connect')));
const startedAt = performance.now();
let bytes = 0;
for (const socket of sockets) {
  // The service may end connections that are not read.
  socket.on('error', () => {});
  socket.write(`GET ${path} HTTP/1.1\r\nhost: localhost\r\n${head}\r\n\r\n`);
  if (unreadMs === undefined) socket.on('data', (data) => (bytes += data.length)).resume();
}
await (unreadMs === undefined ? Promise.all(sockets.map((socket) => once(socket, 'close'))) : pause(unreadMs));
console.log(JSON.stringify({ ms: Math.round(performance.now() - startedAt), bytes }));
process.exit();
