import { invariant } from '../../errors.ts';
import type { Route } from '../route.ts';
import { answerOf } from './answer.ts';
import type { HandlerNeeds, Strategy } from './strategy.ts';

/** One transaction around the verb. For a keyed request it also holds the claim of the key and the answer. */
export function requestTransaction<Ctx>(route: Route<Ctx>, needs: HandlerNeeds<Ctx>): Strategy {
  const { ctx, database, idempotency } = needs;
  const { endpoint, handle, options } = route;

  return async (call, claim) => {
    // A replay skips `prepare`, which may be a network call.
    const earlier = claim && options.prepare && (await idempotency.replay(claim));
    if (earlier) return earlier;
    const prepared = await options.prepare?.(ctx, call);

    if (!claim)
      return database.transaction(async (db) =>
        answerOf(endpoint, await handle(ctx, { ...call, db }, prepared), call.http),
      );

    const work = async (db: typeof call.db) => {
      const answer = answerOf(endpoint, await handle(ctx, { ...call, db }, prepared), call.http);
      invariant(answer, 'a keyed request is not answered by a stream');
      return { status: answer.status, body: Buffer.from(answer.body) };
    };
    return idempotency.inTransaction(claim, work, { isSecret: options.secretAnswer === true });
  };
}
