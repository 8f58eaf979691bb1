import { MINUTE_MS, SECOND_MS } from '../../../platform/time.ts';
import type { BlockRef, Head, Pass } from '../chain.ts';
import { ImplausibleHeadError, ProviderBehindError } from './errors.ts';

// A lower head that is reported for so long is the truth: the chain was rolled back, or started again.
const BELIEVE_LOWER_AFTER_MS = 30 * SECOND_MS;
const HASHES_LIMIT = 512;
const MAX_BLOCKS_AT_ONCE = 64;
const MAX_SPEED_UP = 2;
const MAX_CLOCK_DIFFERENCE_MS = 30 * SECOND_MS;
/** A second provider confirms a jump only with a report as fresh as this. */
const CONFIRMS_FOR_MS = 1 * MINUTE_MS;
const ALARM_AFTER_MS = 10 * MINUTE_MS;
const ALARM_EVERY_MS = 10 * MINUTE_MS;

export interface HeadsOptions {
  /** How far apart the nodes behind one load balancer may be; further behind, another provider is asked. */
  maxLag: bigint;
  /**
   * The network's usual block time. Null on a test chain, whose blocks come when a test says so and carry any time: the
   * two plausibility rules are off there. A test switches them on with the tuning option of the same name.
   */
  usualBlockMs: number | null;
  /** Unix milliseconds. */
  nowMs: () => number;
  log: { error(fields: Record<string, unknown>, message: string): void };
}

/** The heads that were reported before, so that a pass neither sees its head go back nor follows an invented one. */
export interface Heads {
  /** The head this pass goes by: the one reported, or the last one where that is only a little older. */
  take(pass: Pass, reported: Head, provider: string): Head;
  last(pass: Pass): Head | undefined;
  /** Throws `ImplausibleHeadError` where the time that has passed does not allow this head yet. */
  requirePlausible(reported: { number: bigint; time: Date }, provider: string): void;
  /** Throws `ImplausibleHeadError` where the block is dated in the future. */
  requirePast(block: BlockRef, provider: string): void;
}

export function createHeads({ maxLag, usualBlockMs, nowMs, log }: HeadsOptions): Heads {
  const lastByPass = new Map<Pass, Head>();
  const lowerSinceMs = new Map<Pass, number>();
  const hashes = new Map<bigint, string>();
  /** Up to which block each provider's reports have been plausible, and when. */
  const plausible = new Map<string, { number: bigint; atMs: number }>();
  const refused = new Map<string, { number: bigint; atMs: number; sinceMs: number; alarmedMs: number }>();
  let best = -1n;

  function remember(reported: Head): void {
    hashes.set(reported.number, reported.hash);
    for (const number of hashes.keys())
      if (number > reported.number || hashes.size > HASHES_LIMIT) hashes.delete(number);
  }

  function requirePast(block: Pick<BlockRef, 'number' | 'time'>, provider: string): void {
    if (usualBlockMs === null || block.time.getTime() <= nowMs() + MAX_CLOCK_DIFFERENCE_MS) return;
    const aheadSeconds = Math.round((block.time.getTime() - nowMs()) / SECOND_MS);
    refuse(
      block.number,
      provider,
      `${provider} dates block ${block.number} ${aheadSeconds} s in the future of this server's clock`,
    );
  }

  function requirePlausible(reported: { number: bigint; time: Date }, provider: string): void {
    if (usualBlockMs === null) return;
    requirePast(reported, provider);
    const nowAtMs = nowMs();
    const advanced = ({ number, atMs }: { number: bigint; atMs: number }) =>
      number + BigInt(Math.floor((Math.max(0, nowAtMs - atMs) / usualBlockMs) * MAX_SPEED_UP));
    // A jump that another provider reports as well is the chain's: else a network that became faster would stand still.
    const confirmed = [...refused]
      .filter(([name, jump]) => name !== provider && nowAtMs - jump.atMs <= CONFIRMS_FOR_MS)
      .map(([, jump]) => jump);
    const reach = [...plausible.values(), ...confirmed]
      .map(advanced)
      .reduce<bigint | null>((a, b) => (a === null || b > a ? b : a), null);
    if (reach !== null && reported.number > reach + BigInt(MAX_BLOCKS_AT_ONCE)) {
      refuse(
        reported.number,
        provider,
        `${provider} is at block ${reported.number}, ${reported.number - reach} further than time allows`,
      );
    }
    refused.delete(provider);
    // Never above the reach: else each report could gain another burst, and a liar would creep ahead.
    plausible.set(provider, {
      number: reach === null || reported.number < reach ? reported.number : reach,
      atMs: nowAtMs,
    });
  }

  function refuse(number: bigint, provider: string, message: string): never {
    const atMs = nowMs();
    const before = refused.get(provider);
    const jump = {
      number,
      atMs,
      sinceMs: before?.sinceMs ?? atMs,
      alarmedMs: before?.alarmedMs ?? Number.NEGATIVE_INFINITY,
    };
    if (atMs - jump.sinceMs >= ALARM_AFTER_MS && atMs - jump.alarmedMs >= ALARM_EVERY_MS) {
      jump.alarmedMs = atMs;
      log.error({ provider, block: number.toString(), alarm: 'implausible_head' }, `provider skipped: ${message}`);
    }
    refused.set(provider, jump);
    throw new ImplausibleHeadError(message);
  }

  return {
    last: (pass) => lastByPass.get(pass),
    requirePlausible,
    requirePast,
    take(pass, reported, provider) {
      requirePlausible(reported, provider);
      const last = lastByPass.get(pass);
      const known = hashes.get(reported.number);
      const isFork = known !== undefined && known !== reported.hash;
      const isLower = reported.number < best - maxLag || (last !== undefined && reported.number < last.number);

      if (isLower && !isFork) {
        const sinceMs = lowerSinceMs.get(pass) ?? nowMs();
        lowerSinceMs.set(pass, sinceMs);
        if (nowMs() - sinceMs < BELIEVE_LOWER_AFTER_MS) {
          if (last && reported.number >= best - maxLag) return last;
          throw new ProviderBehindError(`${provider} is at block ${reported.number}, ${best - reported.number} behind`);
        }
      } else {
        // A lower head stays believed: another provider that is ahead must not stop this pass again with every head.
        lowerSinceMs.delete(pass);
      }
      best = isLower || isFork || reported.number > best ? reported.number : best;
      remember(reported);
      lastByPass.set(pass, reported);
      return reported;
    },
  };
}
