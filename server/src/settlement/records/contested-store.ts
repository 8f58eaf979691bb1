import type { ReceiveNetwork } from '@quittance/contract';
import type { Transfer } from '../../outside/chains/chain.ts';
import { isSameVersion } from '../../outside/chains/pure/version.ts';
import type { Db, Transaction } from '../../platform/db/db.ts';
import { later, MINUTE_MS } from '../../platform/time.ts';
import { type Reporter, versionsOf } from './contested.ts';
import { toJson } from './payment-store.ts';
import {
  type Contested,
  lockTransfer,
  toStored,
  TRANSFER_COLUMNS,
  type StoredTransfer,
  type TransferRow,
} from './transfer-store.ts';

/**
 * The stored versions of live transfers, except those that the quorum has decided about: final transfers of payments,
 * and dropped ones.
 */
export async function findStoredVersions(db: Db, transfers: readonly Transfer[]): Promise<StoredTransfer[]> {
  const rows = await db.query<TransferRow>(
    'find_stored_versions',
    `
    select ${TRANSFER_COLUMNS}
      from transfers t
      join unnest($1::text[], $2::text[], $3::integer[]) as seen (network, tx_hash, index) using (network, tx_hash, index)
     where t.livemode and (t.status = 'seen' or (t.status = 'final' and t.evidence ? 'byBlock'))`,
    [transfers.map((one) => one.network), transfers.map((one) => one.txHash), transfers.map((one) => one.index)],
  );
  return rows.map(toStored);
}

/** Other providers reported the same. A look-up may have moved a transfer since it was compared: that block is not theirs. */
export async function confirmTransfers(
  db: Db,
  same: readonly StoredTransfer[],
  { providers, isConfirmed }: Reporter,
): Promise<void> {
  if (same.length === 0) return;
  await db.query(
    'confirm_transfers',
    `
    update transfers t
       set reported_by = array(select distinct unnest(reported_by || $2::text[])),
           confirmed = confirmed or $3 or cardinality(array(select distinct unnest(reported_by || $2::text[]))) > 1
      from unnest($1::text[], $4::text[]) as same (id, block_hash)
     where t.id = same.id and t.block_hash = same.block_hash`,
    [same.map(({ id }) => id), providers, isConfirmed, same.map(({ block }) => block.hash)],
  );
}

/** Other providers reported something else: until the quorum has decided, the transfer is not final. */
export async function contestTransfers(
  db: Db,
  contested: readonly { id: string; contested: Contested }[],
): Promise<void> {
  if (contested.length === 0) return;
  await db.query(
    'contest_transfers',
    `
    update transfers t
       set contested = contest.versions::jsonb, status = 'seen', final_at = null, evidence = t.evidence - 'byBlock'
      from unnest($1::text[], $2::text[]) as contest (id, versions)
     where t.id = contest.id and (t.status = 'seen' or t.evidence ? 'byBlock')`,
    [contested.map(({ id }) => id), contested.map((one) => toJson(one.contested))],
  );
}

/** The stored version is right: the quorum decided for it. What was reported since it was asked is decided another time. */
export async function endContest(db: Transaction, seen: StoredTransfer, providers: readonly string[]): Promise<void> {
  const held = await lockTransfer(db, seen.id);
  if (!held || !isSameVersion(held, seen)) return;
  const asked = versionsOf(seen);
  if (!versionsOf(held).every((version) => asked.some((one) => isSameVersion(one, version)))) return;
  await db.query(
    'end_contest',
    `
    update transfers
       set contested = null, confirmed = true, reported_by = array(select distinct unnest(reported_by || $2::text[]))
     where id = $1 and status = 'seen'`,
    [seen.id, providers],
  );
}

/** Where transfers were looked for: in these blocks, or in this transaction. */
export interface LookedFor {
  network: ReceiveNetwork;
  blocks: { after: bigint; upTo: bigint } | null;
  txHash: string | null;
}

/** The most transfers of one step that are asked about again. */
const MAX_MISSING = 5_000;

/** Unattributed transfers that were looked for, by their recipients. */
export async function findUnattributedIn(
  db: Db,
  { network, blocks, txHash }: LookedFor,
): Promise<Pick<StoredTransfer, 'id' | 'txHash' | 'index' | 'to'>[]> {
  return db.query(
    'find_unattributed_in',
    `
    select id, tx_hash, index, to_address as "to"
      from transfers
     where livemode and network = $1 and payment_id is null and status <> 'dropped' and not queued
       and (status = 'seen' or evidence ? 'byBlock')
       and (($2::text is not null and tx_hash = $2) or ($2::text is null and block_number > $3 and block_number <= $4))
     limit $5`,
    [network, txHash, blocks?.after ?? null, blocks?.upTo ?? null, MAX_MISSING],
  );
}

/** A provider that was asked for these does not report them: the quorum is asked. */
export async function doubtTransfers(db: Db, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await db.query(
    'doubt_transfers',
    `
    update transfers
       set confirmed = false, status = 'seen', final_at = null, evidence = evidence - 'byBlock' - 'askedAt'
     where id = any($1) and payment_id is null and not queued and (status = 'seen' or evidence ? 'byBlock')`,
    [ids],
  );
}

/** A transfer that the quorum has to decide about, and the account of its payment; empty if no payment took it. */
export interface UndecidedTransfer {
  transfer: StoredTransfer;
  accountId: string;
  /** It is above all that was read. */
  isAhead: boolean;
}

/**
 * Whether an undecided transfer may be asked about: at once, and again after a quarter of the time that it has been
 * undecided. Strangers who make honest providers differ, and liars, so cost some forty questions in four hours, and one an
 * hour from then on. No payment depends on those that are not contested, so they wait for at least half a minute.
 */
const MAY_ASK_SQL = `(not t.evidence ? 'askedAt' or (t.evidence ->> 'askedAt')::timestamptz < $5::timestamptz
  or (t.evidence ->> 'askedAt')::timestamptz <= $4::timestamptz - make_interval(secs =>
  greatest(case when t.contested is null then 30 else 0 end,
           least(3600, extract(epoch from $4::timestamptz - coalesce((t.contested ->> 'since')::timestamptz, t.first_seen_at)) / 4))))`;

/** By then a transfer is read twice, unless one provider alone shows it in its block, as a look-up can. */
const MAX_ALONE_MS = 2 * MINUTE_MS;

/**
 * Contested transfers, and those in blocks that both passes have read (the first one, if there is one provider) but only
 * one has reported; after two minutes also those of payments, which are verified anyway, and those above what was read.
 * Those asked about longest ago come first; those last asked about before `askedBefore` are due at once.
 */
export async function findUndecided(
  db: Db,
  network: ReceiveNetwork,
  { hasOthers, askedBefore, now }: { hasOthers: boolean; askedBefore?: Date | undefined; now: Date },
  limit: number,
): Promise<UndecidedTransfer[]> {
  const rows = await db.query<TransferRow & Omit<UndecidedTransfer, 'transfer'>>(
    'find_undecided_transfers',
    `
    with first_pass as (
      select block_number from chain_cursors where network = $1 and pass = 'first'
    ), undecided as (
      select t.id, t.evidence, t.block_number from transfers t
       where t.contested is not null and t.livemode and t.network = $1 and t.status = 'seen' and not t.queued
         and ${MAY_ASK_SQL}
      union
      select t.id, t.evidence, t.block_number from transfers t
       where t.livemode and t.network = $1 and t.status = 'seen' and not t.queued and not t.confirmed
         and (t.payment_id is null or t.first_seen_at < $6)
         and (t.block_number <= (select min(coalesce(block_number, -1)) from chain_cursors where network = $1 and (pass = 'first' or $3))
              or (t.first_seen_at < $6 and t.block_number > (select block_number from first_pass)))
         and ${MAY_ASK_SQL}
    ), due as (
      select id from undecided order by evidence ->> 'askedAt' nulls first, block_number, id limit $2
    )
    select ${TRANSFER_COLUMNS}, coalesce(p.account_id, '') as account_id,
      t.block_number > coalesce((select block_number from first_pass), t.block_number) as is_ahead
      from due join transfers t on t.id = due.id left join payments p on p.id = t.payment_id
     order by t.block_number, t.tx_hash, t.index`,
    [network, limit, hasOthers, now, askedBefore ?? null, later(now, -MAX_ALONE_MS)],
  );
  return rows.map(({ accountId, isAhead, ...row }) => ({ transfer: toStored(row), accountId, isAhead }));
}
