import type { FastifyInstance } from 'fastify';
import { Gauge, Histogram, Registry } from 'prom-client';
import type { Context } from './context.ts';
import { look } from './health.ts';
import { fail } from './platform/errors.ts';
import { isFromInside } from './platform/http/client.ts';
import { collectRuntimeMetrics, metrics } from './platform/metrics.ts';
import { SECOND_MS } from './platform/time.ts';

/** `/metrics` for Prometheus, to askers of the same machine or private network; for the world it does not exist. */
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
  const due = gauge('quittance_deliveries_due', 'Webhook deliveries that are due and not yet sent.');
  const oldest = gauge('quittance_deliveries_oldest_seconds', 'Age of the oldest due delivery.');
  const behind = gauge('quittance_network_behind_seconds', 'Age of the newest block that was read.', ['network']);
  const reachable = gauge('quittance_network_reachable', '1 if a provider of the network responds.', ['network']);

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
    addPage(server: FastifyInstance): void {
      server.get('/metrics', { config: { rateLimit: 'show' } }, async (request, reply) => {
        if (!isFromInside(request)) fail('not_found');
        await lookAround();
        return reply.type(registry.contentType).send(await Registry.merge([metrics, registry]).metrics());
      });
    },
  };

  async function lookAround(): Promise<void> {
    const { queue, networks } = await look(ctx);
    due.set(queue.due);
    oldest.set(queue.oldest_seconds);
    for (const [network, state] of Object.entries(networks)) {
      reachable.set({ network }, state.reachable ? 1 : 0);
      if (state.behind_seconds !== null) behind.set({ network }, state.behind_seconds);
      else behind.remove({ network });
    }
  }

  function gauge(name: string, help: string, labelNames: string[] = []): Gauge {
    return new Gauge({ name, help, labelNames, registers: [registry] });
  }
}
