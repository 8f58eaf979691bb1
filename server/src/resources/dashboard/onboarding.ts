import type { Context } from '../../context.ts';
import type { Account } from '../../platform/caller.ts';
import type { Db } from '../../platform/db/db.ts';
import { invariant } from '../../platform/errors.ts';
import type { OnboardingJson } from './endpoints.ts';

const LOCAL_HOST =
  /^https?:\/\/(localhost|127\.|\[::1\]|0\.0\.0\.0|10\.|192\.168\.|[^/]*\.(localhost|local|internal|ngrok\.io|ngrok-free\.app|ngrok\.app|trycloudflare\.com|loca\.lt)([:/]|$))/i;

/** How far an account has come, by what is true and not by what was clicked. Judged by the mode that is shown. */
export async function readOnboarding({ db }: Context, account: Account): Promise<OnboardingJson> {
  const facts = await findFacts(db, account);
  return {
    wallet: facts.wallet,
    wallet_proved: facts.wallet_proved,
    test_paid: facts.test_paid,
    webhook_answered: facts.webhook_answered,
    contact: facts.contact,
    live_key: facts.live_key,
    live_paid: facts.live_paid,
    only_test_keys_used: facts.test_key_used && facts.live_wallet && !facts.live_key_used,
    local_endpoints: facts.live_urls.filter((url) => LOCAL_HOST.test(url)),
  };
}

interface Facts {
  wallet: boolean;
  wallet_proved: boolean;
  live_wallet: boolean;
  test_paid: boolean;
  live_paid: boolean;
  webhook_answered: boolean;
  contact: boolean;
  live_key: boolean;
  live_key_used: boolean;
  test_key_used: boolean;
  live_urls: string[];
}

async function findFacts(db: Db, { id, livemode }: Account): Promise<Facts> {
  const [row] = await db.query<Facts>(
    'find_onboarding_facts',
    `
    select exists (select 1 from payout_wallets where account_id = $1 and livemode = $2 and archived_at is null) as wallet,
           exists (select 1 from payout_wallets w join address_owners o using (livemode, network, address, account_id)
                    where account_id = $1 and livemode = $2 and w.archived_at is null) as wallet_proved,
           exists (select 1 from payout_wallets where account_id = $1 and livemode and archived_at is null) as live_wallet,
           exists (select 1 from payments where account_id = $1 and not livemode and paid_at is not null) as test_paid,
           exists (select 1 from payments where account_id = $1 and livemode and paid_at is not null) as live_paid,
           exists (select 1 from webhook_endpoints e
                    where e.account_id = $1 and e.livemode = $2 and e.deleted_at is null
                      and exists (select 1 from deliveries d where d.endpoint_id = e.id and d.state = 'delivered')) as webhook_answered,
           exists (select 1 from accounts where id = $1 and name is not null and (support_email is not null or support_url is not null)) as contact,
           exists (select 1 from api_keys where account_id = $1 and livemode and revoked_at is null) as live_key,
           exists (select 1 from api_keys where account_id = $1 and livemode and revoked_at is null and last_used_at is not null) as live_key_used,
           exists (select 1 from api_keys where account_id = $1 and not livemode and revoked_at is null and last_used_at is not null) as test_key_used,
           array(select url from webhook_endpoints where account_id = $1 and livemode and deleted_at is null) as live_urls`,
    [id, livemode],
  );
  invariant(row, 'one row of facts');
  return row;
}
