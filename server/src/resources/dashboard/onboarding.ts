import type { Context } from '../../context.ts';
import type { Account } from '../../platform/caller.ts';
import type { OnboardingJson } from '@quittance/contract/dashboard';
import { findFacts } from './onboarding-store.ts';

const LOCAL_HOST =
  /^https?:\/\/(localhost|127\.|\[::1\]|0\.0\.0\.0|10\.|192\.168\.|[^/]*\.(localhost|local|internal|ngrok\.io|ngrok-free\.app|ngrok\.app|trycloudflare\.com|loca\.lt)([:/]|$))/i;

/** The account's progress in the shown mode, by facts and not by clicks. */
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
