import type { BodyOf, endpoints } from '@quittance/contract';
import type { Caller } from '../../platform/caller.ts';
import type { Transaction } from '../../platform/db/db.ts';
import { invariant } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { parseDisplayAmount } from '../../platform/money.ts';
import { readOrder } from '../checkout-sessions/session-input.ts';
import { readRedirectUrl } from '../checkout-sessions/redirect-url.ts';
import { settlingWallet } from '../payout-wallets/store.ts';
import { NO_TERMS, type PaymentLink } from './link.ts';
import { insertLink } from './store.ts';
import { assertRoomForNote, assertWithin, readTerms } from './terms.ts';

/** Creates a link, which is active at once. */
export async function createLink(
  db: Transaction,
  caller: Caller,
  body: BodyOf<typeof endpoints.createPaymentLink>,
): Promise<PaymentLink> {
  const amountMinor = parseDisplayAmount(body.amount);
  invariant(amountMinor !== undefined, 'the schema lets only display amounts through');
  const successUrl = readRedirectUrl(body.success_url, 'success_url', 'invalid_payment_link');
  const cancelUrl = readRedirectUrl(body.cancel_url, 'cancel_url', 'invalid_payment_link');
  const terms = readTerms(body, NO_TERMS, caller.now);
  assertWithin(amountMinor, terms);
  const order = readOrder(body, 'invalid_payment_link');
  assertRoomForNote({ ...terms, ...order });
  const wallet = await settlingWallet(db, caller, body.payout_wallet_id, 'invalid_payment_link');

  const link: PaymentLink = {
    id: newId('pl'),
    accountId: caller.id,
    livemode: caller.livemode,
    payoutWalletId: wallet.id,
    amountMinor,
    currency: body.currency,
    ...order,
    description: body.description,
    ...terms,
    successUrl,
    cancelUrl,
    status: 'active',
    payments: 0,
    receiveAsset: wallet.asset,
    receiveNetwork: wallet.network,
    createdAt: caller.now,
  };
  await insertLink(db, link);
  return link;
}
