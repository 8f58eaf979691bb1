import type { ReceiveNetwork } from '@quittance/contract';
import type { RevertedPayment } from '../../outside/chains/chain.ts';
import type { Transaction } from '../../platform/db/db.ts';
import { fail } from '../../platform/errors.ts';

export async function lockClock(db: Transaction, accountId: string): Promise<number> {
  const [row] = await db.query<{ testClockOffsetMs: bigint }>(
    'lock_sandbox',
    `
    select test_clock_offset_ms from accounts where id = $1 for no key update`,
    [accountId],
  );
  return Number((row ?? fail('not_found')).testClockOffsetMs);
}

export async function keepReverted(
  db: Transaction,
  network: ReceiveNetwork,
  { txHash, carried }: Pick<RevertedPayment, 'txHash' | 'carried'>,
  at: Date,
): Promise<void> {
  for (const mark of carried) {
    await db.query(
      'save_sandbox_reverted',
      `
      insert into reverted_transactions (payment_id, network, tx_hash, seen_at)
      select payment_id, $1, $2, $4 from checkout_sessions
       where not livemode and substring(reference from 1 for 16) = substring($3::bytea from 1 for 16)
          on conflict do nothing`,
      [network, txHash, Buffer.from(mark), at],
    );
  }
}
