import type { Context } from '../../context.ts';
import { fail } from '../../platform/errors.ts';
import { SECOND_MS } from '../../platform/time.ts';
import { insertSessions } from './insert-store.ts';
import { buildSession } from './new-session.ts';
import { findPublicView, presentPayment, canRetry, retriedUntil } from './public-session.ts';
import { findRetry, holdForRetry } from './store.ts';

const LOCK_TIMEOUT_MS = 5 * SECOND_MS;

/**
 * The session in which the customer tries the order again: one for each that ended, however often it is asked for, so
 * that a stranger who knows its address causes one more row at most. The merchant is notified when the customer chooses.
 */
export async function retrySession(ctx: Context, sessionId: string): Promise<string> {
  const view = await findPublicView(ctx, sessionId);
  const { session, now } = view;
  const shown = await presentPayment(ctx, view, { isChosen: true });
  if (!canRetry(view, shown))
    fail('invalid_payment_state', { message: 'This checkout cannot be tried again. Ask the merchant for a new one.' });
  const realNow = await ctx.db.now();

  return ctx.db.transaction(async (db) => {
    await holdForRetry(db, sessionId);
    const existing = await findRetry(db, sessionId);
    if (existing !== undefined) return existing;
    const seconds = (session.expiresAt.getTime() - session.createdAt.getTime()) / SECOND_MS;
    const built = buildSession(
      { id: session.accountId, livemode: session.livemode },
      {
        input: { ...session, retryOf: session.id, retryUntil: retriedUntil(view), expiresInSeconds: seconds },
        wallet: {
          id: session.payoutWalletId,
          asset: session.receiveAsset,
          network: session.receiveNetwork,
          address: session.receiveAddress,
        },
      },
      now,
    );
    const creation = {
      ...built,
      payment: { ...built.payment, isAnnounced: false },
      event: null,
      claim: null,
      byDefault: false,
      recordedAt: realNow,
    };
    const [outcome] = await insertSessions(db, [creation], LOCK_TIMEOUT_MS);
    if (outcome !== 'created')
      fail('invalid_payment_state', {
        message: "The merchant's wallet accepts no new payments. Ask the merchant for a new checkout.",
      });
    return built.session.id;
  });
}
