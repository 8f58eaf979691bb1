import { describe, expect, test } from 'vitest';
import type { Transfer } from '../chain.ts';
import { checkTransfer } from './check.ts';
import type { Provider } from './provider.ts';
import type { Providers } from './providers.ts';

describe('the head that comes with a verdict', () => {
  const verdict = (...heads: { safe: bigint | null; finalized: bigint | null }[]) => {
    const names = heads.map((_, at) => `node ${at}`);
    const providers = { names, use: (work: (provider: Provider) => unknown, { only }: { only: string[] }) => work({ name: only[0] } as Provider), silentMs: () => 0 } as unknown as Providers;
    const transfer = { block: { number: 1n, hash: 'h', time: new Date(0) } } as Transfer;
    return checkTransfer(providers, ({ name }) => Promise.resolve({ type: 'stands', provider: name, transfer, head: { number: 9n, ...(heads[names.indexOf(name)] as { safe: bigint; finalized: bigint }) } }), { agreement: true, silentForGoodMs: 1 });
  };

  test.each([
    ['the lower tag of two', [{ safe: 5n, finalized: 3n }, { safe: 4n, finalized: 4n }], { safe: 4n, finalized: 3n }],
    ['the only tag there is', [{ safe: null, finalized: null }, { safe: 4n, finalized: 2n }], { safe: 4n, finalized: 2n }],
    ['none where nobody has one', [{ safe: null, finalized: null }, { safe: null, finalized: null }], { safe: null, finalized: null }],
  ])('has %s', async (_, heads, expected) => expect(await verdict(...heads)).toMatchObject({ type: 'stands', head: expected }));
});
