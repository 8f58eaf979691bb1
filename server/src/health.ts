import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Context } from './context.ts';
import { type DatabaseHealth, readDatabaseHealth } from './health-store.ts';
import { cached } from './platform/cached.ts';
import { SECOND_MS, within } from './platform/time.ts';
import { secondPassBehindMs } from './settlement/reading/network-health-store.ts';

export interface Readiness {
  /** Whether the service can serve; a lagging network only delays its own payments. */
  ready: boolean;
  /** Why it is not ready, in sentences; empty if it is. */
  reasons: string[];
  database: { reachable: boolean; writable: boolean };
  migrations: { pending: string[]; unknown: string[] };
  queue: { due: number; oldest_seconds: number };
  networks: Record<string, NetworkReadiness>;
}

interface NetworkReadiness {
  reachable: boolean;
  /**
   * The age of the newest block that was read; null while no customer can pay on the network and no process reads it, or
   * its reader rests.
   */
  behind_seconds: number | null;
  /** How far the second pass is behind the first one; null as `behind_seconds` is, and with one provider. */
  second_pass_behind_seconds: number | null;
  /** Customers can pay, and no process makes progress. */
  stalled: boolean;
  /** `last_answered_at` is null if it has not answered within 90 days. */
  providers: { name: string; healthy: boolean; last_error: string | null; last_answered_at: string | null }[];
}

const CACHE_MS = 1 * SECOND_MS;
/** Less than the ten seconds for which Prometheus waits. */
const MAX_LOOK_MS = 5 * SECOND_MS;

/**
 * `/healthz` shows that requests are answered, `/readyz` the health of everything behind them. Neither counts against a
 * limit.
 */
export function addHealth(server: FastifyInstance, ctx: Context, isInside: (request: FastifyRequest) => boolean): void {
  const known = cached<Readiness>({ ttlMs: CACHE_MS, max: 1 });
  server.get('/healthz', { config: { rateLimit: 'show' } }, async () => ({ status: 'ok' }));
  server.get('/readyz', { config: { rateLimit: 'show' } }, async (request, reply) => {
    const readiness = await known.get('', () => readHealth(ctx));
    return reply.code(readiness.ready ? 200 : 503).send(isInside(request) ? readiness : redact(readiness));
  });
}

/** A provider's answer may contain its API key, and strangers need not know when one provider's word settles. */
function redact(readiness: Readiness): Readiness {
  const networks = Object.entries(readiness.networks).map(
    ([network, state]) =>
      [
        network,
        {
          ...state,
          second_pass_behind_seconds: null,
          providers: state.providers.map((provider) => ({ ...provider, last_error: null })),
        },
      ] as const,
  );
  return { ...readiness, networks: Object.fromEntries(networks) };
}

/** The current health. Never throws: what does not answer is unreachable. */
export async function readHealth(ctx: Context): Promise<Readiness> {
  const look = () =>
    readDatabaseHealth(ctx.db).catch((error) => {
      ctx.log.warn({ err: error }, 'database health check failed');
      return undefined;
    });
  // A connection that was lost in silence is given up after half a minute. The next look takes another one before that.
  const asked = ctx.caches.databaseHealth.get('', () => within(2 * MAX_LOOK_MS, look(), undefined));
  // A database whose packets are lost answers nothing, and who asks waits for seconds only.
  const seen = await within(MAX_LOOK_MS, asked, undefined);
  const networks = Object.fromEntries(
    [...ctx.chains].map(([network, chain]) => {
      const own = chain.health();
      const state = seen?.states.get(network);
      // The workers' stored results come first: this process may never have asked a provider.
      const providers = state?.providers.length ? state.providers : own.providers;
      const lastAnswer = (name: string) =>
        seen?.answers.get(network)?.get(name) ?? own.providers.find((one) => one.name === name)?.lastAnsweredAt;
      const secondBehindMs = state ? secondPassBehindMs(state, ctx.config.networks[network].rpcUrls.length) : null;
      const isRead = (state?.hasOpenSessions || seen?.leased.includes(network)) && (!state?.rests || state.isStalled);
      return [
        network,
        {
          reachable: state?.isReachable ?? own.reachable,
          behind_seconds:
            seen && isRead && state?.readUntil ? seconds(seen.now.getTime() - state.readUntil.getTime()) : null,
          second_pass_behind_seconds: isRead && secondBehindMs !== null ? seconds(secondBehindMs) : null,
          stalled: state?.isStalled ?? false,
          providers: providers.map(({ name, healthy, lastError }) => ({
            name,
            healthy,
            last_error: lastError,
            last_answered_at: lastAnswer(name)?.toISOString() ?? null,
          })),
        },
      ];
    }),
  );
  const reasons = reasonsNotReady(seen);

  return {
    ready: reasons.length === 0,
    reasons,
    database: { reachable: seen !== undefined, writable: seen?.writable ?? false },
    migrations: { pending: seen?.schema.pending ?? [], unknown: seen?.schema.unknown ?? [] },
    queue: {
      due: Number(seen?.due ?? 0),
      oldest_seconds: seen?.oldest ? seconds(seen.now.getTime() - seen.oldest.getTime()) : 0,
    },
    networks,
  };
}

/** Why requests should not be sent here, and what to do. */
function reasonsNotReady(seen: DatabaseHealth | undefined): string[] {
  if (!seen) return ['The database cannot be reached.'];
  const reasons: string[] = [];
  if (!seen.writable)
    reasons.push(
      'The database accepts no writes: it is a standby or set read-only. Point DATABASE_URL at the primary.',
    );
  if (seen.schema.pending.length > 0)
    reasons.push('The schema is older than this release: run `quittance-server migrate`.');
  if (seen.schema.breaking.length > 0)
    reasons.push(
      `The schema is newer than this release and does not fit it (${seen.schema.breaking.join(', ')}): start the newer release.`,
    );
  return reasons;
}

function seconds(ms: number): number {
  return Math.max(0, Math.round(ms / SECOND_MS));
}
