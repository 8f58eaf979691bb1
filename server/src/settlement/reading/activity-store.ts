import type { ReceiveNetwork } from '@quittance/contract';
import type { Transfer } from '../../outside/chains/chain.ts';
import type { Db } from '../../platform/db/db.ts';
import { HOUR_MS, later } from '../../platform/time.ts';
import { IS_ACTIVE_OWNER } from '../records/address-owner-store.ts';
import { isBelowCent, type AddressActivity, type Count, type Evidence, type Match } from './select-transfers.ts';

/** Bytes of a reference in a 20-byte tag. */
const TAG_BYTES = 16;
/** Maximum number of proven references looked up per transfer, as in attribution. */
const MAX_REFERENCES = 16;
const MAX_ROWS = 500;
const HOURS_KEPT = 48;

/** How many transfers each address stored in this hour and the last, and whether its ownership is proved. */
export async function findActivity(
  db: Db,
  network: ReceiveNetwork,
  addresses: readonly string[],
  now: Date,
): Promise<Map<string, AddressActivity>> {
  const rows = await db.query<{
    address: string;
    listed: bigint;
    storedOnHints: bigint;
    isProved: boolean;
    needsProof: boolean;
  }>(
    'find_address_activity',
    `
    select named.address,
           coalesce(recent.stored, 0) as listed, coalesce(recent.stored_on_hints, 0) as stored_on_hints,
           exists (select 1 from address_owners o where o.livemode and o.network = $1 and o.address = named.address
             and ${IS_ACTIVE_OWNER}) as is_proved,
           coalesce((select count(distinct w.account_id) > 1 or bool_or(w.needs_proof)
                       from payout_wallets w where w.livemode and w.address = named.address
                         and w.archived_at is null), false) as needs_proof
      from unnest($2::text[]) as named (address)
     cross join lateral (
           select sum(a.stored) as stored, sum(a.stored_on_hints) as stored_on_hints
             from address_activity a where a.network = $1 and a.address = named.address and a.hour >= $3) recent`,
    [network, addresses, later(hourOf(now), -HOUR_MS)],
  );
  return new Map(
    rows.map((row) => [
      row.address,
      {
        listed: Number(row.listed),
        storedOnHints: Number(row.storedOnHints),
        isProved: row.isProved,
        needsProof: row.needsProof,
      },
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
    insert into address_activity as a (network, address, hour, stored, skipped, dust, dust_units, stored_on_hints)
    select $1, seen.address, $2, seen.stored, seen.skipped, seen.dust, seen.dust_units, seen.stored_on_hints
      from unnest($3::text[], $4::integer[], $5::integer[], $6::integer[], $7::numeric[], $8::integer[])
        as seen (address, stored, skipped, dust, dust_units, stored_on_hints)
        on conflict (network, address, hour) do update
       set stored = a.stored + excluded.stored, skipped = a.skipped + excluded.skipped, dust = a.dust + excluded.dust,
         dust_units = a.dust_units + excluded.dust_units,
           stored_on_hints = a.stored_on_hints + excluded.stored_on_hints`,
    [
      network,
      hourOf(now),
      rows.map(([address]) => address),
      rows.map(([, count]) => count.stored),
      rows.map(([, count]) => count.skipped),
      rows.map(([, count]) => count.dust),
      rows.map(([, count]) => count.dustUnits.toString()),
      rows.map(([, count]) => count.storedOnHints),
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

/** Ordered from weak to strong. */
const EVIDENCE: readonly Evidence[] = ['unproven', 'claimed', 'proven', 'exact'];

/** Why transfers may belong to a payment, by the strongest evidence for each. */
export async function findMatches(db: Db, transfers: readonly Transfer[]): Promise<Map<Transfer, Match>> {
  const matches = new Map<Transfer, Match>();
  for (let start = 0; start < transfers.length; start += MAX_ROWS) {
    const some = transfers.slice(start, start + MAX_ROWS);
    const rows = [...(await findMatchesByFact(db, some)), ...(await findMatchesByReference(db, some))];
    for (const { place, evidence, isKnown } of rows) {
      const transfer = some[place] as Transfer;
      const before = matches.get(transfer);
      const isStronger = EVIDENCE.indexOf(evidence as Evidence) > EVIDENCE.indexOf(before?.evidence as Evidence);
      matches.set(transfer, {
        evidence: isStronger ? evidence : (before?.evidence ?? evidence),
        isKnown: isKnown || (before?.isKnown ?? false),
      });
    }
  }
  return matches;
}

interface FoundMatch extends Match {
  place: number;
}

/** Matches by amount, sender or claim, and the transfers that have a row already. */
function findMatchesByFact(db: Db, transfers: readonly Transfer[]): Promise<FoundMatch[]> {
  return db.query<FoundMatch>(
    'find_matches_by_fact',
    `
    select found.* from (
      select (seen.place - 1)::integer as place,
             case when exists (select 1 from reserved_amounts r
                                where r.livemode and r.network = seen.network and r.address = seen.address and r.asset = seen.asset
                                  and r.amount_units = seen.amount_units) then 'exact'
                  when exists (select 1 from payment_targets t join payments p on p.id = t.payment_id and p.status in ('created', 'pending')
                                where t.livemode and t.network = seen.network and t.sender = seen.sender and t.address = seen.address
                                  and t.asset = seen.asset) then 'proven'
                  when exists (select 1 from signed_claims c where c.livemode and c.network = seen.network and c.tx_hash = seen.tx_hash
                                  and (c.signer = '' or c.signer = seen.sender)) then 'claimed' end as evidence,
             exists (select 1 from transfers known where known.livemode and known.network = seen.network and known.tx_hash = seen.tx_hash
                                                     and known.index = seen.index) as is_known
        from unnest($1::text[], $2::text[], $3::text[], $4::numeric[], $5::text[], $6::text[], $7::integer[]) with ordinality
          as seen (network, address, asset, amount_units, sender, tx_hash, index, place)) found
     where found.evidence is not null or found.is_known`,
    [
      transfers.map((one) => one.network),
      transfers.map((one) => one.to),
      transfers.map((one) => one.asset),
      transfers.map((one) => one.amountUnits.toString()),
      transfers.map((one) => one.from),
      transfers.map((one) => one.txHash),
      transfers.map((one) => one.index),
    ],
  );
}

/**
 * Matches by the reference of a session for the transfer's wallet. One that the debited account wrote may name another
 * network of the same wallet, since the customer may have paid on the wrong one.
 */
async function findMatchesByReference(db: Db, transfers: readonly Transfer[]): Promise<FoundMatch[]> {
  const marks = transfers.flatMap((transfer, place) => {
    const { network, to, carried, unproven = [] } = transfer;
    return [
      ...carried.slice(0, MAX_REFERENCES).map((mark) => ({ place, network, to, mark, isProven: true })),
      // An unproven reference makes no row of dust.
      ...(isBelowCent(transfer) ? [] : unproven).map((mark) => ({ place, network, to, mark, isProven: false })),
    ];
  });
  if (marks.length === 0) return [];
  return db.query<FoundMatch>(
    'find_matches_by_reference',
    `
    select carried.place,
           case when carried.is_proven and exists (select 1 from machine_credentials c
                                                    where c.livemode and c.network = carried.network
                                                      and c.nonce = decode(carried.mark, 'hex')) then 'exact'
                when carried.is_proven and coalesce(named.is_here, false) then 'proven'
                else 'unproven' end as evidence,
           false as is_known
      from unnest($1::integer[], $2::text[], $3::text[], $4::text[], $5::boolean[]) as carried (place, network, address, mark, is_proven)
      left join lateral (
           select bool_or(s.receive_network = carried.network) as is_here
             from checkout_sessions s
            where s.livemode
              and substring(s.reference from 1 for ${TAG_BYTES}) = substring(decode(carried.mark, 'hex') from 1 for ${TAG_BYTES})
              and s.receive_address = carried.address) named on true
     where named.is_here or (carried.is_proven and named.is_here is not null)
        or (carried.is_proven and exists (select 1 from machine_credentials c
                                           where c.livemode and c.network = carried.network and c.nonce = decode(carried.mark, 'hex')))`,
    [
      marks.map((one) => one.place),
      marks.map((one) => one.network),
      marks.map((one) => one.to),
      marks.map((one) => Buffer.from(one.mark).toString('hex')),
      marks.map((one) => one.isProven),
    ],
  );
}

function hourOf(instant: Date): Date {
  return new Date(Math.floor(instant.getTime() / HOUR_MS) * HOUR_MS);
}
