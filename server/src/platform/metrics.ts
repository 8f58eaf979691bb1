import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

/** The counters of this whole process, for `/metrics`. */
export const metrics = new Registry();

const registers = [metrics];

/** The names that log lines with an `alarm` use. `docs/operating.md` says what to do about each. */
const ALARMS = [
  'address_disputed',
  'answer_not_evaluated',
  'backup_overdue',
  'blocks_unseen',
  'disk_almost_full',
  'gone_after_final',
  'history_missing',
  'implausible_head',
  'log_without_receipt',
  'login_mails_limited',
  'network_stalled',
  'prices_missing',
  'provider_contradicted',
  'providers_disagree',
  'references_not_traced',
  'traces_disagree',
  'route_answer_refused',
  'route_never_delivered',
  'route_unknown_to_provider',
  'second_pass_waits',
  'settlement_fails',
  'transaction_set_aside',
  'transaction_unreadable',
  'transfer_set_aside',
  'verification_waits',
];

/** Starts at 0, because Prometheus counts no increase from a series that appears with its first alarm. */
export const alarms = new Counter({
  name: 'quittance_alarms_total',
  help: 'Alarms that this process raised, by name.',
  labelNames: ['alarm'],
  registers,
});
for (const alarm of ALARMS) alarms.inc({ alarm }, 0);

export const rpcRequests = new Histogram({
  name: 'quittance_rpc_request_duration_seconds',
  help: 'Time to an answer of an RPC provider, by host and outcome (answered, refused, failed).',
  labelNames: ['provider', 'outcome'],
  buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 12],
  registers,
});

/** What providers bill: a batch is one request and as many calls. */
export const rpcCalls = new Counter({
  name: 'quittance_rpc_calls_total',
  help: 'Calls of RPC providers, by network, host and method. Those of a batch count one by one.',
  labelNames: ['network', 'provider', 'method'],
  registers,
});

export const priceFailures = new Counter({
  name: 'quittance_price_source_failures_total',
  help: 'Readings of a price source that failed, by source.',
  labelNames: ['source'],
  registers,
});

export const pricesDecided = new Gauge({
  name: 'quittance_price_last_decided_timestamp_seconds',
  help: 'When at least two sources last agreed on a price in this process, in Unix time. A price that nothing needs is not read.',
  labelNames: ['pair'],
  registers,
});

export const failures = new Counter({
  name: 'quittance_work_failures_total',
  help: 'Turns of background work, and pieces of them, that failed and will be tried again, by job.',
  labelNames: ['job'],
  registers,
});

export const paymentTransitions = new Counter({
  name: 'quittance_payment_transitions_total',
  help: 'Payments that reached a status, by status and mode.',
  labelNames: ['status', 'livemode'],
  registers,
});

/** The runtime's own metrics: memory, event loop, garbage collection. Once per process. */
export function collectRuntimeMetrics(): void {
  if (metrics.getSingleMetric('process_cpu_user_seconds_total')) return;
  collectDefaultMetrics({ register: metrics });
}
