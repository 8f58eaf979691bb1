import { lookup, Resolver } from 'node:dns/promises';

/** All addresses of a name. */
export type Resolve = (name: string) => Promise<string[]>;

/**
 * Queries the name servers without occupying a thread. With `lookup`, many slow names could delay the rest of the
 * process.
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

/** Resolves like the operating system, including `/etc/hosts`. For development. */
export async function resolveBySystem(name: string): Promise<string[]> {
  return (await lookup(name, { all: true })).map(({ address }) => address);
}
