import type { EthereumProvider } from '../../wallets/announced.ts';
import { isPositive } from '../money.ts';
import type { PublicSession } from '../page-state.ts';
import type { LivePage } from './live-page.ts';
import type { SigningGuide } from '../wallets/gasless.ts';
import { failedStep, WalletError } from '../wallets/problem.ts';
import { serverNow } from '../server-clock.ts';

const LOOK_MS = 5_000;

/** Pays by a signature, and follows it until the payment is seen or the signature cannot move money any more. */
export async function payBySignature(
  page: LivePage,
  provider: EthereumProvider,
  { session, ...guide }: SigningGuide & { session: PublicSession },
): Promise<void> {
  const { payBySignature: pay } = await import('../wallets/gasless.ts');
  if (!session.payment) return;
  const untilMs = await pay(provider, session.id, session.payment, guide);
  page.show({ wallet: { step: 'sent', hash: null, signed: true } });
  followSignature(page, untilMs);
}

/**
 * Also called on a reloaded page if the server reports a pending signature. Until `untilMs` the service may take one that
 * it does not report yet.
 */
export function followSignature(page: LivePage, untilMs = 0): void {
  const timer = setInterval(async () => {
    const { wallet, session } = page.shown();
    if (wallet?.step !== 'sent' || !wallet.signed || (session.payment && isPositive(session.payment.amount_seen))) {
      clearInterval(timer);
      return;
    }
    const { authorizationState } = await import('../wallets/gasless.ts');
    const state = await authorizationState(session.id).catch(() => 'pending');
    if (state === 'open' && serverNow() >= untilMs && page.shown().wallet === wallet)
      page.show({ wallet: failedStep(new WalletError('gasless_expired')) });
  }, LOOK_MS);
}
