import { collectDefaultMetrics, Registry } from 'prom-client';

/** What the nouns count, of this whole process; `/metrics` shows it. */
export const metrics = new Registry();

/** The runtime's own figures: memory, event loop, garbage. Once per process. */
export function collectRuntimeMetrics(): void {
  if (metrics.getSingleMetric('process_cpu_user_seconds_total')) return;
  collectDefaultMetrics({ register: metrics });
}
