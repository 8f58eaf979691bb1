import type { Context } from '../../../context.ts';
import { failures } from '../../../platform/metrics.ts';
import { SECOND_MS } from '../../../platform/time.ts';
import { type AttemptResult, type Lane, type LeasedDelivery, isDelivered, type Outcome } from './delivery.ts';
import { setLanes } from './endpoint-state-store.ts';
import { releaseDeliveries, finishDeliveries } from './lease-store.ts';
import type { QueueTime } from './database-clock.ts';
import { disableAfterDeadLetter, warnOfFailures } from './disable.ts';
import { observeAttempts } from './metrics.ts';
import { afterAttempt, WARN_AT_ATTEMPT } from './schedule.ts';

/** For the metrics: the job whose attempts these are. */
const JOB = 'deliveries';
/** Attempts that are not recorded yet; at this number no new ones start, so that a crash repeats few. */
const MAX_UNRECORDED = 1024;
const RECORD_RETRY_MS = 1 * SECOND_MS;
/** While stopping, the recorder retries this often if the database does not answer. */
const RECORD_TRIES_AT_END = 3;

/** Records outcomes in batches: the next batch gathers while one is written, so that batches grow with the load. */
export class Recorder {
  readonly #ctx: Context;
  readonly #time: QueueTime;
  /** Called after every batch, since there is room again. */
  readonly #onRecorded: () => void;
  #attempted: AttemptResult[] = [];
  #unbegun: LeasedDelivery[] = [];
  #changedLanes = new Map<string, Lane>();
  #recording: Promise<void> | undefined;
  #triesAtEnd = Number.POSITIVE_INFINITY;

  constructor(ctx: Context, time: QueueTime, onRecorded: () => void) {
    this.#ctx = ctx;
    this.#time = time;
    this.#onRecorded = onRecorded;
  }

  get isFull(): boolean {
    return this.#attempted.length >= MAX_UNRECORDED;
  }

  /** Records the attempt, and the lane of its endpoint if that has changed. */
  add(attempted: AttemptResult, changedLane: Lane | null): void {
    if (changedLane) this.#changedLanes.set(attempted.delivery.endpointId, changedLane);
    this.#attempted.push(attempted);
    this.#record();
  }

  release(deliveries: LeasedDelivery[]): void {
    if (deliveries.length === 0) return;
    this.#unbegun.push(...deliveries);
    this.#record();
  }

  async finish(): Promise<void> {
    this.#triesAtEnd = RECORD_TRIES_AT_END;
    this.#record();
    await this.#recording;
  }

  /** Its lease expires, and the attempt is made again. */
  readonly #refused = ({ delivery }: AttemptResult, error: unknown): void => {
    const { id, accountId } = delivery;
    failures.inc({ job: JOB });
    this.#ctx.log.error({ err: error, deliveryId: id, accountId }, 'webhook attempt refused by the database: retrying');
  };

  #record(): void {
    this.#recording ??= this.#recordAll().finally(() => {
      this.#recording = undefined;
    });
  }

  async #recordAll(): Promise<void> {
    // Outcomes of this turn of the event loop still join.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#attempted.length > 0 || this.#unbegun.length > 0 || this.#changedLanes.size > 0) {
      const batch = { attempted: this.#attempted, unbegun: this.#unbegun, changedLanes: this.#changedLanes };
      this.#attempted = [];
      this.#unbegun = [];
      this.#changedLanes = new Map();
      try {
        if (batch.changedLanes.size > 0) await setLanes(this.#ctx.db, batch.changedLanes);
        await writeTogether(batch.attempted, (some) => recordAttempts(this.#ctx, some), this.#refused);
        await releaseDeliveries(this.#ctx.db, batch.unbegun);
      } catch (error) {
        // The attempts were made, so they are recorded as soon as possible; otherwise their leases expire.
        failures.inc({ job: JOB });
        this.#ctx.log.error(
          { err: error, attempts: batch.attempted.length },
          'webhook attempts not recorded: retrying',
        );
        this.#attempted = [...batch.attempted, ...this.#attempted];
        this.#unbegun = [...batch.unbegun, ...this.#unbegun];
        this.#triesAtEnd -= 1;
        if (this.#triesAtEnd <= 0) return;
        await this.#time.pause(RECORD_RETRY_MS);
      }
      this.#onRecorded();
    }
  }
}

/**
 * Records these attempts. Skips deliveries that another worker has taken over. If an endpoint has used up its last
 * attempt, it is disabled in the same transaction.
 */
export async function recordAttempts(ctx: Context, list: readonly AttemptResult[]): Promise<Outcome[]> {
  if (list.length === 0) return [];
  const outcomes = list.map(
    (attempted): Outcome => ({
      attempted,
      ...afterAttempt(attempted.delivery, isDelivered(attempted), attempted.endedAt),
    }),
  );
  const failed = outcomes.filter((outcome) => !outcome.attempted.delivery.resume && !isDelivered(outcome.attempted));
  const exhausted = failed.filter((outcome) => outcome.isDeadLetter);
  const alarming = failed.filter((outcome) => outcome.attempts === WARN_AT_ATTEMPT);

  const recorded =
    exhausted.length === 0 && alarming.length === 0
      ? await finishDeliveries(ctx.db, outcomes)
      : await ctx.db.transaction(async (db) => {
          const ids = await finishDeliveries(db, outcomes);
          await warnOfFailures(
            ctx,
            db,
            alarming.filter((outcome) => ids.has(outcome.attempted.delivery.id)),
          );
          await disableAfterDeadLetter(
            ctx,
            db,
            exhausted.filter((outcome) => ids.has(outcome.attempted.delivery.id)),
          );
          return ids;
        });
  if (exhausted.length > 0 || alarming.length > 0) ctx.db.notify('mails');

  const written = outcomes.filter((outcome) => recorded.has(outcome.attempted.delivery.id));
  observeAttempts(written);
  return written;
}

/**
 * Writes rows of several accounts in one statement. If the database refuses their values, each half is tried alone, down
 * to the single row: so a bad row costs no other one anything, and few statements. What fails for any other reason
 * throws, so `write` may get the same rows again.
 */
async function writeTogether<Row>(
  rows: readonly Row[],
  write: (rows: readonly Row[]) => Promise<unknown>,
  refused: (row: Row, error: unknown) => void,
): Promise<void> {
  try {
    await write(rows);
  } catch (error) {
    if (!isRefused(error)) throw error;
    const [only] = rows;
    if (only && rows.length === 1) return refused(only, error);
    const half = Math.ceil(rows.length / 2);
    await writeTogether(rows.slice(0, half), write, refused);
    await writeTogether(rows.slice(half), write, refused);
  }
}

/** Whether the database refused the values of a statement: data that it cannot represent (22), or a constraint (23). */
function isRefused(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' && /^2[23][0-9A-Z]{3}$/.test(code);
}
