import type { AssetSymbol, ErrorCode, ReceiveNetwork } from '@quittance/contract';
import type { Account } from '../../platform/caller.ts';
import type { Db } from '../../platform/db/db.ts';
import { fail } from '../../platform/errors.ts';
import { isId } from '../../platform/ids.ts';

/** A saved wallet that new sessions may settle to. */
export interface SessionWallet {
  id: string;
  asset: AssetSymbol;
  network: ReceiveNetwork;
  address: string;
}

/** The wallet that is named, else the account's default one; a foreign one is as unknown as a missing one. */
export async function settlingWallet(db: Db, account: Account, id: string | undefined, code: ErrorCode): Promise<SessionWallet> {
  const wallet = id === undefined ? await findDefault(db, account) : isId('pp', id) ? await find(db, account, id) : undefined;
  if (!wallet) {
    fail(code, {
      param: 'payout_wallet_id',
      message: id === undefined
        ? 'There is no default payout wallet yet. Add a payout wallet, or name one in `payout_wallet_id`.'
        : '`payout_wallet_id` must be the id of a payout wallet of this account and mode.',
    });
  }
  if (wallet.archived_at) fail(code, { param: 'payout_wallet_id', message: 'This payout wallet is archived. Name another one.' });
  return { id: wallet.id, asset: wallet.asset, network: wallet.network, address: wallet.address };
}

interface WalletRow extends SessionWallet {
  archived_at: Date | null;
}

async function find(db: Db, account: Account, id: string): Promise<WalletRow | undefined> {
  const [row] = await db.query<WalletRow>('find_settling_wallet', `
    select id, asset, network, address, archived_at
      from payout_wallets
     where id = $1 and account_id = $2 and livemode = $3`, [id, account.id, account.livemode]);
  return row;
}

async function findDefault(db: Db, account: Account): Promise<WalletRow | undefined> {
  const [row] = await db.query<WalletRow>('find_default_wallet', `
    select id, asset, network, address, archived_at
      from payout_wallets
     where account_id = $1 and livemode = $2 and is_default`, [account.id, account.livemode]);
  return row;
}
