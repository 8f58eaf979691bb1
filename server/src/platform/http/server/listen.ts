import { once } from 'node:events';
import { createServer } from 'node:net';
import { StartupError } from '../../errors.ts';

interface Place {
  host: string;
  port: number;
}

/** Returns the address. An error names the setting that chooses the port. */
export function listen(
  server: { listen(place: Place): Promise<string> },
  { host, port }: Place,
  setting: string,
): Promise<string> {
  return server.listen({ host, port }).catch((error: NodeJS.ErrnoException) => {
    throw explain(error, { host, port }, setting);
  });
}

/** Fails as `listen` would. */
export async function requireFreePort({ host, port }: Place, setting: string): Promise<void> {
  const server = createServer().listen({ host, port });
  await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
    throw explain(error, { host, port }, setting);
  });
  server.close();
  await once(server, 'close');
}

function explain(error: NodeJS.ErrnoException, { host, port }: Place, setting: string): Error {
  const { code } = error;
  if (code === 'EADDRINUSE')
    return new StartupError(
      `Port ${port} is already in use on ${host}. Stop what uses it, or set another ${setting}.`,
      {
        cause: error,
      },
    );
  if (code === 'EACCES' || code === 'EADDRNOTAVAIL')
    return new StartupError(`Cannot listen on ${host} port ${port} (${code}). Set another HOST or ${setting}.`, {
      cause: error,
    });
  return error;
}
