import type { ReceiveNetwork } from '@quittance/contract';
import { type Db, lockName, type Transaction } from '../../platform/db/db.ts';
import { IS_ACTIVE_OWNER } from '../../settlement/records/address-owner-store.ts';

/** A mail to the customer of a merchant, and what decides whether it may be sent. */
export interface CustomerMail {
  accountId: string;
  livemode: boolean;
  toAddress: string;
  /** Of the merchant. */
  email: string | null;
  /** Whether the account has proved the address that received the money. */
  isProved: boolean;
}

/** Mails to customers are counted one transaction at a time. */
export async function lockCustomerMails(db: Transaction): Promise<void> {
  await lockName(db, 'receipt mails');
}

/** The mails since an instant: to the address, by any account; and by the account in this mode. */
export async function countMailedToCustomers(
  db: Db,
  mail: Pick<CustomerMail, 'toAddress' | 'accountId' | 'livemode'>,
  since: Date,
): Promise<{ toAddress: number; byAccount: number }> {
  const [row] = await db.query<{ toAddress: number; byAccount: number }>(
    'count_mailed_to_customers',
    `
    select (select count(*)::integer from notices
             where to_address = $1 and kind = 'receipt' and outcome = 'mailed' and handled_at >= $4) as to_address,
           (select count(*)::integer from notices
             where account_id = $2 and livemode = $3 and kind = 'receipt' and outcome = 'mailed' and handled_at >= $4) as by_account`,
    [mail.toAddress, mail.accountId, mail.livemode, since],
  );
  return { toAddress: row?.toAddress ?? 0, byAccount: row?.byAccount ?? 0 };
}

/** A mail to a customer that was queued for another reason than a receipt counts as one. */
export async function countMail(
  db: Db,
  mail: Pick<CustomerMail, 'toAddress' | 'accountId' | 'livemode'>,
  at: Date,
): Promise<void> {
  await db.query(
    'count_customer_mail',
    `
    insert into notices (account_id, livemode, kind, to_address, handled_at, outcome)
    values ($1, $2, 'receipt', $3, $4, 'mailed')`,
    [mail.accountId, mail.livemode, mail.toAddress, at],
  );
}

/** Whether an account has proved an address. */
export async function isProvedBy(
  db: Db,
  accountId: string,
  { livemode, network, address }: { livemode: boolean; network: ReceiveNetwork; address: string },
): Promise<boolean> {
  const [row] = await db.query(
    'is_address_proved',
    `
    select 1 from address_owners o
     where o.livemode = $2 and o.network = $3 and o.address = $4 and o.account_id = $1 and ${IS_ACTIVE_OWNER}`,
    [accountId, livemode, network, address],
  );
  return row !== undefined;
}
