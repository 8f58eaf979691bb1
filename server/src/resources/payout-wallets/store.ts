import type { AssetSymbol, ReceiveNetwork } from '@quittance/contract';
import type { Account } from '../../platform/caller.ts';
import type { Db } from '../../platform/db/db.ts';
import type { PayoutWallet } from './payout-wallet.ts';

interface PayoutWalletRow {
  id: string;
  account_id: string;
  livemode: boolean;
  asset: AssetSymbol;
  network: ReceiveNetwork;
  address: string;
  label: string | null;
  is_default: boolean;
  archived_at: Date | null;
  proved_at: Date | null;
  created_by: 'key' | 'login';
  created_at: Date;
}

function toPayoutWallet(row: PayoutWalletRow): PayoutWallet {
  return {
    id: row.id,
    accountId: row.account_id,
    livemode: row.livemode,
    asset: row.asset,
    network: row.network,
    address: row.address,
    label: row.label,
    isDefault: row.is_default,
    archivedAt: row.archived_at,
    provedAt: row.proved_at,
    createdBy: row.created_by,
    createdAt: row.created_at,
  };
}

/** The wallet, if it is this account's. */
export async function findWallet(db: Db, account: Account, id: string): Promise<PayoutWallet | undefined> {
  const [row] = await db.query<PayoutWalletRow>(
    'find_wallet',
    `
    select * from payout_wallets
     where id = $1 and account_id = $2 and livemode = $3`,
    [id, account.id, account.livemode],
  );
  return row && toPayoutWallet(row);
}

/** The wallet that sessions settle to which name none. */
export async function findDefaultWallet(db: Db, account: Account): Promise<PayoutWallet | undefined> {
  const [row] = await db.query<PayoutWalletRow>(
    'find_default_wallet',
    `
    select * from payout_wallets
     where account_id = $1 and livemode = $2 and is_default`,
    [account.id, account.livemode],
  );
  return row && toPayoutWallet(row);
}

/** The account's wallets, newest first, archived ones among them. */
export async function listWallets(
  db: Db,
  account: Account,
  page: { after: { createdAt: Date; id: string } | null; limit: number },
): Promise<PayoutWallet[]> {
  // Two statements rather than one with a condition that is null on the first page: each walks its index from its start.
  const rows =
    page.after === null
      ? await db.query<PayoutWalletRow>(
          'list_wallets',
          `
      select * from payout_wallets
       where account_id = $1 and livemode = $2
       order by created_at desc, id desc
       limit $3`,
          [account.id, account.livemode, page.limit],
        )
      : await db.query<PayoutWalletRow>(
          'list_wallets_after',
          `
      select * from payout_wallets
       where account_id = $1 and livemode = $2 and (created_at, id) < ($3, $4)
       order by created_at desc, id desc
       limit $5`,
          [account.id, account.livemode, page.after.createdAt, page.after.id, page.limit],
        );
  return rows.map(toPayoutWallet);
}

export interface WalletCounts {
  all: number;
  defaults: number;
  byKeyLately: number;
}

/** What a new wallet of the account depends on. The caller holds the account's row. */
export async function countWallets(db: Db, account: Account, since: Date): Promise<WalletCounts> {
  const [row] = await db.query<{ all: bigint; defaults: bigint; by_key: bigint }>(
    'count_wallets',
    `
    select count(*) as all,
           count(*) filter (where is_default) as defaults,
           count(*) filter (where created_by = 'key' and created_at > $3) as by_key
      from payout_wallets
     where account_id = $1 and livemode = $2`,
    [account.id, account.livemode, since],
  );
  return { all: Number(row?.all), defaults: Number(row?.defaults), byKeyLately: Number(row?.by_key) };
}

export async function insertWallet(db: Db, wallet: PayoutWallet): Promise<void> {
  await db.query(
    'insert_wallet',
    `
    insert into payout_wallets
      (id, account_id, livemode, asset, network, address, label, is_default, archived_at, proved_at, created_by, created_at)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
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
      wallet.provedAt,
      wallet.createdBy,
      wallet.createdAt,
    ],
  );
}

/** Two statements, because the rule that there is one default is checked row by row. */
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

export async function saveProof(db: Db, wallet: PayoutWallet, at: Date): Promise<void> {
  await db.query(
    'prove_wallet',
    `
    update payout_wallets set proved_at = $4
     where id = $1 and account_id = $2 and livemode = $3 and proved_at is null`,
    [wallet.id, wallet.accountId, wallet.livemode, at],
  );
}

interface Challenge {
  message: string;
  expires_at: Date;
}

export async function saveChallenge(
  db: Db,
  walletId: string,
  challenge: { message: string; expiresAt: Date },
): Promise<void> {
  await db.query(
    'save_challenge',
    `
    insert into wallet_challenges (payout_wallet_id, message, expires_at) values ($1, $2, $3)
    on conflict (payout_wallet_id) do update set message = excluded.message, expires_at = excluded.expires_at`,
    [walletId, challenge.message, challenge.expiresAt],
  );
}

export async function findChallenge(db: Db, walletId: string, now: Date): Promise<Challenge | undefined> {
  const [row] = await db.query<Challenge>(
    'find_challenge',
    `
    select message, expires_at from wallet_challenges
     where payout_wallet_id = $1 and expires_at > $2`,
    [walletId, now],
  );
  return row;
}

export async function deleteChallenge(db: Db, walletId: string): Promise<void> {
  await db.query('delete_challenge', `delete from wallet_challenges where payout_wallet_id = $1`, [walletId]);
}

/** Deletes a batch; returns how many. */
export async function deleteExpiredChallenges(db: Db, now: Date, limit: number): Promise<number> {
  const rows = await db.query(
    'delete_expired_challenges',
    `
    delete from wallet_challenges
     where payout_wallet_id in (select payout_wallet_id from wallet_challenges where expires_at <= $1 limit $2)
    returning payout_wallet_id`,
    [now, limit],
  );
  return rows.length;
}

/** Whether an address is one of the account's wallets on any network, archived ones included. */
export async function isOwnWallet(db: Db, accountId: string, address: string): Promise<boolean> {
  const [row] = await db.query(
    'is_own_wallet',
    `
    select 1 from payout_wallets where account_id = $1 and lower(address) = lower($2) limit 1`,
    [accountId, address],
  );
  return row !== undefined;
}
