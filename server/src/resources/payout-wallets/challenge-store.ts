import type { AssetSymbol, ReceiveNetwork } from '@quittance/contract';
import type { Db } from '../../platform/db/db.ts';

interface Challenge {
  message: string;
  expiresAt: Date;
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

/** Deletes both challenges of a wallet that was proved. */
export async function deleteChallenges(db: Db, walletId: string): Promise<void> {
  await db.query('delete_challenge', `delete from wallet_challenges where payout_wallet_id = $1`, [walletId]);
  await db.query('drop_transfer_challenge', `delete from transfer_challenges where payout_wallet_id = $1`, [walletId]);
}

/** Deletes a batch; returns how many. */
export async function deleteExpiredChallenges(db: Db, now: Date, limit: number): Promise<number> {
  const rows = await db.query(
    'delete_expired_challenges',
    `
    delete from wallet_challenges
     where payout_wallet_id in (select payout_wallet_id from wallet_challenges where expires_at <= $1
                                 limit $2 for update skip locked)
    returning payout_wallet_id`,
    [now, limit],
  );
  return rows.length;
}

/** The self-transfer that proves an address: this amount, in this asset, until then. */
export interface TransferChallenge {
  network: ReceiveNetwork;
  address: string;
  asset: AssetSymbol;
  amountUnits: bigint;
  createdAt: Date;
  expiresAt: Date;
}

export async function findTransferChallenge(
  db: Db,
  walletId: string,
  now: Date,
): Promise<TransferChallenge | undefined> {
  const [row] = await db.query<TransferChallenge>(
    'find_transfer_challenge',
    `
    select network, address, asset, amount_units, created_at, expires_at from transfer_challenges
     where payout_wallet_id = $1 and expires_at > $2`,
    [walletId, now],
  );
  return row;
}

/** How many wallets of the account have a challenge for an address. */
export async function countTransferChallenges(
  db: Db,
  accountId: string,
  { network, address }: { network: string; address: string },
  now: Date,
): Promise<number> {
  const [row] = await db.query<{ open: number }>(
    'count_transfer_challenges',
    `
    select count(*)::integer as open
      from transfer_challenges c join payout_wallets w on w.id = c.payout_wallet_id
     where c.network = $1 and c.address = $2 and c.expires_at > $3 and w.account_id = $4`,
    [network, address, now, accountId],
  );
  return row?.open ?? 0;
}

/** Saves the challenge of a wallet; false if another wallet with the same address has this amount. */
export async function saveTransferChallenge(db: Db, walletId: string, challenge: TransferChallenge): Promise<boolean> {
  await db.query('drop_transfer_challenge', `delete from transfer_challenges where payout_wallet_id = $1`, [walletId]);
  const rows = await db.query(
    'save_transfer_challenge',
    `
    insert into transfer_challenges (payout_wallet_id, network, address, asset, amount_units, created_at, expires_at)
    values ($1, $2, $3, $4, $5, $6, $7)
        on conflict do nothing
    returning payout_wallet_id`,
    [
      walletId,
      challenge.network,
      challenge.address,
      challenge.asset,
      challenge.amountUnits,
      challenge.createdAt,
      challenge.expiresAt,
    ],
  );
  return rows.length > 0;
}

/** Deletes a batch; returns how many. */
export async function deleteExpiredTransferChallenges(db: Db, now: Date, limit: number): Promise<number> {
  const rows = await db.query(
    'delete_expired_transfer_challenges',
    `
    delete from transfer_challenges
     where payout_wallet_id in (select payout_wallet_id from transfer_challenges where expires_at <= $1 limit $2)
    returning payout_wallet_id`,
    [now, limit],
  );
  return rows.length;
}
