import { EventEmitter, once } from 'node:events';
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

test('an IPv6 client is its /64, and all of one /48 together have four times as many connections', () => {
  const connections = new EventEmitter();
  limitConnections(connections as Server, () => false, 2);
  const isOpen = (remoteAddress: string) => {
    const socket = Object.assign(new EventEmitter(), { remoteAddress, destroyed: false });
    connections.emit('connection', Object.assign(socket, { destroy: () => (socket.destroyed = true) }));
    return { socket, isOpen: !socket.destroyed };
  };
  const range = (last: string) => ['1', '2', '3', '4'].map((network) => `2001:db8:1:${network}::${last}`);
  const opened = [...range('a'), ...range('b')].map(isOpen);
  expect(opened.every((one) => one.isOpen)).toBe(true);
  // A third one of a /64, a /64 of its own, then another /48 and the neighbors of an IPv4 client.
  for (const [address, expected] of [
    ['2001:db8:1:1::c', false],
    ['2001:db8:1:5::a', false],
    ['2001:db8:2:1::a', true],
    ...['203.0.113.1', '203.0.113.1', '203.0.113.2', '203.0.113.3', '203.0.113.4'].map((at) => [at, true] as const),
    ['::ffff:203.0.113.1', false],
  ] as const)
    expect([address, isOpen(address).isOpen]).toEqual([address, expected]);
  opened[0]?.socket.emit('close');
  expect([isOpen('2001:db8:1:5::a').isOpen, isOpen('2001:db8:1:5::b').isOpen]).toEqual([true, false]);
});
