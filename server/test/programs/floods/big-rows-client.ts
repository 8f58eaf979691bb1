import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { constants, setPriority } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';

/**
 * A client as a process of its own, so that its work is neither in the figures of others nor before the service's: sends these
 * requests at once, each on a connection of its own, and prints the milliseconds and bytes until all were answered. With
 * `forMs` each connection asks again once it was answered, for that time. With `unreadMs` it reads nothing, and ends after
 * that time.
 */
export interface ClientWork {
  url: string;
  count: number;
  path: string;
  head: string;
  forMs?: number;
  unreadMs?: number;
}

setPriority(constants.priority.PRIORITY_LOW);
const { url, count, path, head, forMs = 0, unreadMs } = JSON.parse(process.argv[2] ?? '') as ClientWork;
const { hostname, port } = new URL(url);
const text = `GET ${path} HTTP/1.1\r\nhost: localhost\r\n${head}\r\nconnection: close\r\n\r\n`;
const startedAt = performance.now();
let bytes = 0;
await (unreadMs === undefined ? Promise.all(Array.from({ length: count }, askOnAndOn)) : leaveUnread(unreadMs));
console.log(JSON.stringify({ ms: Math.round(performance.now() - startedAt), bytes }));
process.exit();

async function askOnAndOn(): Promise<void> {
  do {
    const socket = await send();
    for await (const data of socket) bytes += data.length;
  } while (performance.now() - startedAt < forMs);
}

async function leaveUnread(ms: number): Promise<void> {
  for (let at = 0; at < count; at += 1) (await send()).pause();
  await pause(ms);
}

async function send(): Promise<Socket> {
  const socket = connect(Number(port), hostname);
  // The service may end connections that are not read.
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.write(text);
  return socket;
}
