import { pino } from 'pino';
import { expect, test, vi } from 'vitest';
import { MINUTE_MS, SECOND_MS } from '../../../platform/time.ts';
import type { BlockRef, Chain, Head, Pass } from '../chain.ts';
import { createRpcChain, type ChainAdapter } from './chain.ts';
import { NothingNewerError, ProviderBehindError, ProviderError } from './errors.ts';
import type { Provider } from './provider.ts';
import { createProviders } from './providers.ts';

const WATCHING = { addresses: new Set(['shop']) };

const HANGS = new Error('never answers');

interface Nodes {
  chain: Pick<Chain, 'read' | 'health' | 'probe'>;
  /** What a read from a provider throws; undefined if it reads one block. */
  failures: Map<string, Error>;
  read(pass: Pass, step?: { covers?: bigint; firstReader?: string }): Promise<string>;
  isStalled(pass: Pass): Promise<boolean>;
  passMinutes(count: number): void;
}

/** Two providers whose heads are always known, and whose reads may fail. */
function start(): Nodes {
  let nowMs = 0;
  const failures = new Map<string, Error>();
  let covers = 1n;
  const log = pino({ level: 'silent' });
  const open = (name: string) =>
    ({
      name,
      requests: 0,
      recheckChain() {},
      close: async () => {},
      get proven() {
        return this;
      },
    }) as unknown as Provider & { requests: number };
  const providers = createProviders(
    ['one', 'two'],
    {
      pin: { method: 'none', expected: '', parse: String },
      pauseMs: { first: 0, longest: 0 },
      nowMs: () => nowMs,
      open,
    },
    log,
  );
  const adapter = {
    maxLag: 1n,
    usualBlockMs: null,
    log,
    read: async (provider: Provider & { requests: number }, { after }: { after: BlockRef }) => {
      provider.requests += 1;
      const failure = failures.get(provider.name);
      if (failure === HANGS) return new Promise(() => {});
      if (failure) throw failure;
      return {
        transfers: [],
        reverted: [],
        covered: { ...after, number: after.number + covers },
        provider: provider.name,
      };
    },
    readHead: async (provider: Provider & { requests: number }) => {
      provider.requests += 1;
      return until;
    },
    readNewest: (provider: Provider & { requests: number }) => {
      provider.requests += 1;
      const failure = failures.get(provider.name);
      if (failure === HANGS) return new Promise(() => {});
      return failure ? Promise.reject(failure) : Promise.resolve(9n);
    },
  } as unknown as ChainAdapter;
  const after: BlockRef = { number: 1n, hash: '0x1', time: new Date(0) };
  const until: Head = { ...after, number: 9n, safe: null, finalized: null };
  const chain = createRpcChain(providers, adapter, { nowMs: () => nowMs });
  return {
    chain,
    failures,
    passMinutes(count) {
      nowMs += count * MINUTE_MS;
    },
    async isStalled(pass) {
      return (await chain.read({ after, until, watching: WATCHING, pass })).isStalled === true;
    },
    async read(pass, step = {}) {
      covers = step.covers ?? 1n;
      // Every provider answers something else meanwhile.
      await Promise.all([chain.head('first'), chain.head('second')]);
      const { firstReader } = step;
      return (await chain.read({ after, until, watching: WATCHING, pass, firstReader })).provider;
    },
  };
}

test('a first read that covers nothing does not make its provider the reader', async () => {
  const { failures, read } = start();
  expect(await read('first')).toBe('one');
  failures.set('one', new ProviderError('busy'));
  expect(await read('first', { covers: 0n })).toBe('two');
  failures.clear();
  expect(await read('second')).toBe('two');
});

test('a read that never ends is over after half a minute and counts as refused, and takes longer only if none is shorter', async () => {
  const { chain, failures, read, passMinutes } = start();
  vi.useFakeTimers();
  try {
    const readFor = async (seconds: number) => {
      const reading = read('second', { firstReader: 'one' }).catch((error: Error) => error.message);
      await vi.advanceTimersByTimeAsync(seconds * SECOND_MS);
      passMinutes(seconds / 60);
      return Promise.race([reading, 'still reads']);
    };
    failures.set('two', HANGS);
    // Eight blocks are halved three times.
    for (let turn = 0; turn < 4; turn += 1) expect(await readFor(30)).toBe('two had not finished after 30 s');
    expect(await readFor(59)).toBe('still reads');
    await vi.advanceTimersByTimeAsync(1 * SECOND_MS);
    expect(await readFor(120)).toBe('two had not finished after 120 s');
    expect(await readFor(240)).toBe('two had not finished after 240 s');
    expect(chain.health().isDownToOne).toBe(false);
    expect(await readFor(480)).toBe('two had not finished after 480 s');
    expect(chain.health().isDownToOne).toBe(true);
    failures.clear();
    expect(await readFor(1)).toBe('two');
    expect(chain.health().isDownToOne).toBe(false);
    failures.set('two', HANGS);
    expect(await readFor(30)).toBe('two had not finished after 30 s');
  } finally {
    vi.useRealTimers();
  }
});

test('a provider that answers and refuses every read is given up after ten minutes, until it serves one', async () => {
  const { chain, failures, read, passMinutes } = start();
  failures.set('two', new ProviderError('these blocks are pruned'));
  for (let minute = 0; minute < 10; minute += 1) {
    await expect(read('second', { firstReader: 'one' })).rejects.toThrow('pruned');
    expect(chain.health().isDownToOne).toBe(false);
    passMinutes(1);
  }
  await expect(read('second', { firstReader: 'one' })).rejects.toThrow('pruned');
  expect(chain.health().isDownToOne).toBe(true);
  failures.clear();
  expect(await read('second', { firstReader: 'one' })).toBe('two');
  expect(chain.health().isDownToOne).toBe(false);
});

test.each([2, 4, 10, 60])('and so is it on a network that rests, which is read each %i minutes', async (minutes) => {
  const { chain, failures, read, passMinutes } = start();
  failures.set('two', new ProviderError('these blocks are pruned'));
  for (let passed = 0; passed < 10; passed += minutes) {
    await expect(read('second', { firstReader: 'one' })).rejects.toThrow('pruned');
    expect(chain.health().isDownToOne).toBe(false);
    passMinutes(minutes);
  }
  await expect(read('second', { firstReader: 'one' })).rejects.toThrow('pruned');
  expect(chain.health().isDownToOne).toBe(true);
});

test('a sign of life does not wait for a provider that hangs, and without any the network is unreachable', async () => {
  const { chain, failures } = start();
  failures.set('one', HANGS);
  await chain.probe();
  failures.set('one', new ProviderError('closed'));
  await chain.probe();
  failures.set('two', new ProviderError('closed as well'));
  await expect(chain.probe()).rejects.toThrow('closed as well');
});

test('a provider that is behind is waited for, however long', async () => {
  const { chain, failures, read, passMinutes } = start();
  failures.set('two', new ProviderBehindError('not there yet'));
  for (let minute = 0; minute < 30; minute += 1) {
    await expect(read('second', { firstReader: 'one' })).rejects.toThrow('not there yet');
    passMinutes(1);
  }
  expect(chain.health().isDownToOne).toBe(false);
});

test('that no block follows is an answer, though another provider names a higher head and serves nothing', async () => {
  const { chain, failures, read, isStalled } = start();
  expect(await isStalled('first')).toBe(false);
  failures.set('one', new ProviderError('lacks a block'));
  failures.set('two', new NothingNewerError('at block 1'));
  expect(await read('first')).toBe('two');
  expect(await read('second', { firstReader: 'one' })).toBe('two');
  expect(chain.health().isDownToOne).toBe(false);
  // It is not progress, either.
  expect(await isStalled('first')).toBe(true);
});
