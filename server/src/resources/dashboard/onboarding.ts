import type { Context } from '../../context.ts';
import type { Account } from '../../platform/caller.ts';
import type { OnboardingJson } from '@quittance/contract/dashboard';
import { findFacts } from './onboarding-store.ts';

const OWN_ADDRESS = /localhost|127\.|\[::1\]|0\.0\.0\.0|10\.|192\.168\./;
const OWN_DOMAIN = /localhost|local|internal|ngrok\.io|ngrok-free\.app|ngrok\.app|trycloudflare\.com|loca\.lt/;
const LOCAL_HOST = new RegExp(`^https?://(${OWN_ADDRESS.source}|[^/]*\\.(${OWN_DOMAIN.source})([:/]|$))`, 'i');

/** The account's progress in the shown mode, by facts and not by clicks. */
export async function readOnboarding({ db }: Context, account: Account): Promise<OnboardingJson> {
  const facts = await findFacts(db, account);
  return {
    wallet: facts.wallet,
    wallet_proved: facts.walletProved,
    wallets_guarded: facts.walletsGuarded,
    test_paid: facts.testPaid,
    webhook_answered: facts.webhookAnswered,
    link: facts.link,
    sells_by_links: facts.sellsByLinks,
    contact: facts.contact,
    live_key: facts.liveKey,
    live_paid: facts.livePaid,
    only_test_keys_used: facts.testKeyUsed && facts.liveWallet && !facts.liveKeyUsed,
    local_endpoints: facts.liveUrls.filter((url) => LOCAL_HOST.test(url)),
  };
}
