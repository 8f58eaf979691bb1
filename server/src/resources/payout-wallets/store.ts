import type { ReceiveNetwork, ErrorCode } from '@quittance/contract';
import type { Account } from '../../platform/caller.ts';
import type { Db } from '../../platform/db/db.ts';
import { IS_ACTIVE_OWNER } from '../../settlement/records/address-owner-store.ts';
import { RECEIVE_NETWORKS_SQL } from '../../settlement/records/sql-lists.ts';
import type { PayoutWallet } from './payout-wallet.ts';
import { fail } from '../../platform/errors.ts';
import { isId } from '../../platform/ids.ts';

/** A row of `w`, joined with the facts about its address. */
const WALLET_COLUMNS = `
  w.id, w.account_id, w.livemode, w.asset, w.network, w.address, w.label, w.is_default, w.archived_at, w.needs_proof,
    w.look_up_at, w.unfit, w.unconfirmed, w.created_by, w.created_at,
  (select case
            when o.account_id = w.account_id then 'proved'
            when d.account_id is not null and ${IS_ACTIVE_OWNER} then 'disputed'
            when not w.livemode then 'not_required'
            when ${IS_ACTIVE_OWNER} or w.needs_proof then 'required'
            when w.account_id <> (select f.account_id from payout_wallets f where f.livemode = w.livemode
              and f.address = w.address and f.archived_at is null
                                   order by f.created_at, f.id limit 1) then 'required'
            else 'not_required'
          end
     from (select 1) one
     left join address_owners o on o.livemode = w.livemode and o.network = w.network and o.address = w.address
     left join address_disputes d on d.livemode = w.livemode and d.network = w.network and d.address = w.address
       and d.account_id = w.account_id) as proof`;

/** The wallet, if it is this account's. */
export async function findWallet(db: Db, account: Account, id: string): Promise<PayoutWallet | undefined> {
  const [row] = await db.query<PayoutWallet>(
    'find_wallet',
    `
    select ${WALLET_COLUMNS} from payout_wallets w
     where id = $1 and account_id = $2 and livemode = $3`,
    [id, account.id, account.livemode],
  );
  return row;
}

/** The default wallet of sessions that name none. */
export async function findDefaultWallet(db: Db, account: Account): Promise<PayoutWallet | undefined> {
  const [row] = await db.query<PayoutWallet>(
    'find_default_wallet',
    `
    select ${WALLET_COLUMNS} from payout_wallets w
     where account_id = $1 and livemode = $2 and is_default`,
    [account.id, account.livemode],
  );
  return row;
}

/** The account's wallets, newest first, including archived ones. */
export async function listWallets(
  db: Db,
  account: Account,
  page: { after: { createdAt: Date; id: string } | null; limit: number },
): Promise<PayoutWallet[]> {
  // Two statements, because each walks its index from the start; one condition that is null on the first page would
  // not.
  return page.after === null
    ? db.query<PayoutWallet>(
        'list_wallets',
        `
      select ${WALLET_COLUMNS} from payout_wallets w
       where account_id = $1 and livemode = $2
       order by created_at desc, id desc
       limit $3`,
        [account.id, account.livemode, page.limit],
      )
    : db.query<PayoutWallet>(
        'list_wallets_after',
        `
      select ${WALLET_COLUMNS} from payout_wallets w
       where account_id = $1 and livemode = $2 and (created_at, id) < ($3, $4)
       order by created_at desc, id desc
       limit $5`,
        [account.id, account.livemode, page.after.createdAt, page.after.id, page.limit],
      );
}

/** Counts that decide about a new wallet, and the wallets announced since an instant. The caller holds the lock on the account. */
export async function countWallets(
  db: Db,
  account: Account,
  since: Date,
): Promise<{ all: number; defaults: number; announced: number }> {
  const [row] = await db.query<{ all: bigint; defaults: bigint; announced: bigint }>(
    'count_wallets',
    `
    select count(*) as all,
           count(*) filter (where is_default) as defaults,
           count(*) filter (where announced_at > $3) as announced
      from payout_wallets
     where account_id = $1 and livemode = $2`,
    [account.id, account.livemode, since],
  );
  return { all: Number(row?.all), defaults: Number(row?.defaults), announced: Number(row?.announced) };
}

export async function insertWallet(db: Db, wallet: PayoutWallet): Promise<void> {
  await db.query(
    'insert_wallet',
    `
    insert into payout_wallets
      (id, account_id, livemode, asset, network, address, label, is_default, archived_at, needs_proof, look_up_at,
        unfit, unconfirmed, created_by, created_at)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)`,
    [
      wallet.id,
      wallet.accountId,
      wallet.livemode,
      wallet.asset,
      wallet.network,
      wallet.address,
      wallet.label,
      wallet.isDefault,
      wallet.archivedAt,
      wallet.needsProof,
      wallet.lookUpAt,
      wallet.unfit,
      wallet.unconfirmed,
      wallet.createdBy,
      wallet.createdAt,
    ],
  );
}

export async function markAnnounced(db: Db, wallet: PayoutWallet, at: Date): Promise<void> {
  await db.query(
    'mark_wallet_announced',
    `
    update payout_wallets set announced_at = $4 where id = $1 and account_id = $2 and livemode = $3`,
    [wallet.id, wallet.accountId, wallet.livemode, at],
  );
}

/** From now on payments can settle to it. */
export async function saveConfirmed(db: Db, wallet: PayoutWallet): Promise<void> {
  await db.query(
    'confirm_wallet',
    `
    update payout_wallets set unconfirmed = false where id = $1 and account_id = $2 and livemode = $3`,
    [wallet.id, wallet.accountId, wallet.livemode],
  );
}

/** Two statements, because the unique default is checked row by row. */
export async function moveDefault(db: Db, wallet: PayoutWallet): Promise<void> {
  await db.query(
    'drop_default',
    `
    update payout_wallets set is_default = false
     where account_id = $1 and livemode = $2 and is_default`,
    [wallet.accountId, wallet.livemode],
  );
  await db.query(
    'take_default',
    `
    update payout_wallets set is_default = true
     where id = $1 and account_id = $2 and livemode = $3`,
    [wallet.id, wallet.accountId, wallet.livemode],
  );
}

export async function saveArchived(db: Db, wallet: PayoutWallet, at: Date): Promise<void> {
  await db.query(
    'archive_wallet',
    `
    update payout_wallets set archived_at = $4, is_default = false
     where id = $1 and account_id = $2 and livemode = $3`,
    [wallet.id, wallet.accountId, wallet.livemode, at],
  );
}

/** Whether an address is one of the account's wallets on any network, including archived ones. */
export async function isOwnWallet(db: Db, accountId: string, address: string): Promise<boolean> {
  const [row] = await db.query(
    'is_own_wallet',
    `
    select 1 from payout_wallets where account_id = $1 and lower(address) = lower($2) limit 1`,
    [accountId, address],
  );
  return row !== undefined;
}

/** The live wallets that are due to be looked up on a network. */
export async function findToLookUp(
  db: Db,
  network: ReceiveNetwork,
  { now, limit }: { now: Date; limit: number },
): Promise<Pick<PayoutWallet, 'id' | 'address'>[]> {
  return db.query<Pick<PayoutWallet, 'id' | 'address'>>(
    'find_wallets_to_look_up',
    `
    select id, address from payout_wallets
     where look_up_at <= $2 and livemode and network = $1 and archived_at is null
     order by look_up_at limit $3`,
    [network, now, limit],
  );
}

/** Saves what a look at a wallet's address said, and when to look again, null if never. */
export async function saveLook(
  db: Db,
  id: string,
  { needsProof, unfit, lookUpAt }: Pick<PayoutWallet, 'needsProof' | 'unfit' | 'lookUpAt'>,
): Promise<void> {
  await db.query(
    'save_wallet_look',
    `
    update payout_wallets set needs_proof = $2, unfit = $3, look_up_at = $4 where id = $1`,
    [id, needsProof, unfit, lookUpAt],
  );
}

/** Why no payment can settle to a wallet; null if one can. */
export async function findUnfit(db: Db, id: string): Promise<string | null> {
  const [row] = await db.query<{ unfit: string | null }>(
    'find_unfit_wallet',
    'select unfit from payout_wallets where id = $1',
    [id],
  );
  return row?.unfit ?? null;
}

/** The account's own entries first. Of other accounts one entry is enough. */
export function findSavers(db: Db, { id: accountId, livemode }: Account, address: string) {
  return db.query<{ accountId: string; asset: string; network: string }>(
    'find_savers_of_address',
    `
    select account_id, asset, network from payout_wallets
     where livemode = $1 and network in (${RECEIVE_NETWORKS_SQL}) and address = $2 and archived_at is null
     order by (account_id = $3) desc
     limit 100`,
    [livemode, address, accountId],
  );
}

/**
 * What the wallets of all accounts receive, those that are in use and those that are still watched, and what their refunds
 * and payouts send that are not over.
 */
export async function listMoved(db: Db, since: Date): Promise<Pick<PayoutWallet, 'asset' | 'network'>[]> {
  return db.query<Pick<PayoutWallet, 'asset' | 'network'>>(
    'list_moved',
    `
    select asset, network from payout_wallets where archived_at is null or watched_until > $1
     union select asset, network from refunds where livemode and status in ('requested', 'planned', 'sent')
     union select asset, network from payouts where livemode and due_at is not null
     order by asset, network`,
    [since],
  );
}

/** What a session copies from its payout wallet. */
export type SessionWallet = Pick<PayoutWallet, 'id' | 'asset' | 'network' | 'address'>;

/** The named wallet, otherwise the account's default. Another account's wallet is as unknown as a missing one. */
export async function settlingWallet(
  db: Db,
  account: Account,
  id: string | undefined,
  code: ErrorCode,
): Promise<SessionWallet> {
  const refuse = (message: string) => fail(code, { param: 'payout_wallet_id', message });
  const wallet =
    id === undefined
      ? ((await findDefaultWallet(db, account)) ??
        refuse('No default payout wallet. Add a payout wallet, or send `payout_wallet_id`.'))
      : ((isId('pp', id) ? await findWallet(db, account, id) : undefined) ??
        refuse('`payout_wallet_id` must be the ID of a payout wallet of this account and mode.'));
  if (wallet.archivedAt) refuse('This payout wallet is archived. Use a different one.');
  if (wallet.unconfirmed)
    refuse(
      'This payout wallet was added by a secret key and waits for the owner of the account to confirm it in the dashboard.',
    );
  if (wallet.unfit !== null) refuse(`No payment can settle to this payout wallet. ${wallet.unfit}`);
  return wallet;
}
