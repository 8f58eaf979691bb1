import { base58 } from '@scure/base';
import { pino } from 'pino';
import { expect, test, vi } from 'vitest';
import { Client } from '../../../platform/http/admission/client.ts';
import { TemporaryError } from '../../../platform/errors.ts';
import { ProviderError } from '../rpc/errors.ts';
import type { Call, Provider } from '../rpc/provider.ts';
import { createSolanaChain } from './chain.ts';

const HASH = base58.encode(new Uint8Array(32).fill(7));
const addressAt = (number: number) => base58.encode(new Uint8Array(32).fill(1).fill(number, 16));

/** Solana over one provider, and the methods that it was asked for. */
function start(answers: Record<string, unknown>) {
  const asked: string[] = [];
  const provider = {
    name: 'one',
    requests: 0,
    recheckChain: () => {},
    async call<T>({ method, parse }: Call<T>) {
      asked.push(method);
      if (!(method in answers)) throw new ProviderError('over its quota', { retryAfterMs: 3_600_000 });
      return parse(answers[method]);
    },
  } as unknown as Provider;
  const chain = createSolanaChain(
    { rpcUrls: ['https://one.example'], genesisHash: null, tokens: {}, tuning: { open: () => provider } },
    pino({ level: 'silent' }),
  );
  return { chain, asked };
}

test('addresses of strangers are looked up within a budget, of which a client has a share', async () => {
  const { chain, asked } = start({ getAccountInfo: { value: null } });
  let next = 0;
  const look = (client: string) => chain.accountKindOf?.(addressAt((next += 1)), { client: Client.only(client) });
  for (let made = 0; made < 40; made += 1) expect(await look('one')).toBe(null);
  await expect(look('one')).rejects.toBeInstanceOf(TemporaryError);
  expect(await look('two')).toBe(null);
  for (let client = 0; client < 200; client += 1) await look(`of many ${client}`)?.catch(() => {});
  expect(asked).toHaveLength(120);
  // A merchant's own have a quota of the account.
  expect(await chain.accountKindOf?.(addressAt(0))).toBe(null);
});

test('the kind of an address and its owner are one question, and so is the same address again', async () => {
  const { chain, asked } = start({ getAccountInfo: { value: null } });
  const client = Client.only('one');
  for (let time = 0; time < 3; time += 1) {
    await chain.accountKindOf?.(addressAt(1), { client });
    await chain.tokenAccountOwner?.(addressAt(1), { client });
  }
  expect(asked).toHaveLength(1);
});

test('an address of a stranger pauses no provider, whatever it answers', async () => {
  const { chain, asked } = start({ getLatestBlockhash: { value: { blockhash: HASH } } });
  await expect(chain.accountKindOf?.(addressAt(1), { client: null })).rejects.toBeInstanceOf(TemporaryError);
  expect(chain.health()).toMatchObject({ reachable: true });
  await expect(chain.accountKindOf?.(addressAt(2), { client: null })).rejects.toBeInstanceOf(TemporaryError);
  expect(asked).toEqual(['getAccountInfo', 'getAccountInfo']);
});

test('customers who want to sign at the same moment share a recent blockhash', async () => {
  const { chain, asked } = start({ getLatestBlockhash: { value: { blockhash: HASH } } });
  vi.useFakeTimers({ toFake: ['performance'] });
  try {
    const build = (reference: string | null) =>
      chain.buildTransfer?.({ from: addressAt(1), to: addressAt(2), asset: 'SOL', amountUnits: 1n, reference });
    const built = await Promise.all(Array.from({ length: 50 }, (_, at) => build(addressAt(at + 10))));
    expect([new Set(built).size, asked.length]).toEqual([50, 1]);
    vi.advanceTimersByTime(3_000);
    await build(addressAt(10));
    expect(asked).toHaveLength(2);
    // Two equal refunds carry nothing, so only another blockhash makes them two transactions.
    await build(null);
    await build(null);
    expect(asked).toHaveLength(4);
  } finally {
    vi.useRealTimers();
  }
});
