import { describe, expect, test } from 'vitest';
import { UNREACHABLE_MIN_MS } from '../chain.ts';
import type { Provider } from '../rpc/provider.ts';
import type { Providers } from '../rpc/providers.ts';
import { createSignedPayments } from './signed-payments.ts';

type Answer = boolean | 'fails' | 'dead';

/** Providers that say whether an authorization was used, and count its sender's transactions. */
function providersThatSay(said: readonly Answer[]): Providers {
  const answers = new Map(said.map((answer, at) => [`rpc-${at}`, answer]));
  return {
    names: [...answers.keys()],
    unreachableMs: (name: string) => (answers.get(name) === 'dead' ? UNREACHABLE_MIN_MS : 0),
    use: async (work: (provider: Provider) => Promise<unknown>, { only: [name] }: { only: [string] }) => {
      const answer = answers.get(name);
      if (typeof answer !== 'boolean') throw new Error('no answer');
      const proven = {
        call: async ({ method, parse }: any) =>
          parse(method === 'eth_call' ? `0x${'0'.repeat(63)}${Number(answer)}` : answer ? '0x8' : '0x7'),
      };
      // Only what shows its chain may be asked.
      return work({ proven } as any);
    },
  } as unknown as Providers;
}

const PAYER = '0x00000000000000000000000000000000000A11cE';

describe('what providers say about a signed payment is decided by the quorum of transfers', () => {
  test.each<[Answer[], boolean | null]>([
    [[true], true],
    [[false], false],
    [['fails'], null],
    [['dead'], null],
    [[true, true], true],
    [[false, false], false],
    [[true, false], null],
    [[false, 'fails'], null],
    [[false, 'dead'], false],
    [[true, 'dead'], true],
    [[false, false, 'fails'], false],
    [[false, false, 'dead'], false],
    [[true, false, false], false],
    [[true, true, false], true],
    [[true, false, 'dead'], null],
    [[false, 'dead', 'dead'], null],
    [[false, false, true, true], null],
    [[false, false, false, true], false],
  ])('%j: %s', async (said, expected) => {
    const signed = createSignedPayments(providersThatSay(said), 1);
    expect(await signed.isUsed(PAYER, PAYER, `0x${'11'.repeat(32)}`)).toBe(expected);
    expect(await signed.isNonceSpent(PAYER, 7)).toBe(expected === true);
  });
});
