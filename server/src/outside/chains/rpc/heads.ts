import { MINUTE_MS, SECOND_MS } from '../../../platform/time.ts';
import type { BlockRef, Head, Pass, Transfer } from '../chain.ts';
import { ImplausibleHeadError, ProviderBehindError } from './errors.ts';

// A lower head that is reported for this long is accepted: the chain was rolled back or restarted.
const ACCEPT_LOWER_AFTER_MS = 30 * SECOND_MS;
const HASHES_LIMIT = 512;
const MAX_BLOCKS_AT_ONCE = 64;
const MAX_SPEED_UP = 2;
const MAX_CLOCK_DIFFERENCE_MS = 30 * SECOND_MS;
/** A second provider's report confirms a jump only if it is this recent. */
const CONFIRMATION_TTL_MS = 1 * MINUTE_MS;
const ALARM_AFTER_MS = 10 * MINUTE_MS;
const ALARM_EVERY_MS = 10 * MINUTE_MS;
/** How much earlier than an earlier block one may be dated: clocks differ, and so do branches. */
const MAX_DATED_BACK_MS = 5 * MINUTE_MS;
/** The block that a provider has dated is replaced by a newer one after this long: providers that lag have it by then. */
const KEEP_DATE_MS = 1 * MINUTE_MS;

export interface HeadsOptions {
  /** How far apart the nodes behind one load balancer may be. A provider further behind is replaced by another. */
  maxLag: bigint;
  /**
   * The network's usual block time. Null on a test chain, whose blocks come on demand with any time: the two
   * plausibility rules are disabled there. Tests enable them with the tuning option of the same name.
   */
  usualBlockMs: number | null;
  /** The setting that makes the network a test chain. A refusal names it: a test chain's id may be the network's own. */
  testChainSetting?: string | undefined;
  /** Unix milliseconds. */
  nowMs: () => number;
  log: { error(fields: Record<string, unknown>, message: string): void };
}

/** The reported heads, so that a pass neither goes back nor follows an invented head. */
export interface Heads {
  /** The head for a pass: the reported one, or the last one if the reported one is only slightly older. */
  accept(pass: Pass, reported: Head, provider: string): Head;
  last(pass: Pass): Head | undefined;
  /** The block that was a head before and has another hash in this report; undefined if none had. */
  replacedBy(reported: Pick<BlockRef, 'number' | 'hash'>): Pick<BlockRef, 'number' | 'hash'> | undefined;
  /** Throws `ImplausibleHeadError` if the elapsed time does not allow this head yet. */
  requirePlausible(reported: { number: bigint; time: Date }, provider: string): void;
  /** The same for what was read, which says nothing of the provider's head; what it covers must not be dated in the future. */
  requireReached(read: Shown, provider: string): void;
  /** A block that is not above this one, and that another provider has dated much later. One of the two is wrong. */
  datedLater(block: DatedBlock, provider: string): DatedBlock | undefined;
  /** Most providers do not date this block so. */
  forgetDate(block: DatedBlock): void;
  /** Throws `ImplausibleHeadError`: most providers date an earlier block later. */
  refuseDate(block: DatedBlock, provider: string): never;
}

interface Shown {
  transfers: readonly Pick<Transfer, 'block'>[];
  covered?: BlockRef;
  emptyIn?: bigint;
}

export type DatedBlock = Pick<BlockRef, 'number' | 'time'>;

/** Whether a block is dated much earlier than one that is not above it. */
export function isDatedBack(block: Pick<BlockRef, 'time'>, earlier: Pick<BlockRef, 'time'>): boolean {
  return earlier.time.getTime() - block.time.getTime() > MAX_DATED_BACK_MS;
}

export function createHeads(options: HeadsOptions): Heads {
  return new ReportedHeads(options);
}

/** Of each provider: the number of its last refused block, and since when they are refused. */
type Refusals = Map<string, { number: bigint; atMs: number; sinceMs: number; alarmedMs: number }>;

class ReportedHeads implements Heads {
  readonly #options: HeadsOptions;
  readonly #lastByPass = new Map<Pass, Head>();
  readonly #lowerSinceMs = new Map<Pass, number>();
  readonly #hashes = new Map<bigint, string>();
  /** The highest plausible block of each provider, and the time of the report. */
  readonly #plausible = new Map<string, { number: bigint; atMs: number }>();
  readonly #refused: Refusals = new Map();
  readonly #dates = new Map<string, DatedBlock>();
  readonly #misdated: Refusals = new Map();
  readonly #unreached: Refusals = new Map();
  #best = -1n;

  constructor(options: HeadsOptions) {
    this.#options = options;
  }

  last(pass: Pass): Head | undefined {
    return this.#lastByPass.get(pass);
  }

  replacedBy({ number, hash }: Pick<BlockRef, 'number' | 'hash'>) {
    const known = this.#hashes.get(number);
    return known === undefined || known === hash ? undefined : { number, hash: known };
  }

  accept(pass: Pass, reported: Head, provider: string): Head {
    const { maxLag, nowMs } = this.#options;
    this.requirePlausible(reported, provider);
    this.#noteDate(reported, provider);
    const last = this.#lastByPass.get(pass);
    const isFork = this.replacedBy(reported) !== undefined;
    const isLower = reported.number < this.#best - maxLag || (last !== undefined && reported.number < last.number);

    if (isLower && !isFork) {
      const sinceMs = this.#lowerSinceMs.get(pass) ?? nowMs();
      this.#lowerSinceMs.set(pass, sinceMs);
      if (nowMs() - sinceMs < ACCEPT_LOWER_AFTER_MS) {
        if (last && reported.number >= this.#best - maxLag) return last;
        throw new ProviderBehindError(
          `${provider} is at block ${reported.number}, ${this.#best - reported.number} behind`,
        );
      }
    } else {
      // A lower head stays accepted: another provider that is ahead must not stop this pass again with every head.
      this.#lowerSinceMs.delete(pass);
    }
    this.#best = isLower || isFork || reported.number > this.#best ? reported.number : this.#best;
    this.#storeHash(reported);
    this.#lastByPass.set(pass, reported);
    return reported;
  }

  requirePlausible(reported: { number: bigint; time: Date }, provider: string): void {
    const { usualBlockMs, nowMs } = this.#options;
    if (usualBlockMs === null) return;
    this.#requireNotInFuture(reported, provider);
    const reach = this.#requireReach(reported.number, provider);
    this.#refused.delete(provider);
    // Never above the reach. Otherwise each report could add another burst, and a lying provider would creep ahead.
    this.#plausible.set(provider, {
      number: reach === null || reported.number < reach ? reported.number : reach,
      atMs: nowMs(),
    });
  }

  requireReached({ transfers, covered, emptyIn }: Shown, provider: string): void {
    if (this.#options.usualBlockMs === null) return;
    const refused = this.#unreached;
    for (const { block } of transfers) this.#requireReach(block.number, provider, refused);
    if (emptyIn !== undefined) this.#requireReach(emptyIn, provider, refused);
    if (covered) this.#requireNotInFuture(covered, provider, refused);
  }

  /** How far the heads of all providers may be by now; null if there was none. Refuses a block beyond. */
  #requireReach(number: bigint, provider: string, refused = this.#refused): bigint | null {
    const { nowMs } = this.#options;
    const usualBlockMs = this.#options.usualBlockMs as number;
    const nowAtMs = nowMs();
    const advanced = ({ number, atMs }: { number: bigint; atMs: number }) =>
      number + BigInt(Math.floor((Math.max(0, nowAtMs - atMs) / usualBlockMs) * MAX_SPEED_UP));
    // A jump that another provider confirms is real. Otherwise a network that became faster would stall.
    const confirmed = [...this.#refused]
      .filter(([name, jump]) => name !== provider && nowAtMs - jump.atMs <= CONFIRMATION_TTL_MS)
      .map(([, jump]) => jump);
    const reach = [...this.#plausible.values(), ...confirmed]
      .map(advanced)
      .reduce<bigint | null>((a, b) => (a === null || b > a ? b : a), null);
    if (reach !== null && number > reach + BigInt(MAX_BLOCKS_AT_ONCE)) {
      const reason = `${provider} names block ${number}, ${number - reach} further than time allows`;
      this.#refuse(number, provider, reason, refused);
    }
    return reach;
  }

  #requireNotInFuture(block: DatedBlock, provider: string, refused = this.#refused): void {
    const { usualBlockMs, nowMs } = this.#options;
    if (usualBlockMs === null || block.time.getTime() <= nowMs() + MAX_CLOCK_DIFFERENCE_MS) return;
    const aheadSeconds = Math.round((block.time.getTime() - nowMs()) / SECOND_MS);
    this.#refuse(
      block.number,
      provider,
      `${provider} dates block ${block.number} ${aheadSeconds} s in the future of this server's clock`,
      refused,
    );
  }

  datedLater(block: DatedBlock, provider: string): DatedBlock | undefined {
    if (this.#options.usualBlockMs === null) return undefined;
    return [...this.#dates].find(
      ([name, earlier]) => name !== provider && earlier.number <= block.number && isDatedBack(block, earlier),
    )?.[1];
  }

  /** Keeps the block, for comparing the dates of other providers with it. */
  #noteDate({ number, time }: DatedBlock, provider: string): void {
    const before = this.#dates.get(provider);
    const isNew = !before || number < before.number || time.getTime() - before.time.getTime() >= KEEP_DATE_MS;
    if (isNew) this.#dates.set(provider, { number, time });
  }

  forgetDate(block: DatedBlock): void {
    for (const [name, dated] of this.#dates) if (dated === block) this.#dates.delete(name);
  }

  refuseDate({ number, time }: DatedBlock, provider: string): never {
    const reason = `${provider} dates block ${number} ${time.toISOString()}, and most providers an earlier one later`;
    this.#refuse(number, provider, reason, this.#misdated);
  }

  #refuse(number: bigint, provider: string, reason: string, refused = this.#refused): never {
    const { nowMs, log, testChainSetting } = this.#options;
    const message = testChainSetting ? `${reason}. If this is a test chain, set ${testChainSetting}` : reason;
    const atMs = nowMs();
    const last = refused.get(provider);
    // A right head restarts the time until the alarm. For anything else, ten minutes without a refusal do.
    const isOver = last && refused !== this.#refused && atMs - last.atMs >= ALARM_AFTER_MS;
    const before = isOver ? undefined : last;
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

  #storeHash(reported: Head): void {
    this.#hashes.set(reported.number, reported.hash);
    for (const number of this.#hashes.keys())
      if (number > reported.number || this.#hashes.size > HASHES_LIMIT) this.#hashes.delete(number);
  }
}
