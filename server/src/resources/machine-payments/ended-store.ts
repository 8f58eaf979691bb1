import type { PaymentStatus } from '@quittance/contract';
import type { Database } from '../../platform/db/db.ts';

export async function findEnded(db: Database, paymentIds: readonly string[]): Promise<Set<string>> {
  const open: PaymentStatus[] = ['created', 'pending'];
  const rows = await db.query<{ id: string }>(
    'find_ended_machine_payments',
    `
    select p.id from payments p
     where p.id = any($1)
       and (not p.status = any($2)
            or (exists (select 1 from machine_credentials c where c.payment_id = p.id)
                and not exists (select 1 from machine_credentials c where c.payment_id = p.id and c.state = 'open')))`,
    [paymentIds, open],
  );
  return new Set(rows.map((row) => row.id));
}
