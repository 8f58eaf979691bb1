import type { ReceiveNetwork } from '@quittance/contract';
import type { BlockRef, RevertedPayment } from '../../outside/chains/chain.ts';
import type { Db, Transaction } from '../../platform/db/db.ts';
import type { Reporter } from '../records/contested.ts';
import type { Lease } from './cursor-store.ts';

/** Reverted payments of one network, and the payment for which a customer named them, if one did. */
export interface SeenReverted {
  network: ReceiveNetwork;
  reverted: readonly RevertedPayment[];
  reporter: Reporter;
  namedFor: string | null;
  /** Null if it was found by its hash. */
  block: bigint | null;
}

/**
 * Stores transactions that the chain refused with the payments that they explain. Strangers can send a failing
 * transaction with any tag and amount, so the holder of the session must have named it, or the customer proved to be its
 * sender. It must also carry the session's reference, or no other one and an amount that the session asks for. It counts
 * once a second provider reports it: one provider's word makes no payment `failed`.
 */
export async function saveReverted(
  db: Db,
  { network, reverted, reporter, namedFor, block }: SeenReverted,
  now: Date,
): Promise<void> {
  if (reverted.length === 0) return;
  await db.query(
    'save_reverted',
    `
    insert into reverted_transactions as known (payment_id, network, tx_hash, seen_at, block_number, reported_by, confirmed)
    select distinct s.payment_id, $1, seen.tx_hash, $7::timestamptz, $8::bigint, $10::text[], $11::boolean
      from unnest($2::text[], $3::text[], $4::numeric[], $5::text[], $6::text[]) as seen (tx_hash, address, amount_units, sender, marks)
     cross join lateral (
           select $9::text as payment_id
           union
           select h.payment_id from transaction_hints h where h.tx_hash = seen.tx_hash
           union
           select t.payment_id from payment_targets t
            where t.livemode and t.network = $1 and t.sender = seen.sender and t.address = seen.address) named
      join checkout_sessions s
        on s.payment_id = named.payment_id and s.livemode and s.receive_network = $1 and s.receive_address = seen.address
     where exists (select 1 from unnest(string_to_array(seen.marks, ',')) as mark
                    where substring(s.reference from 1 for 16) = substring(decode(mark, 'hex') from 1 for 16))
        or (seen.marks = '' and (
             exists (select 1 from reserved_amounts r where r.payment_id = s.payment_id and r.amount_units = seen.amount_units)
             or exists (select 1 from payment_targets t
                         where t.payment_id = s.payment_id and t.kind = 'direct'
                           and seen.amount_units in (t.amount_units, t.required_units))))
        on conflict (payment_id, network, tx_hash) do update
       set reported_by = array(select distinct unnest(known.reported_by || excluded.reported_by)),
           confirmed = known.confirmed or excluded.confirmed
                       or cardinality(array(select distinct unnest(known.reported_by || excluded.reported_by))) > 1`,
    [
      network,
      reverted.map((one) => one.txHash),
      reverted.map((one) => one.to),
      reverted.map((one) => one.amountUnits.toString()),
      reverted.map((one) => one.from),
      reverted.map((one) => one.carried.map((mark) => Buffer.from(mark).toString('hex')).join(',')),
      now,
      block,
      namedFor,
      reporter.providers,
      reporter.isConfirmed,
    ],
  );
}

/** Deletes the reverted transactions of orphaned blocks. The canonical chain's are read again. */
export async function deleteReverted(db: Transaction, lease: Lease, back: BlockRef): Promise<void> {
  await db.query('delete_reverted', `delete from reverted_transactions where network = $1 and block_number > $2`, [
    lease.network,
    back.number,
  ]);
}
