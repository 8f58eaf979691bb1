import { createServer, type RequestListener, type Server as HttpServer } from 'node:http';
import type { AddressInfo, Server } from 'node:net';

/** A server that listens on a free port of this machine. */
export interface Listening extends AsyncDisposable {
  port: number;
  /** Without a slash at its end. */
  url: string;
  /** Cuts its connections, and stops listening. */
  stop(): Promise<void>;
}

/** Serves HTTP. */
export function serve(listener: RequestListener): Promise<Listening> {
  return listen(createServer(listener));
}

export async function listen(server: Server | HttpServer): Promise<Listening> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      if ('closeAllConnections' in server) server.closeAllConnections();
    });
  return { port, url: `http://127.0.0.1:${port}`, stop, [Symbol.asyncDispose]: stop };
}
