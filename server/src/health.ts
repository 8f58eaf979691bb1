import type { FastifyInstance } from 'fastify';
import type { Context } from './context.ts';
import { findPending } from './platform/db/migrate.ts';
import { isFromInside } from './platform/http/client.ts';
import { SECOND_MS } from './platform/time.ts';

export interface Readiness {
  /** Whether the service can serve; a network that is behind only delays its own payments. */
  ready: boolean;
  database: { reachable: boolean };
  migrations: { pending: string[] };
  queue: { due: number; oldest_seconds: number };
  networks: Record<string, NetworkReadiness>;
}

interface NetworkReadiness {
  reachable: boolean;
  /** How long ago the newest block that was read is; null while nothing on the network is watched. */
  behind_seconds: number | null;
  providers: { name: string; healthy: boolean; last_error: string | null }[];
}

const LOOKED_FOR_MS = 1 * SECOND_MS;

/** `/healthz` says that requests are answered, `/readyz` how everything behind them is doing. Neither counts for a limit. */
export function addHealth(server: FastifyInstance, ctx: Context): void {
  const lookTogether = onceIn(LOOKED_FOR_MS, () => look(ctx));
  server.get('/healthz', { config: { rateLimit: 'show' } }, async () => ({ status: 'ok' }));
  server.get('/readyz', { config: { rateLimit: 'show' } }, async (request, reply) => {
    const readiness = await lookTogether();
    return reply.code(readiness.ready ? 200 : 503).send(isFromInside(request) ? readiness : withoutWords(readiness));
  });
}

/** What a provider answered may hold the key that it was asked with. */
function withoutWords(readiness: Readiness): Readiness {
  const networks = Object.entries(readiness.networks).map(
    ([network, state]) =>
      [
        network,
        { ...state, providers: state.providers.map((provider) => ({ ...provider, last_error: null })) },
      ] as const,
  );
  return { ...readiness, networks: Object.fromEntries(networks) };
}

/** Nothing limits how often this is asked for, so what was found is answered to all who ask within so long. */
function onceIn<T>(ms: number, find: () => Promise<T>): () => Promise<T> {
  let known: { answer: Promise<T>; untilMs: number } | undefined;
  return () => {
    if (known && known.untilMs > performance.now()) return known.answer;
    known = { answer: find(), untilMs: performance.now() + ms };
    return known.answer;
  };
}

/** How things stand right now. Never throws: what cannot be asked is not reachable. */
export async function look(ctx: Context): Promise<Readiness> {
  const seen = await lookAtDatabase(ctx).catch((error) => {
    ctx.log.warn({ err: error }, 'database health check failed');
    return undefined;
  });
  const networks = Object.fromEntries(
    [...ctx.chains].map(([network, chain]) => {
      const { reachable, providers } = chain.health();
      const readUntil = seen?.cursors.find((cursor) => cursor.network === network)?.block_time;
      return [
        network,
        {
          reachable,
          behind_seconds: seen && readUntil ? seconds(seen.now.getTime() - readUntil.getTime()) : null,
          providers: providers.map(({ name, healthy, lastError }) => ({ name, healthy, last_error: lastError })),
        },
      ];
    }),
  );

  return {
    ready: seen !== undefined && seen.pending.length === 0,
    database: { reachable: seen !== undefined },
    migrations: { pending: seen?.pending ?? [] },
    queue: {
      due: Number(seen?.due ?? 0),
      oldest_seconds: seen?.oldest ? seconds(seen.now.getTime() - seen.oldest.getTime()) : 0,
    },
    networks,
  };
}

async function lookAtDatabase({ db }: Context) {
  const now = await db.now();
  const pending = await findPending(db);
  // While migrations are missing their tables may be as well.
  if (pending.length > 0) return { now, pending, cursors: [], due: 0n, oldest: null };

  const cursors = await db.query<{ network: string; block_time: Date | null }>(
    'look_at_cursors',
    `
    select network, block_time from chain_cursors where pass = 'first' and lease_until > $1`,
    [now],
  );
  const [queue] = await db.query<{ due: bigint; oldest: Date | null }>(
    'look_at_queue',
    `
    select count(*) as due, min(due_at) as oldest from deliveries where state = 'pending' and due_at <= $1`,
    [now],
  );
  return { now, pending, cursors, due: queue?.due ?? 0n, oldest: queue?.oldest ?? null };
}

function seconds(ms: number): number {
  return Math.max(0, Math.round(ms / SECOND_MS));
}
