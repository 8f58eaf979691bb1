import type { ReceiveNetwork } from '@quittance/contract';
import type { Db, Transaction } from '../../platform/db/db.ts';
import { findTransfersByHash, type StoredTransfer } from '../../settlement/records/transfer-store.ts';
import type { RevertedPayment } from '../../outside/chains/chain.ts';
import { fail } from '../../platform/errors.ts';
import { HAS_DEPOSIT } from '../../settlement/records/route-order-store.ts';

/** Transfers on an account's sandbox chain that are not final yet. */
export async function findUnfinalOfSandbox(
  db: Db,
  accountId: string,
  network: ReceiveNetwork,
): Promise<StoredTransfer[]> {
  const rows = await db.query<{ txHash: string }>(
    'find_unfinal_of_sandbox',
    `
    select t.tx_hash
      from sandbox_transfers x join transfers t on not t.livemode and t.network = x.network and t.tx_hash = x.tx_hash and t.index = x.index
     where x.account_id = $1 and x.network = $2 and t.status = 'seen'
     order by x.block_number, x.tx_hash`,
    [accountId, network],
  );
  const found: StoredTransfer[] = [];
  for (const row of rows)
    found.push(
      ...(await findTransfersByHash(db, false, network, row.txHash)).filter((transfer) => transfer.status === 'seen'),
    );
  return found;
}

/** Moves the account's test clock; it never goes back. False, and unmoved, if it would be more than this ahead. */
export async function moveClock(
  db: Transaction,
  accountId: string,
  byMs: number,
  maxAheadMs: number,
): Promise<boolean> {
  const rows = await db.query(
    'move_clock',
    `
    update accounts set test_clock_offset_ms = test_clock_offset_ms + $2
     where id = $1 and test_clock_offset_ms + $2 <= $3
    returning id`,
    [accountId, byMs, maxAheadMs],
  );
  return rows.length > 0;
}

/** The account's test payments whose window has ended. */
export async function findEndedPayments(db: Db, accountId: string, now: Date, limit: number): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    'find_ended_payments',
    `
    select p.id from payments p
     where p.account_id = $1 and not p.livemode and p.status in ('created', 'pending') and p.expires_at <= $2
       and not exists (select 1 from transfers t where t.payment_id = p.id and t.status = 'seen')
       and not exists (select 1 from route_orders o where o.payment_id = p.id and ${HAS_DEPOSIT})
     order by p.expires_at, p.id limit $3`,
    [accountId, now, limit],
  );
  return rows.map((row) => row.id);
}

/** The networks with transfers to this account's test payments that are not final yet. */
export async function findWaitingNetworks(db: Db, accountId: string): Promise<ReceiveNetwork[]> {
  const rows = await db.query<{ network: ReceiveNetwork }>(
    'find_waiting_networks',
    `
    select distinct x.network
      from sandbox_transfers x join transfers t on not t.livemode and t.network = x.network and t.tx_hash = x.tx_hash and t.index = x.index
     where x.account_id = $1 and t.status = 'seen'`,
    [accountId],
  );
  return rows.map((row) => row.network);
}

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
