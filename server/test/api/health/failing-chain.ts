import type { Context } from '../../../src/context.ts';

/** Base, whose only provider has failed with this answer. */
export function failingChain(lastError: string): Pick<Context, 'chains'> {
  const provider = { name: 'rpc.example', healthy: false, lastError, lastAnsweredAt: null };
  const chain = { network: 'base', health: () => ({ reachable: false, providers: [provider] }), close: async () => {} };
  return { chains: new Map([['base', chain as never]]) };
}
