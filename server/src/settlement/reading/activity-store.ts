import type { ReceiveNetwork } from '@quittance/contract';
import type { Transfer } from '../../outside/chains/chain.ts';
import type { Db } from '../../platform/db/db.ts';
import { HOUR_MS, later } from '../../platform/time.ts';
import { IS_ACTIVE_OWNER } from '../records/address-owner-store.ts';
import type { AddressActivity, Count } from './select-transfers.ts';

/** Bytes of a reference in a 20-byte tag. */
const TAG_BYTES = 16;
/** Maximum number of references looked up per transfer. */
const MAX_REFERENCES = 16;
const MAX_ROWS = 500;
const HOURS_KEPT = 48;

/** How many transfers each address listed in this hour and the last, and whether its ownership is proved. */
export async function findActivity(
  db: Db,
  network: ReceiveNetwork,
  addresses: readonly string[],
  now: Date,
): Promise<Map<string, AddressActivity>> {
  const rows = await db.query<{ address: string; listed: bigint; isProved: boolean; needsProof: boolean }>(
    'find_address_activity',
    `
    select named.address,
           coalesce((select sum(a.stored) from address_activity a where a.network = $1 and a.address = named.address and a.hour >= $3), 0) as listed,
           exists (select 1 from address_owners o where o.livemode and o.network = $1 and o.address = named.address and ${IS_ACTIVE_OWNER}) as is_proved,
           coalesce((select count(distinct w.account_id) > 1 or bool_or(w.needs_proof)
                       from payout_wallets w where w.livemode and w.address = named.address and w.archived_at is null), false) as needs_proof
      from unnest($2::text[]) as named (address)`,
    [network, addresses, later(hourOf(now), -HOUR_MS)],
  );
  return new Map(
    rows.map((row) => [
      row.address,
      { listed: Number(row.listed), isProved: row.isProved, needsProof: row.needsProof },
    ]),
  );
}

export async function countActivity(
  db: Db,
  network: ReceiveNetwork,
  counted: ReadonlyMap<string, Count>,
  now: Date,
): Promise<void> {
  // Sorted, so that two writers cannot deadlock.
  const rows = [...counted]
    .filter(([, count]) => count.stored + count.skipped + count.dust > 0)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  if (rows.length === 0) return;
  await db.query(
    'count_address_activity',
    `
    insert into address_activity as a (network, address, hour, stored, skipped, dust, dust_units)
    select $1, seen.address, $2, seen.stored, seen.skipped, seen.dust, seen.dust_units
      from unnest($3::text[], $4::integer[], $5::integer[], $6::integer[], $7::numeric[]) as seen (address, stored, skipped, dust, dust_units)
        on conflict (network, address, hour) do update
       set stored = a.stored + excluded.stored, skipped = a.skipped + excluded.skipped, dust = a.dust + excluded.dust, dust_units = a.dust_units + excluded.dust_units`,
    [
      network,
      hourOf(now),
      rows.map(([address]) => address),
      rows.map(([, count]) => count.stored),
      rows.map(([, count]) => count.skipped),
      rows.map(([, count]) => count.dust),
      rows.map(([, count]) => count.dustUnits.toString()),
    ],
  );
}

export async function pruneActivity(db: Db, now: Date, limit: number): Promise<number> {
  const rows = await db.query(
    'prune_address_activity',
    `
    delete from address_activity
     where (network, address, hour) in (select network, address, hour from address_activity where hour < $1 order by hour limit $2)
    returning network`,
    [later(now, -HOURS_KEPT * HOUR_MS), limit],
  );
  return rows.length;
}

/** The transfers that may belong to a payment: by an exact amount, a reference, a proved sender, or a claim. */
export async function findMatches(db: Db, transfers: readonly Transfer[]): Promise<Set<Transfer>> {
  const matches = new Set<Transfer>();
  for (let start = 0; start < transfers.length; start += MAX_ROWS) {
    const some = transfers.slice(start, start + MAX_ROWS);
    const marks = some.flatMap((transfer, place) =>
      [...transfer.carried, ...(transfer.unproven ?? [])]
        .slice(0, MAX_REFERENCES)
        .map((mark) => ({ place, mark: Buffer.from(mark).toString('hex') })),
    );
    const rows = await db.query<{ place: bigint }>(
      'find_matching_transfers',
      `
      select seen.place
        from unnest($1::text[], $2::text[], $3::text[], $4::numeric[], $5::text[], $6::text[], $9::integer[]) with ordinality
          as seen (network, address, asset, amount_units, sender, tx_hash, index, place)
       where exists (select 1 from reserved_amounts r where r.livemode and r.network = seen.network and r.address = seen.address and r.asset = seen.asset
                                                        and r.amount_units = seen.amount_units)
          or exists (select 1 from payment_targets t join payments p on p.id = t.payment_id and p.status in ('created', 'pending')
                      where t.livemode and t.network = seen.network and t.sender = seen.sender and t.address = seen.address and t.asset = seen.asset)
          or exists (select 1 from claims c where c.livemode and c.network = seen.network and c.tx_hash = seen.tx_hash)
          or exists (select 1 from signed_claims c where c.livemode and c.network = seen.network and c.tx_hash = seen.tx_hash
                                                       and (c.signer = '' or c.signer = seen.sender))
          or exists (select 1 from transfers known where known.livemode and known.network = seen.network and known.tx_hash = seen.tx_hash
                                                           and known.index = seen.index)
      union
      select carried.place + 1
        from unnest($7::integer[], $8::text[]) as carried (place, mark)
       where exists (select 1 from checkout_sessions s
                      where s.livemode and substring(s.reference from 1 for ${TAG_BYTES}) = substring(decode(carried.mark, 'hex') from 1 for ${TAG_BYTES}))
          or exists (select 1 from machine_credentials c where c.livemode and c.network = ($1::text[])[carried.place + 1] and c.nonce = decode(carried.mark, 'hex'))`,
      [
        some.map((one) => one.network),
        some.map((one) => one.to),
        some.map((one) => one.asset),
        some.map((one) => one.amountUnits.toString()),
        some.map((one) => one.from),
        some.map((one) => one.txHash),
        marks.map((one) => one.place),
        marks.map((one) => one.mark),
        some.map((one) => one.index),
      ],
    );
    for (const { place } of rows) matches.add(some[Number(place) - 1] as Transfer);
  }
  return matches;
}

function hourOf(instant: Date): Date {
  return new Date(Math.floor(instant.getTime() / HOUR_MS) * HOUR_MS);
}
