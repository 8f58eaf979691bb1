import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { TemporaryError } from '../../../platform/errors.ts';
import { UNREACHABLE_MIN_MS } from '../chain.ts';
import { type ChainAdapter, createRpcChain } from './chain.ts';
import type { Provider } from './provider.ts';
import type { Providers } from './providers.ts';

/** What one provider says about a transaction. */
type Word = 'shows it' | 'pays others' | 'reverted' | 'lacks it' | 'fails' | 'dead';

const SHOWN = { transfers: [{}], reverted: null };
const PAYS_OTHERS = { transfers: [], reverted: null };
const REVERTED = { transfers: [], reverted: [] };
/** In a later block for each provider. */
const inBlock = (name: string, one: object) => ({ ...one, emptyIn: BigInt(name.replace('rpc-', '')) });

function chainThatSays(words: readonly Word[]) {
  const said = new Map(words.map((word, at) => [`rpc-${at}`, word]));
  const isSilent = (name: string) => ['fails', 'dead'].includes(said.get(name) ?? '');
  const providers: Providers = {
    names: [...said.keys()],
    async use(work, { only = [...said.keys()] } = {}) {
      const name = only.find((one) => !isSilent(one));
      if (name === undefined) throw new TemporaryError('no provider answers');
      return work({ name, proven: { name } } as Provider);
    },
    unreachableMs: (name) => (said.get(name) === 'dead' ? UNREACHABLE_MIN_MS : 0),
    health: () => [],
    close: async () => {},
  };
  const adapter = {
    maxLag: 1n,
    usualBlockMs: null,
    log: pino({ level: 'silent' }),
    toTxHash: (text: string) => text,
    findTransaction: async ({ name }: Provider) =>
      ({ 'shows it': SHOWN, 'pays others': inBlock(name, PAYS_OTHERS), reverted: inBlock(name, REVERTED) })[
        said.get(name) as string
      ] ?? undefined,
  } as unknown as ChainAdapter;
  return createRpcChain(providers, adapter, {});
}

describe('a transaction is looked up at every provider: that it moved nothing needs as many words as a verdict', () => {
  test.each<[Word[], 'shown' | 'pays others' | 'unknown' | 'reverted' | 'reverted, moved nothing' | 'nobody can say']>([
    [['shows it'], 'shown'],
    [['lacks it'], 'unknown'],
    [['reverted'], 'reverted, moved nothing'],
    [['dead'], 'nobody can say'],
    [['pays others'], 'pays others'],
    [['pays others', 'shows it'], 'shown'],
    [['pays others', 'fails'], 'nobody can say'],
    [['pays others', 'dead'], 'pays others'],
    [['pays others', 'lacks it'], 'pays others'],
    [['pays others', 'reverted'], 'pays others'],
    [['pays others', 'reverted', 'reverted'], 'reverted, moved nothing'],
    [['pays others', 'pays others', 'reverted'], 'pays others'],
    [['pays others', 'pays others', 'shows it'], 'shown'],
    [['pays others', 'pays others', 'fails'], 'pays others'],
    [['pays others', 'fails', 'fails'], 'nobody can say'],
    [['lacks it', 'shows it'], 'shown'],
    [['reverted', 'shows it'], 'shown'],
    [['fails', 'shows it'], 'shown'],
    [['lacks it', 'lacks it'], 'unknown'],
    [['lacks it', 'fails'], 'nobody can say'],
    [['lacks it', 'dead'], 'unknown'],
    [['reverted', 'reverted'], 'reverted, moved nothing'],
    [['reverted', 'lacks it'], 'reverted, moved nothing'],
    [['reverted', 'fails'], 'reverted'],
    [['reverted', 'dead'], 'reverted, moved nothing'],
    [['lacks it', 'lacks it', 'shows it'], 'shown'],
    [['lacks it', 'fails', 'fails'], 'nobody can say'],
    [['lacks it', 'dead', 'dead'], 'nobody can say'],
    [['lacks it', 'lacks it', 'fails'], 'unknown'],
    [['reverted', 'fails', 'fails'], 'reverted'],
    [['reverted', 'dead', 'dead'], 'reverted'],
    [['reverted', 'lacks it', 'fails'], 'reverted, moved nothing'],
    [['lacks it', 'lacks it', 'fails', 'fails'], 'nobody can say'],
    [['reverted', 'reverted', 'shows it', 'shows it', 'shows it'], 'shown'],
    [['reverted', 'reverted', 'lacks it', 'fails', 'fails'], 'reverted, moved nothing'],
  ])('%j: %s', async (words, expected) => {
    expect(await outcomeOf(words)).toBe(expected);
    expect(await outcomeOf(words.toReversed())).toBe(expected);
  });

  async function outcomeOf(words: readonly Word[]): Promise<string> {
    try {
      const found = await chainThatSays(words).transaction('hash', { addresses: new Set() });
      if (!found) return 'unknown';
      const shown = found.transfers.length > 0 ? 'shown' : 'pays others';
      return `${found.reverted ? 'reverted' : shown}${found.movedNothing ? ', moved nothing' : ''}`;
    } catch (error) {
      expect(error).toBeInstanceOf(TemporaryError);
      return 'nobody can say';
    }
  }
});

test.each<[Word[], string | undefined, bigint]>([
  [['pays others'], undefined, 0n],
  [['pays others', 'lacks it'], undefined, 0n],
  [['pays others', 'reverted'], undefined, 0n],
  [['pays others', 'pays others'], 'rpc-1', 1n],
  [['pays others', 'lacks it', 'pays others'], 'rpc-2', 2n],
  [['reverted', 'lacks it'], undefined, 0n],
  [['reverted', 'reverted', 'pays others'], 'rpc-1', 1n],
])(
  '%j: the second provider that says the same of it is %s, and the later block that they name is %s',
  async (words, ...said) => {
    const found = await chainThatSays(words).transaction('hash', { addresses: new Set() });
    expect([found?.alsoBy, found?.emptyIn]).toEqual(said);
  },
);
