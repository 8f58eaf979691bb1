import type { Transaction } from '../../platform/db/db.ts';
import { IS_ACTIVE_OWNER } from '../../settlement/records/address-owner-store.ts';
import { RECEIVE_NETWORK } from '../../settlement/records/payment-store.ts';
import type { ArrivedMoney } from './arrived.ts';

/** A receipt to mail, and what decides whether it may be. */
export interface WaitingReceipt extends ArrivedMoney {
  id: bigint;
  accountId: string;
  livemode: boolean;
  toAddress: string;
  sessionId: string;
  paidAt: Date;
  /** Of the merchant. */
  email: string | null;
  name: string | null;
  supportEmail: string | null;
  /** Whether the account has proved the address that received the money. */
  isProved: boolean;
}

/** These receipts, but those of payments that are not paid any more. */
export function findReceiptsToMail(db: Transaction, ids: readonly bigint[]): Promise<WaitingReceipt[]> {
  return db.query<WaitingReceipt>(
    'find_receipts_to_mail',
    `
    select n.id, n.account_id, n.livemode, coalesce(n.to_address, '') as to_address, p.session_id, s.amount_minor, s.currency,
           coalesce(p.paid_at, p.created_at) as paid_at, a.email, a.name, a.support_email,
           p.actual_output_units, p.expected_output_units, s.receive_asset, ${RECEIVE_NETWORK} as receive_network,
           exists (select 1 from address_owners o
                    where o.livemode = n.livemode and o.network = ${RECEIVE_NETWORK} and o.address = s.receive_address
                      and o.account_id = n.account_id and ${IS_ACTIVE_OWNER}) as is_proved
      from notices n
      join accounts a on a.id = n.account_id
      join payments p on p.id = n.payment_id and p.status = 'paid'
      join checkout_sessions s on s.id = p.session_id
     where n.id = any ($1)
     order by n.id`,
    [ids],
  );
}

/** The oldest receipts that wait, whether or not they will be mailed. */
export async function findReceiptIds(db: Transaction, limit: number): Promise<bigint[]> {
  const rows = await db.query<{ id: bigint }>(
    'find_receipt_ids',
    `select id from notices where handled_at is null and kind = 'receipt' order by id limit $1`,
    [limit],
  );
  return rows.map(({ id }) => id);
}
