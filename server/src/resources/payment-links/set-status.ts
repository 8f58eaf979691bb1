import type { Account } from '../../platform/caller.ts';
import type { Transaction } from '../../platform/db/db.ts';
import { fail } from '../../platform/errors.ts';
import type { PaymentLink } from './link.ts';
import { setLinkStatus } from './store.ts';

/**
 * Stops a link from taking new payments. Sessions that it opened before stay payable. A disabled link stays as it is.
 */
export async function disableLink(db: Transaction, account: Account, id: string): Promise<PaymentLink> {
  return (await setLinkStatus(db, account, id, 'disabled')) ?? fail('not_found', { param: 'id' });
}

/** Lets a link take payments again. An active link stays as it is. */
export async function enableLink(db: Transaction, account: Account, id: string): Promise<PaymentLink> {
  return (await setLinkStatus(db, account, id, 'active')) ?? fail('not_found', { param: 'id' });
}
