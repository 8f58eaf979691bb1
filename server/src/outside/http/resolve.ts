import { lookup, Resolver } from 'node:dns/promises';

/** All addresses of a name. */
export type Resolve = (name: string) => Promise<string[]>;

/**
 * Asks the name servers without occupying a thread, so that many slow names cannot hold up the rest of the process,
 * as `lookup` would let them.
 */
export function resolveByNameServers(timeoutMs: number): Resolve {
  return async (name) => {
    const resolver = new Resolver({ timeout: timeoutMs, tries: 1 });
    const timer = setTimeout(() => resolver.cancel(), timeoutMs);
    try {
      const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
      return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    } finally {
      clearTimeout(timer);
    }
  };
}

/** As the operating system does, `/etc/hosts` included: for development. */
export async function resolveBySystem(name: string): Promise<string[]> {
  return (await lookup(name, { all: true })).map(({ address }) => address);
}
