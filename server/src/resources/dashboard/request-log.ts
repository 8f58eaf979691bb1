import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../../context.ts';
import { clientShare } from '../../platform/client-share.ts';
import { isUnavailable } from '../../platform/db/unavailable.ts';
import { SECOND_MS } from '../../platform/time.ts';
import { insertRequests, type LoggedRequest } from './request-log-store.ts';

const FLUSH_MS = SECOND_MS;
/**
 * Rows per account, second and process. The limit shrinks as the buffer fills up, so a busy account sees a part of its
 * requests.
 */
const MAX_ACCOUNT = 50;
const MAX_WAITING = 2_000;
const PATH_LENGTH = 200;

/** Logs the API's requests after they were answered, in batches of a second. No bodies, no queries. */
export function logRequests(server: FastifyInstance, { db, log }: Context): void {
  let waiting: LoggedRequest[] = [];
  let counts = new Map<string, number>();
  const codes = new WeakMap<FastifyRequest, string | null>();

  server.addHook('onSend', (request, reply, payload, done) => {
    if (reply.statusCode >= 400 && typeof payload === 'string') codes.set(request, codeOf(payload));
    done(null, payload);
  });
  server.addHook('onResponse', (request, reply, done) => {
    const { caller } = request;
    const count = caller ? (counts.get(caller.id) ?? 0) : 0;
    // The dashboard's own requests would hide the merchant's.
    if (caller && caller.via !== 'cookie' && count < clientShare(MAX_ACCOUNT, waiting.length - count, MAX_WAITING)) {
      counts.set(caller.id, count + 1);
      waiting.push({ ...entryOf(request, reply), code: codes.get(request) ?? null });
    }
    done();
  });

  const timer = setInterval(() => void flush(), FLUSH_MS).unref();
  server.addHook('onClose', async () => {
    clearInterval(timer);
    await flush();
  });

  async function flush(): Promise<void> {
    const batch = waiting;
    waiting = [];
    counts = new Map();
    if (batch.length === 0) return;
    try {
      await insertRequests(db, batch);
    } catch (error) {
      if (isUnavailable(error)) return warn(error, batch);
      for (const ofAccount of Map.groupBy(batch, ({ accountId }) => accountId).values()) await insertAlone(ofAccount);
    }
  }

  /** A row that the database refuses costs only its account's rows. */
  async function insertAlone(requests: LoggedRequest[]): Promise<void> {
    await insertRequests(db, requests).catch((error) => warn(error, requests));
  }

  function warn(error: unknown, requests: LoggedRequest[]): void {
    log.warn({ err: error, requests: requests.length }, 'request log not written');
  }
}

function codeOf(payload: string): string | null {
  const [, code] = /"code":"([a-z_]{1,40})"/.exec(payload) ?? [];
  return code ?? null;
}

function entryOf(request: FastifyRequest, reply: FastifyReply): Omit<LoggedRequest, 'code'> {
  const { caller } = request;
  const [path = ''] = request.url.split('?', 1);
  const key = request.headers['idempotency-key'];
  return {
    id: request.id,
    accountId: caller?.id ?? '',
    livemode: caller?.livemode ?? false,
    keyId: caller?.keyId ?? null,
    method: request.method,
    path: path.slice(0, PATH_LENGTH),
    status: reply.statusCode,
    durationMs: Math.round(performance.now() - request.startedAtMs),
    idempotencyKey: typeof key === 'string' ? key.replaceAll('\0', '').slice(0, 255) : null,
    at: caller?.realNow ?? new Date(),
  };
}
