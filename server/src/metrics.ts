import { countReservedAmounts, countUnattributed } from './health-store.ts';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Gauge, Histogram, Registry } from 'prom-client';
import { packageVersion } from './config.ts';
import type { Context } from './context.ts';
import { readHealth } from './health.ts';
import { collectRuntimeMetrics, metrics } from './platform/metrics.ts';
import { countDisputes } from './settlement/records/address-owner-store.ts';
import { SECOND_MS } from './platform/time.ts';
import { countUnseen } from './settlement/reading/unseen-store.ts';

/**
 * `/metrics` for Prometheus, for requests from inside. For all others it does not exist.
 */
export function createMetrics(ctx: Context) {
  const registry = new Registry();
  collectRuntimeMetrics();
  const requests = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Request duration, by route and status.',
    registers: [registry],
    labelNames: ['method', 'route', 'status'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
  });
  const gauges = createGauges(registry);

  return {
    /** Times every request of the server. */
    measure(server: FastifyInstance): void {
      server.addHook('onResponse', (request, reply, done) => {
        requests.observe(
          { method: request.method, route: request.routeOptions.url ?? 'unknown', status: reply.statusCode },
          reply.elapsedTime / SECOND_MS,
        );
        done();
      });
    },
    addPage(server: FastifyInstance, isInside: (request: FastifyRequest) => boolean): void {
      server.get('/metrics', { config: { rateLimit: 'show' } }, async (request, reply) => {
        if (!isInside(request)) return reply.callNotFound();
        await lookAround();
        return reply.type(registry.contentType).send(await Registry.merge([metrics, registry]).metrics());
      });
    },
  };

  async function lookAround(): Promise<void> {
    for (const [state, count] of Object.entries(ctx.db.connections())) gauges.connections.set({ state }, count);
    const { queue, networks, database, ready: isReady } = await readHealth(ctx);
    gauges.ready.set(isReady ? 1 : 0);
    // Without the database nothing is counted: each count would wait for it.
    const counted = async <Row>(rows: () => Promise<Row[]>) => (database.reachable ? rows().catch(() => []) : []);
    for (const { livemode, count } of await counted(async () => countReservedAmounts(ctx.db, await ctx.db.now())))
      gauges.reserved.set({ livemode: String(livemode) }, count);
    const waiting = await counted(() => countUnattributed(ctx.db));
    gauges.unattributed.reset();
    for (const { network, reason, count } of waiting) gauges.unattributed.set({ network, reason }, count);
    gauges.due.set(queue.due);
    gauges.oldest.set(queue.oldest_seconds);
    gauges.unseen.reset();
    for (const { network, blocks } of await counted(() => countUnseen(ctx.db))) gauges.unseen.set({ network }, blocks);
    const [disputes = 0] = await counted(async () => [await countDisputes(ctx.db)]);
    gauges.disputes.set(disputes);
    for (const [network, state] of Object.entries(networks)) {
      gauges.reachable.set({ network }, state.reachable ? 1 : 0);
      gauges.stalled.set({ network }, state.stalled ? 1 : 0);
      for (const { name: provider, last_answered_at: at } of state.providers)
        if (at !== null) gauges.answered.set({ network, provider }, Date.parse(at) / SECOND_MS);
      for (const [gauge, seconds] of [
        [gauges.behind, state.behind_seconds],
        [gauges.secondBehind, state.second_pass_behind_seconds],
      ] as const)
        if (seconds !== null) gauge.set({ network }, seconds);
        else gauge.remove({ network });
    }
  }
}

function createGauges(registry: Registry) {
  const gauge = (name: string, help: string, labelNames: string[] = []) =>
    new Gauge({ name, help, labelNames, registers: [registry] });
  gauge('quittance_build_info', 'Always 1; the version is in the labels.', ['version', 'node']).set(
    { version: packageVersion(), node: process.version },
    1,
  );
  return {
    due: gauge('quittance_deliveries_due', 'Webhook deliveries that are due and not yet sent, counted up to 100,000.'),
    oldest: gauge(
      'quittance_deliveries_oldest_seconds',
      'How long the oldest due live delivery has waited, without those of slow endpoints that are being served.',
    ),
    behind: gauge('quittance_network_behind_seconds', 'Age of the newest block that was read.', ['network']),
    secondBehind: gauge(
      'quittance_second_pass_behind_seconds',
      'How far the second pass of a network is behind the first one.',
      ['network'],
    ),
    stalled: gauge('quittance_network_stalled', '1 if customers can pay and no process reads.', ['network']),
    reserved: gauge('quittance_reserved_amounts', 'Exact amounts that are reserved now, counted up to 100,000.', [
      'livemode',
    ]),
    unattributed: gauge(
      'quittance_unattributed_transfers',
      'Live transfers that no payment took and no person has handled, among the newest 10,000 without a payment.',
      ['network', 'reason'],
    ),
    unseen: gauge(
      'quittance_unseen_blocks',
      'Blocks in which ether from contracts could not be looked for yet. They hold the payments that it may be for.',
      ['network'],
    ),
    ready: gauge('quittance_ready', '1 if /readyz returns 200.'),
    reachable: gauge('quittance_network_reachable', '1 if a provider of the network responds.', ['network']),
    answered: gauge(
      'quittance_provider_last_answer_timestamp_seconds',
      'When a provider last answered a process that reads its network, in Unix time.',
      ['network', 'provider'],
    ),
    connections: gauge(
      'quittance_database_connections',
      'Connections of the pool: busy, idle, and requests that wait for one.',
      ['state'],
    ),
    disputes: gauge('quittance_address_disputes', 'Live addresses that two accounts have proved.'),
  };
}
