import type { BodyOf } from '@quittance/contract';
import type { confirmRefund as endpoint } from '@quittance/contract/dashboard';
import type { Context } from '../../context.ts';
import type { Caller } from '../../platform/caller.ts';
import type { Transaction } from '../../platform/db/db.ts';
import { fail } from '../../platform/errors.ts';
import { presentUnits } from '../../settlement/records/present-payment.ts';
import { readUnits, requireCustomers } from './create.ts';
import { lockRefund } from './store.ts';
import type { StoredRefund } from './refund.ts';
import { saveRefund } from './save.ts';

/** The merchant confirms the address that the customer entered, and the amount. From then on the refund can be sent. */
export async function confirmRefund(
  ctx: Context,
  db: Transaction,
  caller: Caller,
  { id, body }: { id: string; body: BodyOf<typeof endpoint> },
): Promise<StoredRefund> {
  const { payment, refund } = await lockRefund(db, caller, id);
  if (!refund.link?.address)
    return fail('invalid_payment_state', { message: 'The customer has not named an address for this refund.' });
  const { address } = refund.link;
  if (body.to !== address)
    fail('invalid_refund', { param: 'to', message: 'This is not the address that the customer entered.' });
  if (readUnits(payment, body.coin_amount) !== refund.amountUnits)
    fail('invalid_refund', {
      param: 'coin_amount',
      message: `The amount of this refund is ${presentUnits(refund.amountUnits, refund.asset, refund.network)}.`,
    });
  if (refund.status === 'planned') return refund;
  if (refund.status !== 'requested')
    fail('invalid_payment_state', {
      message: `The refund is ${refund.status}. Only one that is \`requested\` can be.`,
    });
  await requireCustomers(db, payment, address);

  const at = { created: caller.now, recorded: caller.realNow };
  const link = { ...refund.link, confirmedAt: caller.now };
  const after: StoredRefund = { ...refund, link, status: 'planned', toAddress: address };
  return (await saveRefund({ ctx, db, at }, payment, { before: refund, after })).refund;
}
