import { expect, test } from 'vitest';
import type { Providers } from '../rpc/providers.ts';
import { mintFacts } from './account-kind.ts';
import { TOKEN_PROGRAM } from './programs.ts';

const USDT = 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB';
const mint = Buffer.alloc(82);
// Its supply is beside it, as large as a number may be.
mint.fill(0xff, 36, 44).writeUInt8(6, 44);

/** Providers that all show one account. */
const showing = (value: unknown) =>
  ({
    use: (work: (provider: unknown) => unknown) =>
      work({ call: async (call: { parse(answer: unknown): unknown }) => call.parse({ value }) }),
  }) as unknown as Providers;
const account = (owner: string, data: Buffer) => ({
  owner,
  executable: false,
  data: [data.toString('base64'), 'base64'],
});

test('the decimals are read from a mint, and from no other account', async () => {
  expect(await mintFacts(showing(account(TOKEN_PROGRAM, mint)), USDT)).toEqual({
    address: USDT,
    decimals: 6,
    symbol: null,
  });
  for (const other of [
    null,
    account(TOKEN_PROGRAM, Buffer.alloc(165)),
    account('11111111111111111111111111111111', mint),
  ])
    expect(await mintFacts(showing(other), USDT)).toEqual({ address: USDT, decimals: null, symbol: null });
});
