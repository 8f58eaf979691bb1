import type { Database } from '../../db/db.ts';
import type { QuotaNeeds } from '../admission/client-quota.ts';
import type { Pace } from '../admission/pace.ts';
import type { IdempotencyClaim } from '../idempotency/claim.ts';
import type { Idempotency } from '../idempotency/idempotency.ts';
import type { WrittenAnswer } from './answer.ts';
import type { AnyCall } from './read-request.ts';

export interface HandlerNeeds<Ctx> extends QuotaNeeds {
  ctx: Ctx;
  database: Database;
  idempotency: Idempotency;
  pace: Pace;
}

/**
 * Runs a route's verb for a request that was read, in its kind of transaction and with its key. Null if a stream has
 * answered.
 */
export type Strategy = (call: AnyCall, claim: IdempotencyClaim | null) => Promise<WrittenAnswer | null>;
