import type { Transaction } from '../../platform/db/db.ts';
import { IS_ACTIVE_OWNER } from './address-owner-store.ts';
import type { Payment } from './payment.ts';
import { RECEIVE_NETWORKS_SQL } from './sql-lists.ts';

/** What an account can ask to be mailed about; `receipt` is a mail to their customer. */
export const NOTICE_KINDS = ['paid', 'needs_decision', 'unattributed', 'receipt'] as const;
export type NoticeKind = (typeof NOTICE_KINDS)[number];
/** What a queued mail is about. That a customer has named the address of their refund is one of the decisions. */
export type QueuedKind = NoticeKind | 'refund_answered';

/** Queues the mails about a change of a payment that its account wants, in the transaction of the change. */
export async function queuePaymentNotices(db: Transaction, before: Payment, after: Payment): Promise<void> {
  const kinds = kindsOf(before, after);
  if (kinds.length === 0) return;
  await db.query(
    'queue_payment_notices',
    `
    insert into notices (account_id, livemode, kind, payment_id, to_address)
    select account.id, $2, wanted.kind, $3, case when wanted.kind = 'receipt' then $4::text end
      from accounts account, unnest($5::text[]) as wanted (kind)
     where account.id = $1 and wanted.kind = any (account.notices)
    on conflict (payment_id) where kind = 'receipt' do nothing`,
    [after.accountId, after.livemode, after.id, after.customer?.email, kinds],
  );
}

function kindsOf(before: Payment, after: Payment): NoticeKind[] {
  if (before.status === after.status) return [];
  if (after.status === 'refund_required') return ['needs_decision'];
  if (after.status !== 'paid') return [];
  return after.customer?.email ? ['paid', 'receipt'] : ['paid'];
}

/** Queues the mail that the customer has named an address for a refund, once for each refund. */
export async function queueRefundNotice(
  db: Transaction,
  refund: { id: string; accountId: string; livemode: boolean; paymentId: string },
): Promise<void> {
  await db.query(
    'queue_refund_notice',
    `
    insert into notices (account_id, livemode, kind, payment_id, refund_id)
    select id, $2, 'refund_answered', $3, $4 from accounts where id = $1 and 'needs_decision' = any (notices)`,
    [refund.accountId, refund.livemode, refund.paymentId, refund.id],
  );
}

/** Any account may save an address that many pay, so only the first accounts that ask for it get its transfers. */
const MAX_ACCOUNTS_PER_TRANSFER = 5;

/**
 * The part of a statement that queues mails about transfers of `source` (id, livemode, to_address), which are final and
 * belong to no payment, for the accounts with that wallet that want them. If one account owns the address, others get no
 * mail. What a mail was left out for, because a reorg had taken it, is mailed once it is final again.
 */
export function transferNoticesSql(source: string): string {
  return `
    insert into notices (account_id, livemode, kind, transfer_id)
    select notified.id, ${source}.livemode, 'unattributed', ${source}.id
      from ${source}
     cross join lateral (
             select account.id
               from payout_wallets wallet
               join accounts account on account.id = wallet.account_id and 'unattributed' = any (account.notices)
              where wallet.livemode = ${source}.livemode and wallet.address = ${source}.to_address
                and wallet.network in (${RECEIVE_NETWORKS_SQL}) and wallet.archived_at is null
                and not (${source}.livemode and exists (
                      select 1 from address_owners o
                       where o.livemode = ${source}.livemode and o.address = ${source}.to_address and o.account_id <> account.id
                         and ${IS_ACTIVE_OWNER}))
              group by account.id
              order by min(wallet.created_at), account.id
              limit ${MAX_ACCOUNTS_PER_TRANSFER}) notified
    on conflict (account_id, transfer_id) where transfer_id is not null
          do update set handled_at = null, outcome = null, due_at = '-infinity' where notices.outcome = 'skipped'`;
}

export async function findAccountEmail(db: Transaction, accountId: string): Promise<string | null> {
  const [row] = await db.query<{ email: string | null }>(
    'find_account_email',
    'select email from accounts where id = $1',
    [accountId],
  );
  return row?.email ?? null;
}
