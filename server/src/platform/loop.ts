import { setTimeout as pause } from 'node:timers/promises';
import type { Alarm } from './alarm.ts';
import { failures as failedTurns } from './metrics.ts';
import { SECOND_MS } from './time.ts';

/** What is done turn by turn: a job of the worker, or a part of watching a network. */
export interface Loop {
  /** For the metrics. */
  name: string;
  /** Ends a wait, but not that after a failure: failing work would only fail faster. */
  alarm: Alarm;
  maxBackoffMs: number;
  /** Returns how long to wait for the next turn. */
  turn(failures: number): Promise<number>;
  /** Logs the failure. */
  failed(error: unknown, failures: number): void;
}

const MIN_BACKOFF_MS = 1 * SECOND_MS;

/** Runs turns until the signal. After a failure the wait grows. */
export async function repeat({ name, alarm, maxBackoffMs, turn, failed }: Loop, signal: AbortSignal): Promise<void> {
  let failures = 0;
  failedTurns.inc({ job: name }, 0);
  while (!signal.aborted) {
    alarm.reset();
    try {
      const waitMs = await turn(failures);
      failures = 0;
      if (waitMs > 0) await alarm.wait(waitMs);
    } catch (error) {
      if (signal.aborted) break;
      failures += 1;
      failedTurns.inc({ job: name });
      failed(error, failures);
      const backoffMs = MIN_BACKOFF_MS * 2 ** Math.min(failures - 1, 10);
      await pause(Math.min(backoffMs, maxBackoffMs), undefined, { signal }).catch(() => {});
    }
  }
}
