import type { Defaults } from '../../platform/caller.ts';
import type { Db, Transaction } from '../../platform/db/db.ts';
import { fail } from '../../platform/errors.ts';
import type { ObjectQuota } from '../../platform/http/admission/client-quota.ts';
import { later, SECOND_MS } from '../../platform/time.ts';
import { orderOf } from '../../settlement/records/order.ts';
import { insertSessions } from '../checkout-sessions/insert-store.ts';
import { acceptedByDefault, expiryByDefault, type SessionInput } from '../checkout-sessions/session-input.ts';
import type { Offer } from '../checkout-sessions/public-session.ts';
import { buildSession, type BuiltSession } from '../checkout-sessions/new-session.ts';
import { hasEnded, type PaymentLink } from './link.ts';
import { findLinkForOpening, holdLinkForOpening } from './store.ts';
import { type Visitor, visited } from './visitor.ts';

export const MAX_OPENS_PER_LINK_AND_MINUTE = 1_200;
const MAX_OPENS_PER_LINK_AND_CLIENT = 60;
/**
 * Limits what strangers can create. A client's share shrinks as the limit comes near, so fifty of them use up five
 * sevenths of it.
 */
export const LINK_QUOTA: ObjectQuota = {
  name: 'open-payment-link',
  perMinute: MAX_OPENS_PER_LINK_AND_MINUTE,
  perClient: MAX_OPENS_PER_LINK_AND_CLIENT,
  message:
    `This payment link was opened ${MAX_OPENS_PER_LINK_AND_MINUTE} times within a minute, which is the ` +
    `limit. Try again after \`Retry-After\` seconds.`,
  messageToClient:
    'This client address has opened the payment link too often within a minute. Try again after `Retry-After` seconds.',
};

const LOCK_TIMEOUT_MS = 5 * SECOND_MS;

/**
 * Opens a link: creates a session for one customer, in the caller's transaction. `realNow` is the database's time; in
 * test mode the session uses the account's clock. A program is not a visitor, and is asked for nothing.
 */
export async function openLink(
  db: Transaction,
  linkId: string,
  realNow: Date,
  visitor: Visitor | null,
): Promise<BuiltSession> {
  const opening = (await holdLinkForOpening(db, linkId)) ?? fail('not_found', { param: 'id' });
  const { link } = opening;
  const now = later(realNow, Number(opening.clockOffsetMs));
  assertOpen(link, now);

  const wallet = {
    id: link.payoutWalletId,
    asset: link.receiveAsset,
    network: link.receiveNetwork,
    address: opening.receiveAddress,
  };
  const account = { id: link.accountId, livemode: link.livemode };
  const built = buildSession(account, { input: inputOf(visited(link, visitor), opening.defaults), wallet }, now);
  // Anyone can open a link, and many never choose an asset, so the merchant is notified of the session when its
  // customer chooses.
  const opened = { ...built, payment: { ...built.payment, isAnnounced: false } };
  const creation = { ...opened, event: null, claim: null, byDefault: false, recordedAt: realNow };
  const [outcome] = await insertSessions(db, [creation], LOCK_TIMEOUT_MS);
  if (outcome !== 'created')
    fail('link_disabled', {
      param: 'id',
      message: 'The payout wallet of this link is archived, so the link accepts no new payments.',
    });

  return opened;
}

function assertOpen(link: PaymentLink, now: Date): void {
  if (link.status === 'disabled') fail('link_disabled', { param: 'id' });
  if (hasEnded(link, now))
    fail('link_disabled', { param: 'id', message: 'This payment link has ended, so it accepts no new payments.' });
}

/** The offer of an opening of the link now; undefined if there is no such link. */
export async function findLinkOffer(db: Db, linkId: string): Promise<Offer | undefined> {
  const opening = await findLinkForOpening(db, linkId);
  return opening && { ...opening.link, ...inputOf(opening.link, opening.defaults) };
}

/** The session input of a link. The account's defaults fill in the rest. */
function inputOf(link: PaymentLink, defaults: Defaults): SessionInput {
  return {
    amountMinor: link.amountMinor,
    currency: link.currency,
    ...orderOf(link),
    lineItems: null,
    acceptedAssets: acceptedByDefault(defaults),
    expiresInSeconds: expiryByDefault(defaults),
    successUrl: link.successUrl,
    cancelUrl: link.cancelUrl,
    paymentLinkId: link.id,
    retryOf: null,
    retryUntil: null,
  };
}
