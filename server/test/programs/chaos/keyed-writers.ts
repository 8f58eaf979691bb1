import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'pg';

const REQUEST_TIMEOUT_MS = 10_000;
const REPEATS_AT_ONCE = 8;

interface Acknowledged {
  body: string;
  sentAtMs: number;
  atMs: number;
}

export interface WritersVerdict {
  keys: number;
  acknowledged_lost: number;
  answers_changed: number;
  keys_with_several_sessions: number;
  sessions_without_payment_or_event: number;
  lost_upper_bound_95_percent: number;
}

export interface KeyedWritersOptions {
  /** The service that a client uses. */
  urlOf(client: number): string;
  /** An API key of test mode. */
  key: string;
  onSend?(): void;
  /** Waits after a request that was not answered. */
  untilUp?(): Promise<void>;
}

/**
 * Clients that create one session after the other, each repeated with its key until it is acknowledged. Their own records
 * are the oracle: every acknowledged session must exist, unchanged, once.
 */
export class KeyedWriters {
  readonly acknowledged = new Map<string, Acknowledged>();
  readonly figures = { sent: 0, acknowledged: 0, unanswered: 0, refused: 0, replayed: 0 };
  readonly #options: KeyedWritersOptions;
  #running: Promise<void>[] = [];
  #isOver = false;

  constructor(options: KeyedWritersOptions) {
    this.#options = options;
  }

  start(clients: number): void {
    this.#running = Array.from({ length: clients }, (_, client) => this.#run(client));
    // Awaited by `stop`; until then it must not count as unhandled.
    for (const client of this.#running) client.catch(() => {});
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#running);
  }

  /** The time of the first acknowledgement of a write that was sent after this time. */
  firstAfter(ms: number): number | undefined {
    const times = [...this.acknowledged.values()].filter(({ sentAtMs }) => sentAtMs > ms).map(({ atMs }) => atMs);
    return times.length === 0 ? undefined : Math.min(...times);
  }

  /** The longest time between two acknowledgements, beginning at this time. */
  longestGapMs(fromMs: number): number {
    const times = [...this.acknowledged.values()].map(({ atMs }) => atMs).filter((atMs) => atMs >= fromMs);
    const sorted = [fromMs, ...times].sort((a, b) => a - b);
    return Math.max(0, ...sorted.slice(1).map((atMs, at) => atMs - (sorted[at] as number)));
  }

  /** Looks up every acknowledged session, repeats every key, and counts each key's sessions in the database. */
  async judge(databaseUrl: string): Promise<WritersVerdict> {
    let lost = 0;
    let changed = 0;
    const left = this.acknowledged.entries();
    const repeatAll = async () => {
      for (const [idempotencyKey, { body }] of left) {
        const again = await patiently(() => this.#create(0, idempotencyKey));
        if (again.status !== 201) lost++;
        else if (again.body !== body || !again.replayed) changed++;
      }
    };
    await Promise.all(Array.from({ length: REPEATS_AT_ONCE }, repeatAll));
    const pool = new Pool({ connectionString: databaseUrl });
    const { rows } = await pool.query<{ order_id: string; sessions: string; events: string; payments: string }>(`
      select s.order_id, count(distinct s.id) as sessions, count(distinct p.id) as payments, count(distinct e.id) as events
        from checkout_sessions s left join payments p on p.session_id = s.id left join events e on e.object_id = p.id
       where s.order_id is not null group by s.order_id`);
    await pool.end();
    const stored = new Set(rows.map((row) => row.order_id));
    return {
      keys: this.acknowledged.size,
      acknowledged_lost: lost + [...this.acknowledged.keys()].filter((key) => !stored.has(key)).length,
      answers_changed: changed,
      keys_with_several_sessions: rows.filter(({ sessions }) => sessions !== '1').length,
      sessions_without_payment_or_event: rows.filter(({ payments, events }) => payments !== '1' || events !== '1')
        .length,
      lost_upper_bound_95_percent: Number((3 / this.acknowledged.size).toPrecision(2)),
    };
  }

  async #run(client: number): Promise<void> {
    for (let at = 0; !this.#isOver; at++) {
      const idempotencyKey = `client-${client}-order-${at}`;
      while (!this.acknowledged.has(idempotencyKey)) await this.#write(client, idempotencyKey);
    }
  }

  async #write(client: number, idempotencyKey: string): Promise<void> {
    this.figures.sent++;
    this.#options.onSend?.();
    const sentAtMs = performance.now();
    const answer = await this.#create(client, idempotencyKey).catch(() => undefined);
    if (answer === undefined) {
      this.figures.unanswered++;
      await (this.#options.untilUp?.() ?? pause(20));
    } else if (answer.status === 201) {
      this.figures.acknowledged++;
      if (answer.replayed) this.figures.replayed++;
      this.acknowledged.set(idempotencyKey, { body: answer.body, sentAtMs, atMs: performance.now() });
    } else {
      this.figures.refused++;
      if (answer.status !== 429 && answer.status !== 503 && answer.status !== 409)
        throw new Error(`unexpected ${answer.status}: ${answer.body}`);
      await pause(20);
    }
  }

  async #create(client: number, idempotencyKey: string): Promise<{ status: number; body: string; replayed: boolean }> {
    const response = await fetch(`${this.#options.urlOf(client)}/v1/checkout/sessions`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${this.#options.key}`,
        'content-type': 'application/json',
        'idempotency-key': idempotencyKey,
      },
      body: JSON.stringify({ amount: '10.00', order_id: idempotencyKey }),
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    });
    return {
      status: response.status,
      body: await response.text(),
      replayed: response.headers.get('idempotent-replayed') === 'true',
    };
  }
}

/** Whether something was lost, doubled or changed. */
export function isWrong(verdict: WritersVerdict): boolean {
  const { keys: _, lost_upper_bound_95_percent: __, ...wrongs } = verdict;
  return Object.values(wrongs).some((count) => count > 0);
}

/** Retries while the account's rate limit rejects the request. */
async function patiently<T extends { status: number }>(act: () => Promise<T>): Promise<T> {
  for (;;) {
    const answer = await act();
    if (answer.status !== 429) return answer;
    await pause(50);
  }
}
