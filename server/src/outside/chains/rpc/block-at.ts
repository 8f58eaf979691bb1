import type { Logger } from 'pino';
import { TemporaryError } from '../../../platform/errors.ts';
import { SECOND_MS, within } from '../../../platform/time.ts';
import type { BlockRef, NamedBlock, Start } from '../chain.ts';
import type { Provider } from './provider.ts';
import type { Providers } from './providers.ts';

/** The last block at or before an instant, and whether the provider's history reaches that far. */
export interface FoundBlock {
  block: BlockRef;
  reached: boolean;
}

/** A provider that dates blocks too late is followed at most this many times as far back as the time needs. */
const MAX_WALK = 4n;
const MAX_BLOCKS_AT_ONCE = 64n;
/**
 * How long the rest is waited for once enough have answered. A search takes some thirty calls, so an ordinary provider
 * needs seconds; and less than a lease is held without progress.
 */
const MAX_LATE_MS = 25 * SECOND_MS;

export interface BlockSearch {
  time: Date;
  start: Start | undefined;
  /** Null on a test chain, whose blocks come at any pace. */
  usualBlockMs: number | null;
  nowMs: number;
}

/** From the providers whose history reaches the instant; otherwise the oldest block that a provider has, with an alarm. */
export async function blockAt(
  providers: Providers,
  find: (provider: Provider) => Promise<FoundBlock>,
  search: BlockSearch,
  log: Pick<Logger, 'error'>,
): Promise<NamedBlock> {
  const { block, reached } = await earliestBlockAt(providers, find, search);
  if (!reached)
    log.error(
      { wanted: search.time, from: block.time, alarm: 'history_missing' },
      'history incomplete: no provider has the blocks to read, add one with the full history',
    );
  return block;
}

/**
 * The earliest block that any answering provider names. One that dates blocks too early would otherwise place reading
 * behind a payment, in both passes. The second pass waits for a second answer for the same reason, however long that
 * takes: it has nothing to read without a second provider. The first one does not, so that a slow provider cannot keep a
 * network from being read; what it begins behind then, the second pass reads by another provider than the one that named
 * the block.
 */
export async function earliestBlockAt(
  providers: Providers,
  find: (provider: Provider) => Promise<FoundBlock>,
  search: BlockSearch,
): Promise<FoundBlock & { block: NamedBlock }> {
  const { names } = providers;
  const { start } = search;
  const enough = !start ? names.length : start.pass === 'second' ? Math.min(2, names.length) : 1;
  const ask = async (provider: Provider) => {
    const found = await find(provider);
    return { ...found, block: { ...found.block, provider: provider.name } };
  };
  const answers = await settleInTime(
    names.map((name) => providers.use(ask, { only: [name] })),
    enough,
  );
  const failures = answers.filter((answer) => answer.status === 'rejected').map(({ reason }) => reason as unknown);
  const fatal = failures.find((error) => !(error instanceof TemporaryError));
  if (fatal !== undefined) throw fatal;
  const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
  const best = earliest(found, search);
  if (!best || found.length < (start ? enough : 1))
    throw new TemporaryError(failures.map((error) => (error as Error).message).join('; '));
  return best;
}

async function settleInTime<T>(searches: readonly Promise<T>[], enough: number): Promise<PromiseSettledResult<T>[]> {
  const late = { status: 'rejected' as const, reason: new TemporaryError('the provider has not answered in time') };
  const answers: PromiseSettledResult<T>[] = searches.map(() => late);
  const isEnough = Promise.withResolvers<void>();
  const all = Promise.all(
    searches.map(async (search, at) => {
      const [answer] = await Promise.allSettled([search]);
      answers[at] = answer;
      if (answers.filter(({ status }) => status === 'fulfilled').length >= enough) isEnough.resolve();
    }),
  );
  await Promise.race([all, isEnough.promise.then(() => within(MAX_LATE_MS, all, []))]);
  return [...answers];
}

function earliest<T extends FoundBlock>(found: readonly T[], search: BlockSearch): T | undefined {
  const sorted = found.toSorted((a, b) => (a.block.number < b.block.number ? -1 : 1));
  const lowest = lowestPlausible(search);
  return sorted.find(({ block }) => block.number >= lowest) ?? sorted.at(-1);
}

/** No block of this time is further below the head, so a provider that names one must not make the reader walk a year. */
function lowestPlausible({ time, start, usualBlockMs, nowMs }: BlockSearch): bigint {
  if (!start || usualBlockMs === null) return 0n;
  const passed = BigInt(Math.ceil(Math.max(0, nowMs - time.getTime()) / usualBlockMs));
  return start.head.number - passed * MAX_WALK - MAX_BLOCKS_AT_ONCE;
}
