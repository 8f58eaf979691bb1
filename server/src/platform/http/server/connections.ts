import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { Client } from '../admission/client.ts';

/** An office or a mobile network behind one address opens fewer, and file descriptors are scarce. */
const MAX_CONNECTIONS_PER_CLIENT = 256;

/**
 * Closes new connections of a client that already has too many. `isProxy` marks peers that carry many clients and are
 * not counted. The server's own timeout closes connections whose client does not read.
 */
export function limitConnections(
  server: Server,
  isProxy: (address: string | undefined) => boolean,
  maxPerClient = MAX_CONNECTIONS_PER_CLIENT,
): void {
  const open = new Map<string, number>();
  const count = (holder: string, change: number) => {
    const own = (open.get(holder) ?? 0) + change;
    if (own > 0) open.set(holder, own);
    else open.delete(holder);
  };

  server.on('connection', (socket: Socket) => {
    if (isProxy(socket.remoteAddress)) return;
    const { ranges } = Client.at(socket.remoteAddress);
    if (ranges.some(({ name, allowance }) => (open.get(name) ?? 0) >= maxPerClient * allowance)) {
      socket.destroy();
      return;
    }
    for (const { name } of ranges) count(name, 1);
    socket.once('close', () => {
      for (const { name } of ranges) count(name, -1);
    });
  });
}
