import type { Context } from '../../context.ts';
import type { Db } from '../../platform/db/db.ts';
import { DAY_MS, later } from '../../platform/time.ts';
import { countMailedToCustomers, type CustomerMail } from './store.ts';

/** Mails to one address in 24 hours, of all accounts together. */
const MAX_PER_ADDRESS_AND_DAY = 10;

/** Why a mail to a customer is not sent; null if it is. The caller holds the lock on their count. */
export async function refusalOfMail(
  ctx: Pick<Context, 'config' | 'log'>,
  db: Db,
  mail: CustomerMail,
  now: Date,
): Promise<'skipped' | 'limited' | null> {
  if (!mayBeSent(mail)) return 'skipped';
  const mailed = await countMailedToCustomers(db, mail, later(now, -DAY_MS));
  const isLimited = mailed.byAccount >= ctx.config.receiptMailsPerDay || mailed.toAddress >= MAX_PER_ADDRESS_AND_DAY;
  if (!isLimited) return null;
  ctx.log.warn({ accountId: mail.accountId, ...mailed }, 'customer not mailed: limit reached');
  return 'limited';
}

/**
 * Test payments cost nothing, so mails about them go only to the merchant themselves. A live one costs real money, which
 * went to an address that the account has proved: so an account cannot mail strangers about payments to others.
 */
function mayBeSent({ livemode, isProved, toAddress, email }: CustomerMail): boolean {
  return livemode ? isProved : toAddress === email;
}
