import type { Transaction } from '../../platform/db/db.ts';
import type { Payment } from './payment.ts';

/** A payment that is no longer paid may be in the sum of a day that is not over: it is summed again from its start. */
export async function restartDaySums(db: Transaction, { accountId, livemode }: Payment): Promise<void> {
  await db.query('restart_day_sums', 'delete from activity_so_far where account_id = $1 and livemode = $2', [
    accountId,
    livemode,
  ]);
}
