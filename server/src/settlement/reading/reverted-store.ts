import type { BlockRef, Reading } from '../../outside/chains/chain.ts';
import type { Transaction } from '../../platform/db/db.ts';
import type { Lease } from './cursor-store.ts';

/** Transactions that the chain refused, kept with the payments whose references they carry. */
export async function saveReverted(db: Transaction, lease: Lease, reading: Reading, now: Date): Promise<void> {
  const marks = reading.reverted.flatMap((one) =>
    one.carried.map((mark) => ({ txHash: one.txHash, to: one.to, mark: Buffer.from(mark).toString('hex') })),
  );
  if (marks.length === 0) return;
  await db.query(
    'keep_reverted',
    `
    insert into reverted_transactions (payment_id, network, tx_hash, seen_at, block_number)
    select distinct s.payment_id, $1, seen.tx_hash, $5::timestamptz, $6::bigint
      from unnest($2::text[], $3::text[], $4::text[]) as seen (tx_hash, address, mark)
      join checkout_sessions s
        on s.livemode and s.receive_network = $1 and s.receive_address = seen.address
       and substring(s.reference from 1 for 16) = substring(decode(seen.mark, 'hex') from 1 for 16)
        on conflict do nothing`,
    [
      lease.network,
      marks.map((one) => one.txHash),
      marks.map((one) => one.to),
      marks.map((one) => one.mark),
      now,
      reading.covered.number,
    ],
  );
}

/** Deletes the reverted transactions of orphaned blocks. The canonical chain's are read again. */
export async function deleteReverted(db: Transaction, lease: Lease, back: BlockRef): Promise<void> {
  await db.query('forget_reverted', `delete from reverted_transactions where network = $1 and block_number > $2`, [
    lease.network,
    back.number,
  ]);
}
