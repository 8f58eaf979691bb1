import { Counter, Histogram } from 'prom-client';
import { metrics } from '../../../platform/metrics.ts';
import { SECOND_MS } from '../../../platform/time.ts';
import { isDelivered, type Outcome } from './delivery.ts';

const attempts = new Counter({
  name: 'quittance_webhook_attempts_total',
  help: 'Attempts to deliver a webhook, by outcome.',
  labelNames: ['kind', 'outcome'] as const,
  registers: [metrics],
});

const firstAttempts = new Histogram({
  name: 'quittance_webhook_first_attempt_seconds',
  help: 'Time from recording an event to the start of its first attempt.',
  buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
  registers: [metrics],
});

const disabled = new Counter({
  name: 'quittance_webhook_endpoints_disabled_total',
  help: 'Endpoints disabled after their last failed attempt.',
  registers: [metrics],
});

export function observeAttempts(outcomes: readonly Outcome[]): void {
  for (const { attempted, attempts: number } of outcomes) {
    const { delivery, startedAt, answer } = attempted;
    attempts.inc({
      kind: delivery.resume ? 'manual' : 'scheduled',
      outcome: isDelivered(attempted) ? 'delivered' : (answer.error ?? 'rejected'),
    });
    if (number === 1 && !delivery.resume)
      firstAttempts.observe(Math.max(0, startedAt.getTime() - delivery.dueAt.getTime()) / SECOND_MS);
  }
}

export function countDisabled(): void {
  disabled.inc();
}
