import { pino } from 'pino';
import { expect, test } from 'vitest';
import type { Transfer } from '../chain.ts';
import { checkTransfer } from './check.ts';
import type { Provider } from './provider.ts';
import type { Providers } from './providers.ts';
import type { Report } from './quorum.ts';

const transfer = { block: { number: 8n, hash: '0x8', time: new Date(0) } } as Transfer;
const providers = {
  names: ['liar', 'one', 'two'],
  use: (work: (provider: Provider) => unknown, { only }: { only: string[] }) =>
    work({ name: only[0] } as unknown as Provider),
  unreachableMs: () => 0,
} as unknown as Providers;

test('an answer that cannot be evaluated does not keep the others from deciding', async () => {
  const report = async ({ name }: Provider): Promise<Report> => {
    if (name === 'liar') throw new SyntaxError('Cannot convert 0xzz to a BigInt');
    return { type: 'stands', provider: name, transfer, head: { number: 99n, safe: null, finalized: null } };
  };
  expect(await checkTransfer(providers, report, pino({ level: 'silent' }))).toMatchObject({
    type: 'stands',
    providers: ['one', 'two'],
  });
});
