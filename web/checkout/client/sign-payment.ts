import type { EthereumProvider } from '../../wallets/announced.ts';
import { isPositive } from '../money.ts';
import type { PublicSession } from '../page-state.ts';
import type { LivePage } from './live-page.ts';
import type { SigningGuide } from '../wallets/gasless.ts';
import { failedStep, WalletError } from '../wallets/problem.ts';

const LOOK_MS = 5_000;

/** Pays by a signature, and follows it until the payment is seen or the signature cannot move money any more. */
export async function payBySignature(
  page: LivePage,
  provider: EthereumProvider,
  { session, ...guide }: SigningGuide & { session: PublicSession },
): Promise<void> {
  const { payBySignature: pay } = await import('../wallets/gasless.ts');
  if (!session.payment) return;
  await pay(provider, session.id, session.payment, guide);
  page.show({ wallet: { step: 'sent', hash: null, signed: true } });
  followSignature(page);
}

/** Also called on a reloaded page if the server reports a pending signature. */
export function followSignature(page: LivePage): void {
  const timer = setInterval(async () => {
    const { wallet, session } = page.shown();
    if (wallet?.step !== 'sent' || !wallet.signed || (session.payment && isPositive(session.payment.amount_seen))) {
      clearInterval(timer);
      return;
    }
    const { authorizationState } = await import('../wallets/gasless.ts');
    const state = await authorizationState(session.id).catch(() => 'pending');
    if (state === 'open' && page.shown().wallet === wallet)
      page.show({ wallet: failedStep(new WalletError('gasless_expired')) });
  }, LOOK_MS);
}
