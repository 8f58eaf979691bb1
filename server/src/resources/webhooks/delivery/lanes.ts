import { type AttemptResult, type LeasedDelivery, type Lane, isDelivered } from './delivery.ts';
import type { LeaseLimits } from './lease-store.ts';
import { SECOND_MS } from '../../../platform/time.ts';

/**
 * Holds the leased deliveries of this process and decides which is sent next, so that no account and no endpoint delays
 * another. Times are milliseconds of a monotonic clock.
 */
export interface FairQueue {
  /** Whether nothing is being sent. */
  readonly isIdle: boolean;
  /** Whether the queue is so short that more should be leased. */
  readonly wantsMore: boolean;
  /** The endpoints with queued deliveries. */
  readonly queuedEndpoints: string[];
  /** What may be leased now. */
  limits(): LeaseLimits;
  add(deliveries: readonly LeasedDelivery[], at: number): void;
  /** Starts every delivery that has a slot. */
  start(at: number, send: (sending: Sending) => void): void;
  /** Returns the slot. Returns the endpoint's lane if this attempt has changed it. */
  finished(sending: Sending, attempted: AttemptResult): Lane | null;
  /** Returns the slot without a verdict about the endpoint. */
  dropped(sending: Sending): void;
  /** Marks overdue sends, and returns the deliveries to release. */
  tidy(at: number): LeasedDelivery[];
  /** Empties the queue of one endpoint, or all. */
  clear(endpointId?: string): LeasedDelivery[];
}

/** One attempt in flight. The queue keeps more about it. */
export interface Sending {
  readonly delivery: LeasedDelivery;
}

/** Concurrent sends per endpoint, by lane. An endpoint on probation gets one until it has answered well. */
const PER_ENDPOINT = { healthy: 4, probation: 1, slow: 2 } as const;
const PER_ACCOUNT = 16;
const PER_ACCOUNT_SLOW = 4;
const SLOTS = 128;
/** Endpoints known to be slow or failing get at most a quarter of the slots. */
const SLOTS_SLOW = SLOTS / 4;
const SLOTS_FAST = SLOTS - SLOTS_SLOW;
const SLOTS_ON_PROBATION = SLOTS / 2;

/**
 * A send that takes longer than this returns its slot and only holds its socket, so that unresponsive endpoints cannot
 * delay others before they are known.
 */
const OVERDUE_MS = { healthy: 300, probation: 100 } as const;
const MAX_OVERDUE = 384;
const MAX_OVERDUE_PER_ACCOUNT = 32;
const SLOW_AVERAGE_MS = 3 * SECOND_MS;

/** Leased and not yet sent: enough to keep the slots busy while the next are leased. */
const QUEUED = { healthy: 1024, probation: 128, slow: 64 } as const;
const QUEUED_PER_ACCOUNT = 128;
/** A delivery that has waited longer is released, because its lease would not outlast an attempt. */
const MAX_QUEUED_MS = 12 * SECOND_MS;

/**
 * Accounts take turns, and the endpoints of each take turns, within the limits of endpoint, account and lane. Does not
 * use the database.
 */
export class Lanes implements FairQueue {
  readonly #endpoints = new Map<string, EndpointState>();
  readonly #accounts = new Map<string, AccountState>();
  readonly #sending = new Set<LaneSending>();
  /** The accounts with queued deliveries, the one served last at the end. */
  #turns: AccountState[] = [];
  #queued: Record<Lane, number> = { healthy: 0, probation: 0, slow: 0 };
  #running: Record<Lane, number> = { healthy: 0, probation: 0, slow: 0 };
  #overdue = 0;

  get isIdle(): boolean {
    return this.#sending.size === 0;
  }

  get queuedEndpoints(): string[] {
    return this.#queuing().map((endpoint) => endpoint.id);
  }

  get wantsMore(): boolean {
    return this.#queued.healthy < QUEUED.healthy / 2;
  }

  limits(): LeaseLimits {
    const busyEndpoints = [...this.#endpoints.values()]
      .filter((endpoint) => endpoint.overdue > 0)
      .map((endpoint) => endpoint.id);
    const busyAccounts = [...this.#accounts]
      .filter(([, account]) => account.queued >= QUEUED_PER_ACCOUNT)
      .map(([id]) => id);
    return {
      healthy: Math.max(0, QUEUED.healthy - this.#queued.healthy),
      probation: Math.max(0, QUEUED.probation - this.#queued.probation),
      slow: Math.max(0, QUEUED.slow - this.#queued.slow - this.#running.slow),
      busyEndpoints,
      busyAccounts,
    };
  }

  add(deliveries: readonly LeasedDelivery[], at: number): void {
    for (const delivery of deliveries) {
      const endpoint = this.#endpointOf(delivery);
      if (endpoint.account.turns.length === 0) this.#turns.push(endpoint.account);
      if (endpoint.queue.length === 0) endpoint.account.turns.push(endpoint);
      endpoint.queue.push({ delivery, at });
      endpoint.account.queued += 1;
      this.#queued[endpoint.lane] += 1;
    }
  }

  /**
   * Starts every delivery that has a slot: one per account and round, of the account's endpoint that has waited
   * longest.
   */
  start(at: number, send: (sending: Sending) => void): void {
    for (let started = true; started; ) {
      const served = new Set<AccountState>();
      for (const account of this.#turns) {
        const place = account.turns.findIndex((endpoint) => this.#mayStart(endpoint));
        const [endpoint] = place === -1 ? [] : account.turns.splice(place, 1);
        const next = endpoint?.queue.shift();
        if (!endpoint || !next) continue;
        if (endpoint.queue.length > 0) account.turns.push(endpoint);
        this.#unqueued(endpoint, 1);
        send(this.#begin(endpoint, next.delivery, at));
        served.add(account);
      }
      started = served.size > 0;
      // Those that got nothing come first next time.
      this.#turns = [
        ...this.#turns.filter((account) => !served.has(account)),
        ...this.#turns.filter((account) => served.has(account)),
      ].filter((account) => account.turns.length > 0);
    }
  }

  finished(sent: Sending, attempted: AttemptResult): Lane | null {
    const sending = sent as LaneSending;
    const { endpoint } = sending;
    this.#end(sending);
    const ms = attempted.answer.durationMs;
    endpoint.averageMs = endpoint.averageMs === null ? ms : 0.7 * endpoint.averageMs + 0.3 * ms;
    const lane: Lane = isDelivered(attempted) && endpoint.averageMs <= SLOW_AVERAGE_MS ? 'healthy' : 'slow';
    const before = endpoint.lane;
    this.#move(endpoint, lane);
    this.#forgetIdle(endpoint);
    return lane === before ? null : lane;
  }

  dropped(sent: Sending): void {
    const sending = sent as LaneSending;
    this.#end(sending);
    this.#forgetIdle(sending.endpoint);
  }

  tidy(at: number): LeasedDelivery[] {
    for (const sending of this.#sending) {
      if (
        sending.isOverdue ||
        sending.lane === 'slow' ||
        at - sending.at < OVERDUE_MS[sending.lane] ||
        this.#overdue >= MAX_OVERDUE ||
        sending.endpoint.account.overdue >= MAX_OVERDUE_PER_ACCOUNT
      )
        continue;
      sending.isOverdue = true;
      sending.endpoint.overdue += 1;
      sending.endpoint.account.fast -= 1;
      sending.endpoint.account.overdue += 1;
      this.#running[sending.lane] -= 1;
      this.#overdue += 1;
    }
    return this.#takeBack(this.#queuing(), (endpoint) => {
      const keep = endpoint.lane === 'slow' ? PER_ENDPOINT.slow : endpoint.queue.length;
      const over = endpoint.queue.splice(keep);
      const firstFresh = endpoint.queue.findIndex((queued) => at - queued.at < MAX_QUEUED_MS);
      const old = endpoint.queue.splice(0, firstFresh === -1 ? endpoint.queue.length : firstFresh);
      return [...over, ...old];
    });
  }

  clear(endpointId?: string): LeasedDelivery[] {
    const chosen = this.#queuing().filter((endpoint) => endpointId === undefined || endpoint.id === endpointId);
    return this.#takeBack(chosen, (endpoint) => endpoint.queue.splice(0));
  }

  #takeBack(
    endpoints: readonly EndpointState[],
    take: (endpoint: EndpointState) => QueuedDelivery[],
  ): LeasedDelivery[] {
    const taken = endpoints.flatMap((endpoint) => {
      const queued = take(endpoint);
      this.#unqueued(endpoint, queued.length);
      this.#forgetIdle(endpoint);
      return queued.map(({ delivery }) => delivery);
    });
    for (const account of this.#turns) account.turns = account.turns.filter((endpoint) => endpoint.queue.length > 0);
    this.#turns = this.#turns.filter((account) => account.turns.length > 0);
    return taken;
  }

  #queuing(): EndpointState[] {
    return this.#turns.flatMap((account) => account.turns);
  }

  #mayStart(endpoint: EndpointState): boolean {
    if (endpoint.overdue > 0 || endpoint.queue.length === 0 || endpoint.running >= PER_ENDPOINT[endpoint.lane])
      return false;
    if (endpoint.lane === 'slow') return this.#running.slow < SLOTS_SLOW && endpoint.account.slow < PER_ACCOUNT_SLOW;
    if (endpoint.account.fast >= PER_ACCOUNT || this.#running.healthy + this.#running.probation >= SLOTS_FAST)
      return false;
    return endpoint.lane === 'healthy' || (this.#running.probation < SLOTS_ON_PROBATION && this.#overdue < MAX_OVERDUE);
  }

  #begin(endpoint: EndpointState, delivery: LeasedDelivery, at: number): LaneSending {
    const sending: LaneSending = { delivery, endpoint, lane: endpoint.lane, at, isOverdue: false };
    this.#sending.add(sending);
    endpoint.running += 1;
    this.#running[sending.lane] += 1;
    endpoint.account[sending.lane === 'slow' ? 'slow' : 'fast'] += 1;
    return sending;
  }

  #end(sending: LaneSending): void {
    const { endpoint } = sending;
    this.#sending.delete(sending);
    endpoint.running -= 1;
    if (sending.isOverdue) {
      endpoint.overdue -= 1;
      endpoint.account.overdue -= 1;
      this.#overdue -= 1;
      return;
    }
    this.#running[sending.lane] -= 1;
    endpoint.account[sending.lane === 'slow' ? 'slow' : 'fast'] -= 1;
  }

  #move(endpoint: EndpointState, lane: Lane): void {
    this.#queued[endpoint.lane] -= endpoint.queue.length;
    this.#queued[lane] += endpoint.queue.length;
    endpoint.lane = lane;
  }

  #unqueued(endpoint: EndpointState, count: number): void {
    this.#queued[endpoint.lane] -= count;
    endpoint.account.queued -= count;
  }

  #endpointOf(delivery: LeasedDelivery): EndpointState {
    let endpoint = this.#endpoints.get(delivery.endpointId);
    if (!endpoint) {
      let account = this.#accounts.get(delivery.accountId);
      if (!account)
        this.#accounts.set(
          delivery.accountId,
          (account = { fast: 0, slow: 0, overdue: 0, queued: 0, endpoints: 0, turns: [] }),
        );
      account.endpoints += 1;
      endpoint = {
        id: delivery.endpointId,
        accountId: delivery.accountId,
        account,
        lane: delivery.lane,
        queue: [],
        running: 0,
        overdue: 0,
        averageMs: null,
      };
      this.#endpoints.set(endpoint.id, endpoint);
    }
    return endpoint;
  }

  #forgetIdle(endpoint: EndpointState): void {
    if (endpoint.running > 0 || endpoint.queue.length > 0) return;
    this.#endpoints.delete(endpoint.id);
    endpoint.account.endpoints -= 1;
    if (endpoint.account.endpoints === 0) this.#accounts.delete(endpoint.accountId);
  }
}

interface LaneSending extends Sending {
  endpoint: EndpointState;
  lane: Lane;
  at: number;
  isOverdue: boolean;
}

interface QueuedDelivery {
  delivery: LeasedDelivery;
  at: number;
}

interface EndpointState {
  id: string;
  accountId: string;
  account: AccountState;
  lane: Lane;
  queue: QueuedDelivery[];
  running: number;
  overdue: number;
  averageMs: number | null;
}

interface AccountState {
  fast: number;
  slow: number;
  overdue: number;
  queued: number;
  endpoints: number;
  /** Its endpoints with queued deliveries, the one served last at the end. */
  turns: EndpointState[];
}
