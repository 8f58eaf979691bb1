import { fail } from '../../errors.ts';
import type { KeyedAnswer } from '../idempotency/claim.ts';
import type { AnyEndpoint, Commit } from '../route.ts';
import { writeAnswer } from './answer.ts';
import type { HandlerNeeds, Strategy } from './strategy.ts';

/** The verb commits in one statement, which also claims the key and stores the answer. */
export function ownCommit<Ctx>(
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
