import type { Account } from '../../platform/caller.ts';
import type { Db } from '../../platform/db/db.ts';
import { invariant } from '../../platform/errors.ts';

interface Facts {
  wallet: boolean;
  walletProved: boolean;
  walletsGuarded: boolean;
  liveWallet: boolean;
  testPaid: boolean;
  livePaid: boolean;
  webhookAnswered: boolean;
  link: boolean;
  sellsByLinks: boolean;
  contact: boolean;
  liveKey: boolean;
  liveKeyUsed: boolean;
  testKeyUsed: boolean;
  liveUrls: string[];
}

export async function findFacts(db: Db, { id, livemode }: Pick<Account, 'id' | 'livemode'>): Promise<Facts> {
  const [row] = await db.query<Facts>(
    'find_onboarding_facts',
    `
    select exists (select 1 from payout_wallets where account_id = $1 and livemode = $2 and archived_at is null) as wallet,
           exists (select 1 from payout_wallets w join address_owners o using (livemode, network, address, account_id)
                    where account_id = $1 and livemode = $2 and w.archived_at is null) as wallet_proved,
           exists (select 1 from accounts where id = $1
             and (wallets_by_login_only or confirm_key_wallets or email is null)) as wallets_guarded,
           exists (select 1 from payout_wallets where account_id = $1 and livemode and archived_at is null) as live_wallet,
           exists (select 1 from payments where account_id = $1 and not livemode and paid_at is not null) as test_paid,
           exists (select 1 from payments where account_id = $1 and livemode and paid_at is not null) as live_paid,
           exists (select 1 from webhook_endpoints e
                    where e.account_id = $1 and e.livemode = $2 and e.deleted_at is null
                      and exists (select 1 from deliveries d where d.endpoint_id = e.id and d.state = 'delivered')) as webhook_answered,
           exists (select 1 from payment_links where account_id = $1 and livemode = $2) as link,
           exists (select 1 from payment_links where account_id = $1 and livemode = $2 and payments > 0)
             and not exists (select 1 from webhook_endpoints
                              where account_id = $1 and livemode = $2 and deleted_at is null) as sells_by_links,
           exists (select 1 from accounts where id = $1 and name is not null
             and (support_email is not null or support_url is not null)) as contact,
           exists (select 1 from api_keys where account_id = $1 and livemode and revoked_at is null) as live_key,
           exists (select 1 from api_keys where account_id = $1 and livemode and revoked_at is null
             and last_used_at is not null) as live_key_used,
           exists (select 1 from api_keys where account_id = $1 and not livemode and revoked_at is null
             and last_used_at is not null) as test_key_used,
           array(select url from webhook_endpoints where account_id = $1 and livemode and deleted_at is null) as live_urls`,
    [id, livemode],
  );
  invariant(row, 'one row of facts');
  return row;
}
