import { Counter, Gauge, Histogram } from 'prom-client';
import type { Job } from '../../job.ts';
import type { Db } from '../../platform/db/db.ts';
import { metrics } from '../../platform/metrics.ts';
import { SECOND_MS } from '../../platform/time.ts';
import { isDelivered } from './delivery.ts';
import type { Outcome } from './record-attempts.ts';

const attempts = new Counter({
  name: 'quittance_webhook_attempts_total',
  help: 'Attempts to deliver a webhook, by outcome.',
  labelNames: ['kind', 'outcome'] as const,
  registers: [metrics],
});

const firstAttempts = new Histogram({
  name: 'quittance_webhook_first_attempt_seconds',
  help: 'From the moment an event was recorded to the beginning of its first attempt.',
  buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
  registers: [metrics],
});

const disabled = new Counter({
  name: 'quittance_webhook_endpoints_disabled_total',
  help: 'Endpoints disabled after their last failed attempt.',
  registers: [metrics],
});

const queueAge = new Gauge({
  name: 'quittance_webhook_queue_age_seconds',
  help: 'How long the oldest due delivery of an endpoint that answers well has waited.',
  registers: [metrics],
});

export function observeAttempts(outcomes: readonly Outcome[]): void {
  for (const { attempted, attempts: number } of outcomes) {
    const { delivery, startedAt, answer } = attempted;
    attempts.inc({ kind: delivery.resume ? 'manual' : 'scheduled', outcome: isDelivered(attempted) ? 'delivered' : (answer.error ?? 'rejected') });
    if (number === 1 && !delivery.resume) firstAttempts.observe(Math.max(0, startedAt.getTime() - delivery.dueAt.getTime()) / SECOND_MS);
  }
}

export function countDisabled(): void {
  disabled.inc();
}

/** How far behind deliveries are. Endpoints known to be slow or failing are left out: their wait is their own. */
export async function queueAgeMs(db: Db, now: Date): Promise<number> {
  const [row] = await db.query<{ oldest: Date | null }>('queue_age', `
    with recursive waiting (endpoint_id) as (
      (select endpoint_id from deliveries where state = 'pending' order by endpoint_id limit 1)
      union all
      select (select d.endpoint_id from deliveries d
               where d.state = 'pending' and d.endpoint_id > waiting.endpoint_id order by d.endpoint_id limit 1)
        from waiting where waiting.endpoint_id is not null
    )
    select min((select min(d.due_at) from deliveries d where d.state = 'pending' and d.endpoint_id = waiting.endpoint_id)) as oldest
      from waiting
      join webhook_endpoints endpoint on endpoint.id = waiting.endpoint_id
       and endpoint.status = 'active' and endpoint.deleted_at is null and endpoint.lane <> 'slow'`);
  return row?.oldest ? Math.max(0, now.getTime() - row.oldest.getTime()) : 0;
}

export const measureQueueJob: Job = {
  name: 'measure queue',
  everyMs: 10 * SECOND_MS,
  async run({ db }) {
    queueAge.set(await queueAgeMs(db, await db.now()) / SECOND_MS);
    return 'idle';
  },
};
