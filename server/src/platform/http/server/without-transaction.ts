import type { Route } from '../route.ts';
import { answerOf } from './answer.ts';
import type { HandlerNeeds, Strategy } from './strategy.ts';

/** For reads, and for verbs that call external services. */
export function withoutTransaction<Ctx>(route: Route<Ctx>, { ctx }: HandlerNeeds<Ctx>): Strategy {
  return async (call) => {
    const prepared = await route.options.prepare?.(ctx, call);
    return answerOf(route.endpoint, await route.handle(ctx, call, prepared), call.http);
  };
}
