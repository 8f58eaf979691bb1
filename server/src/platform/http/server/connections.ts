import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { clientBucket } from '../admission/client.ts';

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

  server.on('connection', (socket: Socket) => {
    if (isProxy(socket.remoteAddress)) return;
    const client = clientBucket(socket.remoteAddress);
    const count = open.get(client) ?? 0;
    if (count >= maxPerClient) {
      socket.destroy();
      return;
    }
    open.set(client, count + 1);
    socket.once('close', () => {
      const left = (open.get(client) ?? 1) - 1;
      if (left > 0) open.set(client, left);
      else open.delete(client);
    });
  });
}
