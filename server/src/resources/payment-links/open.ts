import type { Context } from '../../context.ts';
import type { Defaults } from '../../platform/caller.ts';
import type { Transaction } from '../../platform/db/db.ts';
import { fail } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { later, SECOND_MS } from '../../platform/time.ts';
import { insertSessions } from '../checkout-sessions/insert.ts';
import { acceptedByDefault, expiryByDefault, type Order } from '../checkout-sessions/order.ts';
import { reserve, type Reservation } from '../checkout-sessions/reserve.ts';
import { eventBody } from '../../settlement/records/record-events.ts';
import type { PaymentLink } from './link.ts';
import { holdLinkForOpening } from './store.ts';

const LOCK_TIMEOUT_MS = 5 * SECOND_MS;

/**
 * Opens a link: a session of its own for one customer, in the caller's transaction. `realNow` is the database's time;
 * in test mode the session is made at the account's own.
 */
export async function openLink(ctx: Context, db: Transaction, linkId: string, realNow: Date): Promise<Reservation> {
  const opening = (await holdLinkForOpening(db, linkId)) ?? fail('not_found', { param: 'id' });
  const { link } = opening;
  if (link.status === 'disabled') fail('link_disabled', { param: 'id' });

  const now = later(realNow, Number(opening.clockOffsetMs));
  const wallet = {
    id: link.payoutWalletId,
    asset: link.receiveAsset,
    network: link.receiveNetwork,
    address: opening.receiveAddress,
  };
  const reservation = reserve(
    { id: link.accountId, livemode: link.livemode },
    orderOf(link, opening.defaults),
    wallet,
    now,
  );
  const eventId = newId('evt');
  const [outcome] = await insertSessions(
    db,
    [
      {
        ...reservation,
        event: {
          id: eventId,
          body: eventBody({ payment: reservation.payment, type: 'payment.created', evidence: {} }, eventId, now),
        },
        claim: null,
        byDefault: false,
        recordedAt: realNow,
      },
    ],
    LOCK_TIMEOUT_MS,
  );
  if (outcome !== 'created')
    fail('link_disabled', {
      param: 'id',
      message: 'The payout wallet of this link is archived, so the link accepts no new payments.',
    });

  db.afterCommit(() => ctx.db.notify('deliveries'));
  return reservation;
}

/** A link says what is sold; what it does not say is the account's to settle. */
function orderOf(link: PaymentLink, defaults: Defaults): Order {
  return {
    amountMinor: link.amountMinor,
    currency: link.currency,
    orderId: link.orderId,
    description: link.description,
    metadata: link.metadata,
    lineItems: null,
    acceptedAssets: acceptedByDefault(defaults),
    expiresInSeconds: expiryByDefault(defaults),
    successUrl: link.successUrl,
    cancelUrl: link.cancelUrl,
    paymentLinkId: link.id,
  };
}
