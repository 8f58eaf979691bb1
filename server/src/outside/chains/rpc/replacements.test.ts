import { expect, test, vi } from 'vitest';
import { TemporaryError } from '../../../platform/errors.ts';
import type { Transfer } from '../chain.ts';
import type { Provider } from './provider.ts';
import type { Providers } from './providers.ts';
import { findReplacements } from './replacements.ts';

const lost = {
  network: 'base',
  txHash: '0xab',
  index: 0,
  asset: 'USDC',
  from: '0x1',
  to: '0x2',
  amountUnits: 5n,
  block: { number: 7n, hash: '0x7', time: new Date(0) },
  carried: [],
} as Transfer;
const moved: Transfer = { ...lost, block: { ...lost.block, hash: '0x8' } };

async function ask(...said: (Transfer[] | undefined | 'fails')[]) {
  const names = said.map((_, at) => `rpc-${at}`);
  const use: Providers['use'] = async (work, { only = [] } = {}) => work({ name: only[0] } as Provider);
  const error = vi.fn<(fields: { providers: string[] }, message: string) => void>();
  const found = await findReplacements(
    { names, use },
    lost,
    async ({ name }: Provider) => {
      const answer = said[names.indexOf(name)];
      if (answer === 'fails') throw new TemporaryError('no answer');
      return answer;
    },
    { error } as unknown as Parameters<typeof findReplacements>[3],
  );
  return { found, named: error.mock.calls.flatMap(([{ providers }]) => providers) };
}

test.each<[string, Parameters<typeof ask>, Transfer[], string[]]>([
  ['one of three that names another block', [[moved], undefined, undefined], [], ['rpc-0']],
  ['one of three that insists on it', [[lost], undefined, []], [], ['rpc-0']],
  ['one of three that insists on it, where another fails', [undefined, [lost], 'fails'], [], ['rpc-1']],
  ['none, if most name the other block', [[moved], undefined, [moved]], [moved], []],
  ['none, if no one knows it', [undefined, undefined, undefined], [], []],
  ['none of two, of which one may lag', [[moved], undefined], [], []],
])(
  'a provider that the others contradict about a transfer that is gone is named: %s',
  async (_, said, found, named) => {
    expect(await ask(...said)).toEqual({ found, named });
  },
);
