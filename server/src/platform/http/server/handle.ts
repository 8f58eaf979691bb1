import type { FastifyReply, FastifyRequest } from 'fastify';
import { compressedAside } from '../compress.ts';
import { clientQuota, objectQuota } from '../admission/client-quota.ts';
import { clientOf } from '../admission/client.ts';
import type { Route } from '../route.ts';
import { ownCommit } from './own-commit.ts';
import { requestReader } from './read-request.ts';
import { requestTransaction } from './request-transaction.ts';
import type { HandlerNeeds, Strategy } from './strategy.ts';
import { withoutTransaction } from './without-transaction.ts';

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
  const inTurn = (account: string, ...request: Parameters<Strategy>) =>
    needs.pace.inTurn(account, async () => {
      const answer = await work(...request);
      if (answer) needs.pace.spend(account, answer.body.length);
      return answer;
    });
  const count = quota && clientQuota(needs, quota.name, quota.perMinute, quota.message);
  const countObject = objectQuota(needs, route.options.objectQuota);

  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const client = clientOf(request);
    await count?.(client, quota?.by === 'account' ? request.caller?.id : undefined);
    const { call, claim } = await read(request, reply);
    await countObject?.((call.params as { id?: string }).id, client);
    const account = isLong ? request.caller?.id : undefined;
    const answer = await (account === undefined ? work(call, claim) : inTurn(account, call, claim));
    if (answer === null) return reply;
    if (answer.original !== null)
      reply.header('idempotent-replayed', 'true').header('original-request', answer.original);
    // What is only read contains no secret: these are in the answers of what creates them.
    const isList = endpoint.success.envelope === 'list' && typeof answer.body === 'string';
    return reply
      .code(answer.status)
      .header('content-type', 'application/json; charset=utf-8')
      .send(isList ? await compressedAside(reply, answer.body as string) : answer.body);
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
