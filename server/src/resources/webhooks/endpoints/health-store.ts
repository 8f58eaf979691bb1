import type { Db } from '../../../platform/db/db.ts';

/** Recent results of an endpoint's deliveries. */
export interface EndpointHealth {
  endpointId: string;
  pending: number;
  uncollected: number;
  lastOutcome: 'delivered' | 'failed' | null;
  lastResponseCode: number | null;
  lastError: string | null;
  lastAttemptAt: Date | null;
  recentDelivered: number;
  recentFailed: number;
  averageDurationMs: number | null;
}

const NEW: Omit<EndpointHealth, 'endpointId'> = {
  pending: 0,
  uncollected: 0,
  lastOutcome: null,
  lastResponseCode: null,
  lastError: null,
  lastAttemptAt: null,
  recentDelivered: 0,
  recentFailed: 0,
  averageDurationMs: null,
};

export function healthOfNew(endpointId: string): EndpointHealth {
  return { endpointId, ...NEW };
}

/** Of each endpoint, from its newest hundred deliveries. */
export async function findHealth(db: Db, endpointIds: readonly string[]): Promise<Map<string, EndpointHealth>> {
  const rows = await db.query<Omit<EndpointHealth, 'uncollected'> & { uncollected: bigint }>(
    'find_health',
    `
    select endpoint.id as endpoint_id, recent.*,
           (select count(*) from deliveries d where d.endpoint_id = endpoint.id and d.state = 'pending')::integer
           + (select count(*) from deliveries d where d.endpoint_id = endpoint.id and d.state = 'parked')::integer as pending,
           coalesce((select e.uncollected from webhook_endpoints e where e.id = endpoint.id), 0) as uncollected
      from unnest($1::text[]) as endpoint (id)
     cross join lateral (
       select count(*) filter (where newest.state = 'delivered')::integer as recent_delivered,
              count(*) filter (where newest.state <> 'delivered' and last.outcome = 'failed')::integer as recent_failed,
              round(avg(last.duration_ms) filter (where last.response_code is not null))::integer as average_duration_ms,
              (array_agg(last.outcome order by last.recorded_at desc) filter (where last.outcome is not null))[1] as last_outcome,
              (array_agg(last.response_code
                order by last.recorded_at desc) filter (where last.outcome is not null))[1] as last_response_code,
              (array_agg(last.error order by last.recorded_at desc) filter (where last.outcome is not null))[1] as last_error,
              (array_agg(last.attempted_at order by last.recorded_at desc) filter (where last.outcome is not null))[1] as last_attempt_at
         from (select id, state from deliveries where endpoint_id = endpoint.id order by recorded_at desc, id desc limit 100) newest
         left join lateral (
           select outcome, response_code, error, duration_ms, attempted_at, recorded_at from delivery_attempts
            where delivery_id = newest.id order by recorded_at desc limit 1
         ) last on true
     ) recent`,
    [endpointIds],
  );
  return new Map(rows.map((row) => [row.endpointId, { ...row, uncollected: Number(row.uncollected) }]));
}
