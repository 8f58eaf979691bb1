import type { Database, Db, Transaction } from '../../db/db.ts';
import { ApiError, fail } from '../../errors.ts';
import type { Secrets } from '../../secrets.ts';
import type { IdempotencyClaim, KeyedAnswer } from './claim.ts';
import { claimKey, findStored, readStored, requireSameRequest, storeAnswer } from './idempotency-store.ts';

const MAX_WAIT_MS = 5_000;

type InTurn = (run: () => Promise<KeyedAnswer>) => Promise<KeyedAnswer>;

interface Outcome extends KeyedAnswer {
  fingerprint: Buffer;
  requestId: string;
}

/**
 * One key, one result. Within this process replays wait for the first request without holding a connection; between
 * processes they wait at the key's row. The key, the change and the answer are one transaction: a crash before the
 * commit leaves nothing, a crash after it leaves the answer.
 */
export class Idempotency {
  readonly #database: Database;
  readonly #secrets: Secrets;
  /** Resolves to the result, or to undefined after a failure. */
  readonly #running = new Map<string, Promise<Outcome | undefined>>();

  constructor(database: Database, secrets: Secrets) {
    this.#database = database;
    this.#secrets = secrets;
  }

  /**
   * Runs the work in one transaction with the key, or replays the key's answer. `inTurn` is the line of the account, in
   * which those that wait for the first request have no place.
   */
  inTransaction(
    claim: IdempotencyClaim,
    work: (db: Transaction) => Promise<{ status: number; body: Buffer }>,
    { isSecret = false, inTurn = (run) => run() }: { isSecret?: boolean; inTurn?: InTurn } = {},
  ): Promise<KeyedAnswer> {
    const run = async (db: Transaction, lockTimeoutMs: number): Promise<KeyedAnswer> => {
      const isFirst = await claimKey(db, claim, lockTimeoutMs);
      if (!isFirst) return (await this.replay(claim, db)) ?? fail('idempotency_in_progress', { retryAfterSeconds: 1 });

      const answer = await work(db);
      await storeAnswer(db, claim, answer, isSecret ? this.#secrets : null);
      return { ...answer, original: null };
    };
    return this.alone(claim, (lockTimeoutMs) =>
      inTurn(() => this.#database.transaction((db) => run(db, lockTimeoutMs))),
    );
  }

  /** The answer to the first request with this key, if there is one. A key of another request is a conflict. */
  async replay(claim: IdempotencyClaim, db: Db = this.#database): Promise<KeyedAnswer | undefined> {
    const row = await findStored(db, claim);
    return row && readStored(row, claim, this.#secrets);
  }

  /** A key that has answered another request is a conflict, even if this request is invalid. */
  async refuseReuse(claim: IdempotencyClaim): Promise<void> {
    const row = await findStored(this.#database, claim);
    if (row) requireSameRequest(row, claim);
  }

  /** Runs one request per key at a time in this process; those that waited get its answer. */
  async alone(claim: IdempotencyClaim, work: (lockTimeoutMs: number) => Promise<KeyedAnswer>): Promise<KeyedAnswer> {
    const id = JSON.stringify([claim.accountId, claim.livemode, claim.key]);
    const deadlineMs = performance.now() + MAX_WAIT_MS;
    for (let running = this.#running.get(id); running; running = this.#running.get(id)) {
      const outcome = await until(deadlineMs, running);
      if (!outcome) continue;
      if (!outcome.fingerprint.equals(claim.fingerprint)) fail('idempotency_conflict', { param: 'Idempotency-Key' });
      return { status: outcome.status, body: outcome.body, original: outcome.requestId };
    }

    const attempt = work(deadlineMs - performance.now()).then(
      (answer): Outcome => ({
        ...answer,
        fingerprint: claim.fingerprint,
        requestId: answer.original ?? claim.requestId,
      }),
    );
    // Waiting requests are woken only once the place is free again.
    const settled = attempt.catch(() => undefined).finally(() => this.#running.delete(id));
    this.#running.set(id, settled);
    return attempt;
  }
}

async function until<T>(deadlineMs: number, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new ApiError('idempotency_in_progress', { retryAfterSeconds: 1 })),
      Math.max(deadlineMs - performance.now(), 0),
    );
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
