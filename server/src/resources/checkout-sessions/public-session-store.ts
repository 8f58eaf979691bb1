import type { PublicSessionJson } from '@quittance/contract';
import type { Database, Db } from '../../platform/db/db.ts';
import { later } from '../../platform/time.ts';
import type { Payment } from '../../settlement/records/payment.ts';
import type { CheckoutSession } from './session.ts';

/** Real time in live mode, the account's clock in test mode. */
export async function clockOf(db: Database, session: Pick<CheckoutSession, 'accountId' | 'livemode'>): Promise<Date> {
  const now = await db.now();
  if (session.livemode) return now;
  const [row] = await db.query<{ testClockOffsetMs: bigint }>(
    'find_clock_offset',
    `select test_clock_offset_ms from accounts where id = $1`,
    [session.accountId],
  );
  return later(now, Number(row?.testClockOffsetMs ?? 0n));
}

export async function findMerchant(db: Db, accountId: string): Promise<PublicSessionJson['merchant']> {
  const [row] = await db.query<{
    name: string | null;
    logoUrl: string | null;
    supportEmail: string | null;
    supportUrl: string | null;
  }>('find_public_merchant', `select name, logo_url, support_email, support_url from accounts where id = $1`, [
    accountId,
  ]);
  return {
    name: row?.name ?? null,
    logo_url: row?.logoUrl ?? null,
    support_email: row?.supportEmail ?? null,
    support_url: row?.supportUrl ?? null,
  };
}

/** The newest block that any process has read. */
export async function findHead(db: Db, session: CheckoutSession, payment: Payment): Promise<bigint | null> {
  const [row] = session.livemode
    ? await db.query<{ head: bigint | null }>(
        'find_read_head',
        `select block_number as head from chain_cursors where network = $1 and pass = 'first'`,
        [payment.receiveNetwork],
      )
    : await db.query<{ head: bigint | null }>(
        'find_sandbox_head',
        `select max(number) as head from sandbox_blocks where account_id = $1 and network = $2`,
        [session.accountId, payment.receiveNetwork],
      );
  return row?.head ?? null;
}
