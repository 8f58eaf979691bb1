import type { Db } from '../../src/platform/db/db.ts';

/** Makes the account of a wallet the owner of its address, as a signature would. */
export async function proveWallet(db: Db, walletId: string): Promise<void> {
  await db.query(
    'test_prove_wallet',
    `
    insert into address_owners (livemode, network, address, account_id, method, proved_at)
    select livemode, network, address, account_id, 'signature', created_at from payout_wallets where id = $1`,
    [walletId],
  );
}
