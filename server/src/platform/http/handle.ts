import type { Endpoint } from '@quittance/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Database, Transaction } from '../db/db.ts';
import { fail } from '../errors.ts';
import { type IdPrefix, isId } from '../ids.ts';
import { writeAnswer } from './answer.ts';
import { clientQuota, objectQuota, type QuotaNeeds } from './client-quota.ts';
import { EventStream } from './event-stream.ts';
import { type Idempotency, type KeyedAnswer, makeClaim, readIdempotencyKey } from './idempotency.ts';
import { refuseReuse } from './idempotency-store.ts';
import { type Call, type IdempotencyClaim, OwnAnswer, type Route } from './route.ts';
import { refuseBadParameters, refuseBadText } from './text.ts';
import { bodyCheck, queryCheck } from './validate.ts';

type AnyCall = Call<Endpoint>;

/** Of a keyed request the bytes are kept as well. */
type Sent = Omit<KeyedAnswer, 'body'> & { body: Buffer | string };

export interface HandlerNeeds<Ctx> extends QuotaNeeds {
  ctx: Ctx;
  database: Database;
  idempotency: Idempotency;
}

/** What Fastify runs for an admitted request: reads it by the contract, lets the verb work, answers. */
export function handlerOf<Ctx>(route: Route<Ctx>, needs: HandlerNeeds<Ctx>) {
  const read = reader(route, needs.database);
  const work = worker(route, needs);
  const {
    mostPerMinute,
    quota = mostPerMinute === undefined ? undefined : { name: route.endpoint.operationId, perMinute: mostPerMinute },
  } = route.options;
  const count = quota && clientQuota(needs, quota.name, quota.perMinute, quota.message);
  const countObject = objectQuota(needs, route.options.objectQuota);

  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    await count?.(request.ip, quota?.by === 'account' ? request.caller?.id : undefined);
    const call = await read(request, reply);
    await countObject?.((call.params as { id?: string }).id, request.ip);
    const answer = await work(call);
    if (answer === null) return reply;
    if (answer.original !== null)
      reply.header('idempotent-replayed', 'true').header('original-request', answer.original);
    return reply.code(answer.status).header('content-type', 'application/json; charset=utf-8').send(answer.body);
  };
}

/** Checks every part of the request in turn; what it returns is believed from here on. */
function reader<Ctx>({ endpoint, options }: Route<Ctx>, database: Database) {
  const code = options.invalid ?? endpoint.invalid;
  const checkQuery = endpoint.query && queryCheck(endpoint.query);
  const checkBody = endpoint.body && bodyCheck(endpoint.body);
  const ids = Object.entries(endpoint.params?.properties ?? {}).flatMap(([name, schema]) =>
    typeof schema.idPrefix === 'string' ? [{ name, prefix: schema.idPrefix as IdPrefix }] : [],
  );
  const untransacted: Transaction = {
    query: (name, sql, values) => database.query(name, sql, values),
    afterCommit: (run) => run(),
  };

  return async (request: FastifyRequest, reply: FastifyReply): Promise<AnyCall> => {
    const params = request.params as Record<string, string>;
    const query = request.query as Record<string, unknown>;
    refuseBadParameters(params, code);
    refuseBadParameters(query, code);
    refuseBadText(request.body, code);
    checkQuery?.(query, code);
    const key = endpoint.idempotent ? readIdempotencyKey(request) : null;
    const idempotency = key === null ? null : await claim(key, request, database);
    let body: object | undefined;
    try {
      body = checkBody ? readBody(request.body) : undefined;
      checkBody?.(body, code);
    } catch (refusal) {
      if (idempotency) await refuseReuse(database, idempotency);
      throw refusal;
    }
    for (const { name, prefix } of ids) if (!isId(prefix, params[name] ?? '')) fail('not_found', { param: name });

    return {
      caller: request.caller as AnyCall['caller'],
      params,
      query,
      body,
      idempotency,
      request,
      reply,
      db: untransacted,
      requestId: request.id,
      // Without an address there is no client any more.
      client: request.ip ?? '',
      credentialHash: request.credentialHash,
      prepared: undefined,
      serialize: (data: unknown) => Buffer.from(writeAnswer(endpoint, data, request.id, reply)),
    };
  };
}

/** A body that was left out is an empty one, so that the answer names the first field that is missing. */
function readBody(body: unknown): object {
  if (body === undefined) return {};
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    fail('invalid_request', { message: 'The body must be a JSON object.' });
  }
  return body;
}

async function claim(key: string, request: FastifyRequest, database: Database): Promise<IdempotencyClaim> {
  const { caller, body, method } = request;
  const [path = ''] = request.url.split('?', 1);
  const common = { key, method, path, body };
  // Without an account the object in the path is whom the key belongs to.
  return caller
    ? makeClaim({ ...common, accountId: caller.id, livemode: caller.livemode, now: caller.realNow })
    : makeClaim({ ...common, accountId: path, livemode: true, now: await database.now() });
}

/** Runs the verb in the transaction and under the key that its route asks for. Null where it has answered by a stream. */
function worker<Ctx>(
  route: Route<Ctx>,
  { ctx, database, idempotency }: HandlerNeeds<Ctx>,
): (call: AnyCall) => Promise<Sent | null> {
  const { endpoint, handle, options } = route;
  const transaction = options.transaction ?? endpoint.method !== 'GET';
  if (endpoint.idempotent && transaction === false) {
    throw new Error(
      `${endpoint.operationId} supports Idempotency-Key, so it needs a transaction: make network calls in \`prepare\``,
    );
  }

  const perform = async (call: AnyCall): Promise<Sent | null> => {
    const result = await handle(ctx, call);
    if (result instanceof EventStream) return null;
    if (result instanceof OwnAnswer) return { status: result.status, body: result.body, original: result.original };
    // As text, the head and it are one write.
    const body = writeAnswer(endpoint, result, call.requestId, call.reply);
    return { status: endpoint.success.status, body: call.idempotency ? Buffer.from(body) : body, original: null };
  };
  const certain = async (call: AnyCall) => (await perform(call)) as KeyedAnswer;
  const prepare = async (call: AnyCall): Promise<AnyCall> =>
    options.prepare ? { ...call, prepared: await options.prepare(ctx, call as never) } : call;

  if (transaction === 'own') {
    return async (call) => {
      if (!call.idempotency) return perform(await prepare(call));
      return idempotency.alone(call.idempotency, call.requestId, async () => certain(await prepare(call)));
    };
  }
  if (!transaction) return async (call) => perform(await prepare(call));
  return async (call) => {
    const key = call.idempotency;
    if (!key) {
      const prepared = await prepare(call);
      return database.transaction((db) => perform({ ...prepared, db }));
    }
    const repeat = options.prepare && (await idempotency.stored(key));
    if (repeat) return repeat;
    const prepared = await prepare(call);
    return idempotency.inTransaction(key, call.requestId, options.secretAnswer === true, (db) =>
      certain({ ...prepared, db }),
    );
  };
}
