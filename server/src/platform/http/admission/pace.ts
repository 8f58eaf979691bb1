import type { ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { ApiError } from '../../errors.ts';
import { SECOND_MS } from '../../time.ts';

const MIB = 1024 * 1024;

export interface PaceLimits {
  /** Long answers of one account that are made at the same time, and requests for them that wait. */
  atOnce: number;
  waiting: number;
  /** Bytes of long answers that one account gets at once, and in each second after that. */
  burstBytes: number;
  bytesPerSecond: number;
  /** Between two parts of an answer of an account that is ahead by more than `smallBytes`. */
  restMs: number;
  /** Bytes that were answered to one account, and that its programs have not read yet. */
  unreadBytes: number;
  /** The same for all accounts together, of which those wait that are ahead by more than `smallBytes`. */
  burstBytesOfAll: number;
  bytesPerSecondOfAll: number;
  smallBytes: number;
}

const LIMITS: PaceLimits = {
  atOnce: 2,
  waiting: 200,
  burstBytes: MIB,
  // Making a MiB of answers leaves several MiB of garbage. At one a second, other accounts notice its collection.
  bytesPerSecond: MIB / 2,
  // Longer than most requests take, so that one of others meets at most one part.
  restMs: 15,
  unreadBytes: 16 * MIB,
  burstBytesOfAll: 8 * MIB,
  bytesPerSecondOfAll: 12 * MIB,
  smallBytes: MIB / 2,
};
/** An account without anything running is forgotten once this many are known. */
const MAX_IDLE = 1_000;

/** The clock, for tests. */
interface Time {
  nowMs(): number;
  pause(ms: number): Promise<unknown>;
}

/** Bytes above a rate, as of `atMs`. */
interface Spent {
  ahead: number;
  atMs: number;
}

interface Share extends Spent {
  running: number;
  waiting: (() => void)[];
  unread: number;
}

/**
 * What the long answers of one account may cost. Requests are limited by their number, but merchants decide how long their
 * objects are: one request for a page costs as much as hundreds of others. So an account's long answers are made a few at a time,
 * at a limited rate of bytes, and not before its programs have read the earlier ones. Those above the rate wait. One person may have
 * many accounts, so all of them together have a rate too.
 */
export class Pace {
  readonly #limits: PaceLimits;
  readonly #shares = new Map<string, Share>();
  readonly #time: Time;
  readonly #all: Spent;

  constructor(limits: Partial<PaceLimits> = {}, time: Time = { nowMs: () => performance.now(), pause }) {
    this.#limits = { ...LIMITS, ...limits };
    this.#time = time;
    this.#all = { ahead: 0, atMs: time.nowMs() };
  }

  /** Makes one long answer when it is the account's turn. `spend` counts it. */
  async inTurn<T>(account: string, work: () => Promise<T>): Promise<T> {
    const share = this.#shareOf(account);
    if (share.running >= this.#limits.atOnce) {
      if (share.waiting.length >= this.#limits.waiting)
        refuse('Too many requests for long answers of this account wait. Send fewer at once.');
      // The place is handed over, so that no later request takes it.
      await new Promise<void>((start) => share.waiting.push(start));
    } else {
      share.running += 1;
    }
    try {
      await this.keepRate(account);
      return await work();
    } finally {
      const next = share.waiting.shift();
      if (next) next();
      else share.running -= 1;
    }
  }

  /** Waits until the account's answers are within their rate and, if they are not few, within that of all. */
  async keepRate(account: string): Promise<void> {
    const share = this.#shareOf(account);
    const ownMs = this.#msAhead(share);
    const ms = share.ahead > this.#limits.smallBytes ? Math.max(ownMs, this.#msAheadOfAll()) : ownMs;
    if (ms > 0) await this.#time.pause(ms);
  }

  /** Waits between two parts of a long answer, if the account gets many. */
  async rest(account: string): Promise<void> {
    const share = this.#shareOf(account);
    this.#msAhead(share);
    if (share.ahead > this.#limits.smallBytes) await this.#time.pause(this.#limits.restMs);
  }

  /** Counts bytes of a long answer. */
  spend(account: string, bytes: number): void {
    const share = this.#shareOf(account);
    this.#msAhead(share);
    share.ahead += bytes;
    this.#msAheadOfAll();
    this.#all.ahead += bytes;
  }

  /** Counts bytes as unread until the response has been passed on or its connection is closed. */
  untilRead(account: string, bytes: number, response: ServerResponse): void {
    // The client has already left: `close` is emitted once only.
    if (response.closed || response.destroyed) return;
    const share = this.#shareOf(account);
    share.unread += bytes;
    response.once('close', () => {
      share.unread -= bytes;
    });
  }

  refuseUnread(account: string): void {
    const share = this.#shares.get(account);
    if (share && share.unread >= this.#limits.unreadBytes)
      refuse('The programs of this account have not read its earlier answers. Read them first.');
  }

  #msAhead(share: Share): number {
    return msAhead(share, this.#limits, this.#time.nowMs());
  }

  #msAheadOfAll(): number {
    const { burstBytesOfAll: burstBytes, bytesPerSecondOfAll: bytesPerSecond } = this.#limits;
    return msAhead(this.#all, { burstBytes, bytesPerSecond }, this.#time.nowMs());
  }

  #shareOf(account: string): Share {
    const known = this.#shares.get(account);
    if (known) return known;
    if (this.#shares.size >= MAX_IDLE) this.#forgetIdle();
    const share: Share = { running: 0, waiting: [], ahead: 0, atMs: this.#time.nowMs(), unread: 0 };
    this.#shares.set(account, share);
    return share;
  }

  #forgetIdle(): void {
    for (const [account, share] of this.#shares) {
      this.#msAhead(share);
      if (share.running === 0 && share.unread === 0 && share.ahead === 0) this.#shares.delete(account);
    }
  }
}

type Rate = Pick<PaceLimits, 'burstBytes' | 'bytesPerSecond'>;

/** How long until what was spent is within the rate. */
function msAhead(spent: Spent, { burstBytes, bytesPerSecond }: Rate, nowMs: number): number {
  // A clock that begins again, as in a simulation, must not count as bytes.
  const passedMs = Math.max(0, nowMs - spent.atMs);
  spent.ahead = Math.max(0, spent.ahead - (passedMs / SECOND_MS) * bytesPerSecond);
  spent.atMs = nowMs;
  return Math.max(0, ((spent.ahead - burstBytes) / bytesPerSecond) * SECOND_MS);
}

function refuse(message: string): never {
  throw new ApiError('rate_limited', { message, retryAfterSeconds: 1 });
}
