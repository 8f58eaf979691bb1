import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { Database, Transaction } from '../db/db.ts';
import { fail } from '../errors.ts';
import type { Secrets } from '../secrets.ts';
import { DAY_MS, later } from '../time.ts';
import { canonicalJson } from './canonical.ts';
import { claimKey, findStored, replayStored, type StoredAnswer, storeAnswer } from './idempotency-store.ts';
import type { IdempotencyClaim } from './route.ts';

const MAX_WAIT_MS = 5_000;
const MAX_KEY_LENGTH = 255;

/** An answer, and where it is a repeat, the request that it first answered. */
export interface KeyedAnswer {
  status: number;
  body: Buffer;
  original: string | null;
}

interface Outcome extends KeyedAnswer {
  fingerprint: Buffer;
  requestId: string;
}

/**
 * One key, one result. Within this process repeats wait for the first without holding a connection; between processes
 * they wait at the key's row. The key, the change and the answer are one transaction, so there is nothing in between:
 * a crash before the commit leaves nothing, one after it leaves the answer.
 */
export class Idempotency {
  readonly #database: Database;
  readonly #secrets: Secrets;
  /** Ends with what it came to, or with undefined where it failed. */
  readonly #running = new Map<string, Promise<Outcome | undefined>>();

  constructor(database: Database, secrets: Secrets) {
    this.#database = database;
    this.#secrets = secrets;
  }

  /** Runs the work in one transaction with the key, unless the key has an answer. */
  inTransaction(
    claim: IdempotencyClaim,
    requestId: string,
    isSecret: boolean,
    work: (db: Transaction) => Promise<{ status: number; body: Buffer }>,
  ): Promise<KeyedAnswer> {
    return this.alone(claim, requestId, (waitMostMs) =>
      this.#database.transaction(async (db) => {
        if (!(await claimKey(db, claim, requestId, waitMostMs)))
          return asRepeat(replayStored(await findStored(db, claim), claim, this.#secrets));
        const answer = await work(db);
        await storeAnswer(db, claim, answer, isSecret ? this.#secrets : null);
        return { ...answer, original: null };
      }),
    );
  }

  /** The stored answer, where there is one already; for work that must not begin in vain. */
  async stored(claim: IdempotencyClaim): Promise<KeyedAnswer | undefined> {
    const row = await findStored(this.#database, claim);
    return row && asRepeat(replayStored(row, claim, this.#secrets));
  }

  /** Lets one request per key work at a time in this process; those that waited are given its answer. */
  async alone(
    claim: IdempotencyClaim,
    requestId: string,
    work: (waitMostMs: number) => Promise<KeyedAnswer>,
  ): Promise<KeyedAnswer> {
    const id = JSON.stringify([claim.accountId, claim.livemode, claim.key]);
    const deadlineMs = performance.now() + MAX_WAIT_MS;
    for (let running = this.#running.get(id); running; running = this.#running.get(id)) {
      const outcome = await until(deadlineMs, running);
      if (!outcome) continue;
      if (!outcome.fingerprint.equals(claim.fingerprint)) fail('idempotency_conflict', { param: 'Idempotency-Key' });
      return { status: outcome.status, body: outcome.body, original: outcome.requestId };
    }

    const attempt = work(deadlineMs - performance.now()).then(
      (answer): Outcome => ({ ...answer, fingerprint: claim.fingerprint, requestId: answer.original ?? requestId }),
    );
    // Those who wait are woken only once the place is free again.
    const settled = attempt.catch(() => undefined).finally(() => this.#running.delete(id));
    this.#running.set(id, settled);
    return attempt;
  }
}

function asRepeat({ status, body, requestId }: StoredAnswer): KeyedAnswer {
  return { status, body, original: requestId };
}

async function until<T>(deadlineMs: number, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => {
        try {
          fail('idempotency_in_progress', { retryAfterSeconds: 1 });
        } catch (error) {
          reject(error);
        }
      },
      Math.max(deadlineMs - performance.now(), 0),
    );
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** The key that the request carries, or null. An unusable one is refused: ignoring it would take away what it was sent for. */
export function readIdempotencyKey(request: FastifyRequest): string | null {
  const header = request.headers['idempotency-key'];
  if (header === undefined) return null;
  const key = String(header).trim();
  if (key.length === 0 || key.length > MAX_KEY_LENGTH) {
    fail('invalid_request', {
      param: 'Idempotency-Key',
      message: `\`Idempotency-Key\` must have 1 to ${MAX_KEY_LENGTH} characters.`,
    });
  }
  return key;
}

export interface ClaimInput {
  accountId: string;
  livemode: boolean;
  key: string;
  method: string;
  /** The concrete path, so that a key used on another object is a conflict. */
  path: string;
  /** The parsed body as it was sent, undefined where there was none. */
  body: unknown;
  /** The database's real time. */
  now: Date;
}

export function makeClaim({ accountId, livemode, key, method, path, body, now }: ClaimInput): IdempotencyClaim {
  const fingerprint = createHash('sha256')
    .update(`${method}\n${path}\n${body === undefined ? '' : canonicalJson(body)}`)
    .digest();
  return { accountId, livemode, key, fingerprint, now, expiresAt: later(now, DAY_MS) };
}
