import { pino } from 'pino';
import { expect, test } from 'vitest';
import { HOUR_MS, SECOND_MS } from '../../../platform/time.ts';
import type { BlockRef, Head, ReadStep, Transfer } from '../chain.ts';
import { createRpcChain, type ChainAdapter } from './chain.ts';
import { ProviderError } from './errors.ts';
import type { Provider } from './provider.ts';
import { createProviders } from './providers.ts';

const NOW_MS = 10 * HOUR_MS;
const NAMES = ['liar', 'two', 'three'];

/** A block of the chain that most providers have, an hour ago: one each second. */
function block(number: number): BlockRef {
  return {
    number: BigInt(number),
    hash: `0x${number}`,
    time: new Date(NOW_MS - HOUR_MS + number * SECOND_MS),
  };
}

/** Three providers, asked in the order of their names. */
function startThree() {
  const heads: Record<string, BlockRef | Error> = {};
  const silent = new Set<string>();
  /** The block in which the transaction reverted, by the word of a provider. */
  const reverted = new Map<string, bigint>();
  const log = pino({ level: 'silent' });
  const open = (name: string) => {
    const provider = { name, requests: 0, recheckChain() {}, close: async () => {} };
    return { ...provider, proven: provider } as unknown as Provider;
  };
  const pin = { method: 'none', expected: '', parse: String };
  const providers = createProviders(NAMES, { pin, pauseMs: { first: 0, longest: 0 }, nowMs: () => NOW_MS, open }, log);
  const adapter = {
    maxLag: 1n,
    usualBlockMs: SECOND_MS,
    testChainSetting: null,
    log,
    async readHead({ name }: Provider): Promise<Head> {
      const head = heads[name];
      if (!head || head instanceof Error) throw head;
      return { ...head, safe: null, finalized: null };
    },
    read: async ({ name }: Provider, { after }: ReadStep) => ({
      transfers: shownBy(name),
      reverted: [],
      covered: after,
      provider: name,
    }),
    async findTransaction({ name }: Provider) {
      if (silent.has(name)) throw new ProviderError('down');
      const emptyIn = reverted.get(name);
      return emptyIn === undefined
        ? { transfers: shownBy(name), reverted: null }
        : { transfers: [], reverted: [], emptyIn };
    },
    toTxHash: (text: string) => text,
    findBlock: async (_: Provider, number: bigint) => block(Number(number)),
  } as unknown as ChainAdapter;
  const chain = createRpcChain(providers, adapter, { nowMs: () => NOW_MS });
  /** The head of the first pass while every provider names this block, except those that are changed. */
  const headAt = (number: number, change: Record<string, BlockRef | Error> = {}) => {
    for (const name of NAMES) heads[name] = block(number);
    Object.assign(heads, change);
    return chain.head('first');
  };
  return { chain, headAt, silent, reverted };
}

test('a lower head on another branch, which one of three claims alone, is passed over', async () => {
  const { headAt } = startThree();
  for (const number of [8, 9]) expect(await headAt(number)).toMatchObject(block(number));
  const claimed = { ...block(8), hash: '0xbad' };
  expect(await headAt(10, { liar: claimed })).toMatchObject(block(10));
});

test('a block that one of three has dated too late refuses no head of the others', async () => {
  const { headAt } = startThree();
  const late = { ...block(5), time: new Date(NOW_MS) };
  expect(await headAt(5, { liar: late })).toMatchObject(late);
  expect(await headAt(6, { liar: new ProviderError('down') })).toMatchObject(block(6));
});

test('a transfer in a block that no head can have reached is not read', async () => {
  const { chain, headAt } = startThree();
  const watching = { addresses: new Set<string>() };
  const step = { after: block(4), until: await headAt(5), watching, pass: 'first' } as const;
  expect(await chain.read(step)).toMatchObject({ provider: 'two', transfers: [{ block: block(3) }] });
});

test('a transfer in a block that no head can have reached is not read from a provider that alone is asked', async () => {
  const { chain, headAt } = startThree();
  const watching = { addresses: new Set<string>() };
  const step = { after: block(4), until: await headAt(5), watching, pass: 'first', only: 'liar' } as const;
  await expect(chain.read(step)).rejects.toThrow('further than time allows');
});

test('a transfer in a block that no head can have reached is not looked up', async () => {
  const { chain, headAt } = startThree();
  await headAt(5);
  const found = await chain.transaction('hash', { addresses: new Set() });
  expect(found).toMatchObject({ provider: 'two', transfers: [{ block: block(3) }] });
});

test('that a transaction moved nothing in a block that no head can have reached does not count', async () => {
  const { chain, headAt, reverted } = startThree();
  await headAt(5);
  reverted.set('liar', 1_000n).set('two', 3n).set('three', 4n);
  const found = await chain.transaction('hash', { addresses: new Set() });
  expect(found).toMatchObject({ provider: 'two', alsoBy: 'three', emptyIn: 4n });
});

test('a transfer in a block that no head can have reached does not come instead of one that is gone', async () => {
  const { chain, headAt, silent } = startThree();
  await headAt(5);
  for (const name of ['two', 'three']) silent.add(name);
  const gone = { to: 'wallet', index: 0, block: block(2), carried: [] as Uint8Array[] } as Transfer;
  await expect(chain.replacements(gone)).rejects.toThrow('further than time allows');
});

/** The liar names a block far above the others'. */
function shownBy(name: string): Transfer[] {
  return [{ block: block(name === 'liar' ? 1_000 : 3), carried: [] as Uint8Array[] } as Transfer];
}
