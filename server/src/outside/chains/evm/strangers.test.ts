import { pino } from 'pino';
import { expect, test, vi } from 'vitest';
import { TemporaryError } from '../../../platform/errors.ts';
import { MINUTE_MS } from '../../../platform/time.ts';
import { ProviderError } from '../rpc/errors.ts';
import type { Call, Provider } from '../rpc/provider.ts';
import { createEvmChain } from './chain.ts';

const ADDRESS = `0x${'42'.repeat(20)}`;

/** Base over one provider, and the methods that it was asked for. */
function start(code: () => unknown) {
  const asked: string[] = [];
  const provider = {
    name: 'one',
    requests: 0,
    recheckChain: () => {},
    call: async ({ method, parse }: Call<unknown>) => asked.push(method) && parse(code()),
  } as unknown as Provider;
  const chain = createEvmChain(
    { network: 'base', rpcUrls: ['https://one.example'], chainId: null, tokens: {}, tuning: { open: () => provider } },
    pino({ level: 'silent' }),
  );
  return { chain, asked };
}

test('whether a payout wallet has code is asked once in minutes, however many customers choose', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  try {
    const { chain, asked } = start(() => '0x');
    for (let time = 0; time < 3; time += 1) expect(await chain.hasCode?.(ADDRESS)).toBe(false);
    expect(asked).toEqual(['eth_getCode']);
    vi.advanceTimersByTime(5 * MINUTE_MS);
    expect(await chain.hasCode?.(ADDRESS)).toBe(false);
    expect(asked).toHaveLength(2);
  } finally {
    vi.useRealTimers();
  }
});

test('that it cannot be asked pauses no provider', async () => {
  const { chain, asked } = start(() => {
    throw new ProviderError('over its quota', { retryAfterMs: 3_600_000 });
  });
  for (let time = 0; time < 2; time += 1) await expect(chain.hasCode?.(ADDRESS)).rejects.toBeInstanceOf(TemporaryError);
  expect([asked, chain.health()]).toMatchObject([['eth_getCode', 'eth_getCode'], { reachable: true }]);
});
