import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Caller, nameOf } from '../../caller.ts';
import { compressedAside } from '../compress.ts';
import { clientQuota, largeBodyQuota, objectQuota, type QuotaNeeds } from '../admission/client-quota.ts';
import { clientOf } from '../admission/client.ts';
import type { Route, AnyEndpoint, Commit, Call } from '../route.ts';
import type { Database, Transaction } from '../../db/db.ts';
import type { Pace } from '../admission/pace.ts';
import { type IdempotencyClaim, type KeyedAnswer, readClaim } from '../idempotency/claim.ts';
import type { Idempotency } from '../idempotency/idempotency.ts';
import { type WrittenAnswer, answerOf, writeAnswer } from './answer.ts';
import { invariant, fail } from '../../errors.ts';
import type { Endpoint } from '@quittance/contract';
import { type IdPrefix, isId } from '../../ids.ts';
import type { Lines } from '../../lines.ts';
import { later, SECOND_MS } from '../../time.ts';
import { refuseBadParameters, refuseBadText } from '../validation/text.ts';
import { bodyCheck, queryCheck } from '../validation/validate.ts';

/** The Fastify handler of an admitted request: reads it by the contract, runs the verb, answers. */
export function handlerOf<Ctx>(route: Route<Ctx>, needs: HandlerNeeds<Ctx>) {
  const { endpoint } = route;
  const read = requestReader(route, needs.database, needs.idempotency);
  const work = strategyOf(route, needs);
  const {
    maxPerMinute,
    quota = maxPerMinute === undefined ? undefined : { name: endpoint.operationId, perMinute: maxPerMinute },
    isLong = endpoint.success.envelope === 'list',
  } = route.options;
  const inTurn = (account: string, reply: FastifyReply, ...request: Parameters<Strategy>) =>
    needs.pace.inTurn(account, async () => {
      const answer = await work(...request);
      if (!answer) return null;
      needs.pace.spend(account, answer.body.length);
      // The text must not reach the objects of a request that has waited long: each collection of short-lived memory would
      // copy it as long as they exist. It may be compressed, because secrets are only in answers of what creates them.
      const body = typeof answer.body === 'string' ? await compressedAside(reply, answer.body) : answer.body;
      return { ...answer, body };
    });
  const count = quota && clientQuota(needs, quota.name, quota.perMinute, quota.message);
  const countObject = objectQuota(needs, route.options.objectQuota);
  const countBytes = largeBodyQuota(needs);

  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const client = clientOf(request);
    await count?.(client, quota?.by === 'account' && request.caller ? nameOf(request.caller) : undefined);
    if (request.caller) await countBytes(request.caller.id, request.bodyBytes);
    const { call, claim } = await read(request, reply);
    await countObject?.((call.params as { id?: string }).id, client);
    const account = isLong ? request.caller?.id : undefined;
    const answer = await (account === undefined ? work(call, claim) : inTurn(account, reply, call, claim));
    if (answer === null) return reply;
    if (answer.original !== null)
      reply.header('idempotent-replayed', 'true').header('original-request', answer.original);
    return reply.code(answer.status).header('content-type', 'application/json; charset=utf-8').send(answer.body);
  };
}

function strategyOf<Ctx>(route: Route<Ctx>, needs: HandlerNeeds<Ctx>): Strategy {
  const { endpoint, options } = route;
  if (route.commit) return ownCommit(endpoint, route.commit, needs);
  if (options.transaction ?? endpoint.method !== 'GET') return requestTransaction(route, needs);
  if (endpoint.idempotent) {
    throw new Error(
      `${endpoint.operationId} supports Idempotency-Key, so it needs a transaction: make network calls in \`prepare\``,
    );
  }
  return withoutTransaction(route, needs);
}

interface HandlerNeeds<Ctx> extends QuotaNeeds {
  ctx: Ctx;
  database: Database;
  idempotency: Idempotency;
  pace: Pace;
  writes: Lines;
}

/**
 * Runs a route's verb for a request that was read, in its kind of transaction and with its key. Null if a stream has
 * answered.
 */
type Strategy = (call: AnyCall, claim: IdempotencyClaim | null) => Promise<WrittenAnswer | null>;

/** For reads, and for verbs that call external services. */
function withoutTransaction<Ctx>(route: Route<Ctx>, { ctx }: HandlerNeeds<Ctx>): Strategy {
  return async (call) => {
    const prepared = await route.options.prepare?.(ctx, call);
    return answerOf(route.endpoint, await route.handle(ctx, call, prepared), call.http);
  };
}

/**
 * One transaction around the verb. For a keyed request it also holds the claim of the key and the answer. An account has
 * few at once, because changes of one account may wait for one another, each with a connection.
 */
function requestTransaction<Ctx>(route: Route<Ctx>, needs: HandlerNeeds<Ctx>): Strategy {
  const { ctx, database, idempotency, writes } = needs;
  const { endpoint, handle, options } = route;
  const inTurn = <T>({ caller }: { caller: Caller | null }, work: () => Promise<T>) =>
    caller ? writes.inTurn(nameOf(caller), work) : work();

  return async (call, claim) => {
    const startedMs = performance.now();
    // A replay skips `prepare`, which may be a network call.
    const earlier = claim && options.prepare && (await idempotency.replay(claim));
    if (earlier) return earlier;
    const prepared = await options.prepare?.(ctx, call);
    let current = call;
    // Its turn may come seconds later, and events are recorded with the time of their commit.
    const atTurn = <T>(run: () => Promise<T>) =>
      inTurn(call, async () => {
        const isLate = performance.now() - startedMs > SECOND_MS;
        if (options.prepare || isLate) current = await withNow(call, database);
        return run();
      });

    if (!claim)
      return atTurn(() =>
        database.transaction(async (db) =>
          answerOf(endpoint, await handle(ctx, { ...current, db }, prepared), call.http),
        ),
      );

    const work = async (db: typeof call.db) => {
      const answer = answerOf(endpoint, await handle(ctx, { ...current, db }, prepared), call.http);
      invariant(answer, 'a keyed request is not answered by a stream');
      return { status: answer.status, body: Buffer.from(answer.body) };
    };
    return idempotency.inTransaction(claim, work, { isSecret: options.secretAnswer === true, inTurn: atTurn });
  };
}

async function withNow(call: AnyCall, database: Database): Promise<AnyCall> {
  const caller: Caller | null = call.http.request.caller;
  if (caller === null) return call;
  const realNow = await database.now();
  const now = later(caller.now, realNow.getTime() - caller.realNow.getTime());
  return { ...call, caller: { ...caller, now, realNow } };
}

/** The verb commits in one statement, which also claims the key and stores the answer. */
function ownCommit<Ctx>(
  endpoint: AnyEndpoint,
  commit: Commit<Ctx, AnyEndpoint>,
  { ctx, idempotency }: HandlerNeeds<Ctx>,
): Strategy {
  return async (call, claim) => {
    const { request, reply } = call.http;
    const serialize = (data: unknown) => Buffer.from(writeAnswer(endpoint, data, request.id, reply));
    const answered = (body: Buffer): KeyedAnswer => ({ status: endpoint.success.status, body, original: null });
    const inProgress = () => fail('idempotency_in_progress', { retryAfterSeconds: 1 });

    if (!claim) return answered((await commit(ctx, call, { claim, serialize })) ?? inProgress());

    return idempotency.alone(claim, async () => {
      const [written] = await Promise.allSettled([commit(ctx, call, { claim, serialize })]);
      if (written.status === 'fulfilled' && written.value) return answered(written.value);
      // A replay gets the first answer, even if the same request would be rejected today.
      const earlier = await idempotency.replay(claim);
      if (earlier) return earlier;
      if (written.status === 'rejected') throw written.reason;
      return inProgress();
    });
  };
}

type AnyCall = Call<Endpoint>;

/** Validates every part of the request in turn. Its result is trusted from here on. */
function requestReader<Ctx>({ endpoint, options }: Route<Ctx>, database: Database, idempotency: Idempotency) {
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

  return async (
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<{ call: AnyCall; claim: IdempotencyClaim | null }> => {
    const params = request.params as Record<string, string>;
    const query = request.query as Record<string, unknown>;
    refuseBadParameters(params, code);
    refuseBadParameters(query, code);
    refuseBadText(request.body, code);
    const badQuery = checkQuery?.(query, code);
    if (badQuery) throw badQuery;
    const claim = endpoint.idempotent ? await readClaim(request, request.caller, () => database.now()) : null;
    // A missing body counts as an empty one, so that the error names the first missing field.
    const body = checkBody && (request.body === undefined ? {} : request.body);
    const badBody = checkBody?.(body, code);
    if (badBody) {
      if (claim) await idempotency.refuseReuse(claim);
      throw badBody;
    }
    for (const { name, prefix } of ids) if (!isId(prefix, params[name] ?? '')) fail('not_found', { param: name });

    return {
      call: {
        caller: request.caller as AnyCall['caller'],
        params,
        query,
        body: body as AnyCall['body'],
        db: untransacted,
        http: { request, reply, client: clientOf(request), credentialHash: request.credentialHash },
      },
      claim,
    };
  };
}
