import diagnostics from 'node:diagnostics_channel';
import type { Socket } from 'node:net';

export interface ConnectionWatch {
  /** Every address that this process has tried to connect to since the watch began, from any code. */
  attempts: { address: string; port: number }[];
  stop(): void;
}

export function watchConnections(): ConnectionWatch {
  const attempts: ConnectionWatch['attempts'] = [];
  const see = (message: unknown) => {
    (message as { socket: Socket }).socket.on('connectionAttempt', (address: string, port: number) =>
      attempts.push({ address, port }),
    );
  };
  const channel = diagnostics.channel('net.client.socket');
  channel.subscribe(see);
  return { attempts, stop: () => channel.unsubscribe(see) };
}
