import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { limitConnections } from './server.ts';

let server: Server;
const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  server.close();
});

async function start({ isProxy = false, maxPerClient = 2 } = {}): Promise<void> {
  server = createServer((_request, reply) => reply.end());
  limitConnections(server, () => isProxy, maxPerClient);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
}

function open(): Socket {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => {});
  sockets.push(socket);
  return socket;
}

/** Resolves once the connection was accepted and answered. */
async function answered(socket: Socket): Promise<void> {
  socket.write('GET / HTTP/1.1\r\nhost: shop\r\n\r\n');
  await once(socket, 'data');
}

function openConnections(): Promise<number> {
  return new Promise((resolve) => server.getConnections((_error, count) => resolve(count)));
}

test('a client has a limited number of connections, and one that closes makes room', async () => {
  await start();
  const [first, second] = [open(), open()] as const;
  await Promise.all([first, second].map(answered));
  const third = open();
  await once(third, 'close');
  first.destroy();
  await expect.poll(openConnections).toBe(1);
  await answered(open());
});

test('the connections of a trusted proxy are not counted', async () => {
  await start({ isProxy: true });
  for (let index = 0; index < 5; index += 1) await answered(open());
});
