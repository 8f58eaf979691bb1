import type { Context } from '../../context.ts';
import { signalDemand } from '../../settlement/records/demand.ts';
import { isOpenPayment } from '../../settlement/records/payment.ts';
import type { PublicView } from './public-session.ts';

/**
 * Has the network of a payment read without a pause while its customer's page is open. All pages of a process share a signal
 * each ten seconds, so that any number of them costs no more.
 */
export async function noteWaiting(
  { db, caches }: Pick<Context, 'db' | 'caches'>,
  { session: { livemode, receiveNetwork }, payment }: PublicView,
): Promise<void> {
  const mayBecomePaid = isOpenPayment(payment) || payment.status === 'routing' || payment.status === 'settling';
  if (!livemode || payment.startedAt === null || !mayBecomePaid) return;
  await caches.waitedFor.get(receiveNetwork, async () => signalDemand(db, receiveNetwork));
}
