import type { BodyOf, endpoints } from '@quittance/contract';
import type { Caller } from '../../platform/caller.ts';
import type { Transaction } from '../../platform/db/db.ts';
import { fail, invariant } from '../../platform/errors.ts';
import { parseDisplayAmount } from '../../platform/money.ts';
import { readRedirectUrl } from '../checkout-sessions/redirect-url.ts';
import type { PaymentLink } from './link.ts';
import { holdLink, saveLink } from './store.ts';
import { assertRoomForNote, assertWithin, readTerms } from './terms.ts';

/** Changes what the link's next sessions say. Where the money goes stays as it is. */
export async function updateLink(
  db: Transaction,
  caller: Caller,
  id: string,
  body: BodyOf<typeof endpoints.updatePaymentLink>,
): Promise<PaymentLink> {
  const before = (await holdLink(db, caller, id)) ?? fail('not_found', { param: 'id' });
  const amountMinor = body.amount === undefined ? before.amountMinor : parseDisplayAmount(body.amount);
  invariant(amountMinor !== undefined, 'the schema lets only display amounts through');
  const url = (name: 'success_url' | 'cancel_url', stored: string | null) =>
    body[name] === undefined ? stored : readRedirectUrl(body[name] ?? undefined, name, 'invalid_payment_link');
  const link: PaymentLink = {
    ...before,
    ...readTerms(body, before, caller.now),
    amountMinor,
    description: body.description ?? before.description,
    orderId: body.order_id === undefined ? before.orderId : body.order_id,
    successUrl: url('success_url', before.successUrl),
    cancelUrl: url('cancel_url', before.cancelUrl),
  };
  assertWithin(amountMinor, link);
  assertRoomForNote(link);
  await saveLink(db, link);
  return link;
}
