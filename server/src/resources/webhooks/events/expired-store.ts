import type { Db } from '../../../platform/db/db.ts';

export interface ExpiredEndpoint {
  id: string;
  url: string;
  parked: bigint;
  email: string | null;
}

export function markNotified(db: Db, before: Date, now: Date, notifiedBefore: Date): Promise<ExpiredEndpoint[]> {
  return db.query<ExpiredEndpoint>(
    'mark_notified_of_expiry',
    `
    update webhook_endpoints e set expiry_mailed_at = $2
      from (select endpoint_id, count(*) as parked from deliveries where state = 'parked' and recorded_at < $1 group by endpoint_id) expired, accounts a
     where e.id = expired.endpoint_id and a.id = e.account_id and e.deleted_at is null
       and (e.expiry_mailed_at is null or e.expiry_mailed_at < $3)
    returning e.id, e.url, expired.parked, a.email`,
    [before, now, notifiedBefore],
  );
}
