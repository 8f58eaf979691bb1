import { setImmediate } from 'node:timers/promises';
import { pino } from 'pino';
import { describe, expect, test, vi } from 'vitest';
import { MINUTE_MS } from '../../../platform/time.ts';
import type { Transfer, VerdictHead } from '../chain.ts';
import { createRpcChain, type ChainAdapter } from './chain.ts';
import { checkTransfer } from './check.ts';
import { ProviderError } from './errors.ts';
import type { Provider } from './provider.ts';
import { createProviders, type Providers } from './providers.ts';
import type { Question, Report } from './quorum.ts';

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
  expect(await checkTransfer(providers, report, { log: pino({ level: 'silent' }) })).toMatchObject({
    type: 'stands',
    providers: ['one', 'two'],
  });
});

describe('a provider whose head stands still, and the first of three to report', () => {
  const log = pino({ level: 'silent' });
  const lowest = (head: bigint) => ({ number: head, safe: null, finalized: null });
  const slow = (two: Promise<unknown>) => {
    return async ({ name }: Provider): Promise<Report> => {
      if (name === 'two') await two;
      return { type: 'stands', provider: name, transfer, head: lowest(name === 'liar' ? 8n : 99n) };
    };
  };
  const isEnough = ({ number }: VerdictHead) => number >= 20n;

  test('does not hold the head down that the other two have reached', async () => {
    const gate = Promise.withResolvers<void>();
    const verdict = checkTransfer(providers, slow(gate.promise), { log, isEnough });
    await setImmediate();
    gate.resolve();
    expect(await verdict).toMatchObject({
      type: 'stands',
      providers: ['liar', 'one', 'two'],
      head: { number: 99n },
    });
  });

  test('is not waited for where the head of two is high enough', async () => {
    const verdict = await checkTransfer(providers, slow(new Promise(() => {})), { log, isEnough: () => true });
    expect(verdict).toMatchObject({ type: 'stands', providers: ['liar', 'one'], head: { number: 8n } });
  });

  test('leaves the head of two if the third one does not report in time', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const verdict = checkTransfer(providers, slow(new Promise(() => {})), { log, isEnough });
      await vi.advanceTimersByTimeAsync(10_000);
      expect(await verdict).toMatchObject({ type: 'stands', providers: ['liar', 'one'], head: { number: 8n } });
    } finally {
      vi.useRealTimers();
    }
  });
});

test('an error of this server does not make the other provider decide alone, however long one was unreachable', async () => {
  let nowMs = 0;
  const lines: { err?: { message: string }; provider?: string }[] = [];
  const log = pino({ level: 'error' }, { write: (line: string) => lines.push(JSON.parse(line)) });
  const open = (name: string) =>
    ({
      name,
      requests: 0,
      recheckChain() {},
      close: async () => {},
      get proven() {
        return this;
      },
    }) as unknown as Provider;
  const options = { pin: { method: 'none', expected: '', parse: String }, pauseMs: { first: 0, longest: 0 }, open };
  const two = createProviders(['one', 'two'], { ...options, nowMs: () => nowMs }, log);
  const adapter = {
    log,
    usualBlockMs: null,
    report: async ({ name }: Provider, { transfer: of, watching }: Question) => {
      if (name === 'two') await watching.creditedBeside?.(of, 0);
      return { type: 'stands', provider: name, transfer: of, head: { number: 99n, safe: null, finalized: null } };
    },
  } as unknown as ChainAdapter;
  for (let minute = 0; minute < 11; minute += 1) {
    await two.use(() => Promise.reject(new ProviderError('down')), { only: ['two'] }).catch(() => {});
    nowMs += MINUTE_MS;
  }
  const creditedBeside = () => Promise.reject(new Error('relation "transfers" does not exist'));
  const verdict = await createRpcChain(two, adapter, {}).check(transfer, { addresses: new Set(), creditedBeside });
  expect(verdict).toMatchObject({ type: 'wait' });
  expect(lines).toMatchObject([{ provider: 'two', err: { message: expect.stringContaining('does not exist') } }]);
  expect(two.health()[1]?.lastError).toBe('down');
});

test('what providers have shown is forgotten unless they agree, so that one that was wrong for a moment is asked again', async () => {
  const log = pino({ level: 'silent' });
  const providers = { names: ['one'], use: (work: (one: Provider) => unknown) => work({ name: 'one' } as Provider) };
  const forgotten: string[] = [];
  const type = { now: 'stands' };
  const adapter = {
    log,
    usualBlockMs: null,
    report: async () => ({
      type: type.now,
      provider: 'one',
      transfer,
      details: '',
      head: { number: 99n, safe: null, finalized: null },
    }),
    forgetShown: () => forgotten.push(type.now),
  } as unknown as ChainAdapter;
  const chain = createRpcChain(providers as unknown as Providers, adapter, {});
  for (const now of ['stands', 'differs', 'stands', 'not_yet', 'gone']) {
    type.now = now;
    await chain.check(transfer, { addresses: new Set() });
  }
  expect(forgotten).toEqual(['differs', 'not_yet', 'gone']);
});
