import { NETWORKS, READABLE_NETWORKS, type ReceiveNetwork } from '@quittance/contract';
import type { Db } from '../../platform/db/db.ts';

/** An address on one network, in one mode. */
export interface AddressPlace {
  livemode: boolean;
  network: string;
  address: string;
}

/**
 * A key's signature proves the address on every network of its family. A contract's signature or a transfer proves it
 * on its own network only.
 */
export type ProofMethod = 'signature' | 'contract' | 'transfer';

export interface Proof {
  livemode: boolean;
  network: ReceiveNetwork;
  address: string;
  accountId: string;
  method: ProofMethod;
  at: Date;
}

/** A proof is valid while its account has a payout wallet with the address that is not archived. */
export const IS_ACTIVE_OWNER = `
  exists (select 1 from payout_wallets active
           where active.livemode = o.livemode and active.address = o.address and active.account_id = o.account_id
             and active.archived_at is null)`;

/** The account that owns an address on a network: the first that proved it and still uses it. */
export async function findAddressOwner(db: Db, place: AddressPlace): Promise<string | undefined> {
  const [row] = await db.query<{ accountId: string }>(
    'find_address_owner',
    `
    select o.account_id from address_owners o where o.livemode = $1 and o.network = $2 and o.address = $3 and ${IS_ACTIVE_OWNER}`,
    [place.livemode, place.network, place.address],
  );
  return row?.accountId;
}

/** Facts that decide who may use an address. */
export interface AddressClaims {
  /** The account that proved it. */
  owner: string | null;
  /** The account that saved it first, among wallets that are not archived. */
  firstSaver: string | null;
  /** Whether several accounts have it saved. */
  isShared: boolean;
  /** Whether this account has it saved with code at the address, or before it was looked up. */
  needsProof: boolean;
  isLookedUp: boolean;
}

export async function findAddressClaims(db: Db, place: AddressPlace, accountId: string): Promise<AddressClaims> {
  const [row] = await db.query<{
    owner: string | null;
    firstSaver: string | null;
    isShared: boolean;
    needsProof: boolean;
    isLookedUp: boolean;
  }>(
    'find_address_claims',
    `
    select (select o.account_id from address_owners o
             where o.livemode = $1 and o.network = $2 and o.address = $3 and ${IS_ACTIVE_OWNER}) as owner,
           (select w.account_id from payout_wallets w
             where w.livemode = $1 and w.address = $3 and w.archived_at is null order by w.created_at, w.id limit 1) as first_saver,
           exists (select 1 from payout_wallets w
                    where w.livemode = $1 and w.address = $3 and w.archived_at is null and w.account_id <> $4) as is_shared,
           exists (select 1 from payout_wallets w
                    where w.livemode = $1 and w.network = $2 and w.address = $3 and w.account_id = $4 and w.needs_proof) as needs_proof,
           not exists (select 1 from payout_wallets w
                        where w.livemode = $1 and w.network = $2 and w.address = $3 and w.account_id = $4
                          and w.look_up_at is not null) as is_looked_up`,
    [place.livemode, place.network, place.address, accountId],
  );
  return {
    owner: row?.owner ?? null,
    firstSaver: row?.firstSaver ?? null,
    isShared: row?.isShared ?? false,
    needsProof: row?.needsProof ?? false,
    isLookedUp: row?.isLookedUp ?? true,
  };
}

/**
 * Whether the account may reserve exact amounts at an address. In live mode the owner may. Without an owner, the
 * account that first saved an address without code may: saving another merchant's address later takes nothing from
 * them.
 */
export async function mayReserveAmounts(db: Db, place: AddressPlace, accountId: string): Promise<boolean> {
  if (!place.livemode) return true;
  const { owner, firstSaver, needsProof } = await findAddressClaims(db, place, accountId);
  if (owner !== null) return owner === accountId;
  return !needsProof && (firstSaver === null || firstSaver === accountId);
}

/**
 * Makes the account the owner of an address on every network where the proof is valid and the address has no other
 * owner. Deletes the amounts that other accounts reserved there. Returns the owner on the wallet's network, which may
 * be another account.
 */
export async function registerOwner(db: Db, proof: Proof): Promise<string> {
  const networks = networksOf(proof);
  const rows = await db.query<{ network: string }>(
    'register_owner',
    `
    insert into address_owners as o (livemode, network, address, account_id, method, proved_at)
    select $1, network, $3, $4, $5, $6 from unnest($2::text[]) as network order by network
        on conflict (livemode, network, address) do update
       set account_id = excluded.account_id, method = excluded.method, proved_at = excluded.proved_at
     where o.account_id <> excluded.account_id and not ${IS_ACTIVE_OWNER}
    returning o.network`,
    [proof.livemode, networks, proof.address, proof.accountId, proof.method, proof.at],
  );
  await db.query(
    'register_owner_free_amounts',
    `
    delete from reserved_amounts r using payments p
     where r.livemode and $1 and r.network = any($2) and r.address = $3 and p.id = r.payment_id and p.account_id <> $4`,
    [proof.livemode, rows.map((row) => row.network), proof.address, proof.accountId],
  );
  return (await findAddressOwner(db, proof)) ?? proof.accountId;
}

/** Records that a second account proved an address. Returns true the first time. */
export async function recordDispute(db: Db, proof: Proof, ownerId: string): Promise<boolean> {
  const rows = await db.query(
    'record_dispute',
    `
    insert into address_disputes (livemode, network, address, account_id, owner_id, method, at) values ($1, $2, $3, $4, $5, $6, $7)
        on conflict do nothing
    returning account_id`,
    [proof.livemode, proof.network, proof.address, proof.accountId, ownerId, proof.method, proof.at],
  );
  return rows.length > 0;
}

/** How many disputes about live addresses are open. */
export async function countDisputes(db: Db): Promise<number> {
  const [row] = await db.query<{ open: number }>(
    'count_disputes',
    `
    select count(*)::integer as open
      from address_disputes d join address_owners o using (livemode, network, address)
     where d.livemode and o.account_id <> d.account_id and ${IS_ACTIVE_OWNER}`,
    [],
  );
  return row?.open ?? 0;
}

function networksOf({ network, method }: Proof): ReceiveNetwork[] {
  if (method !== 'signature') return [network];
  // Also those that this server does not offer yet.
  return READABLE_NETWORKS.filter((one) => NETWORKS[one].family === NETWORKS[network].family);
}
