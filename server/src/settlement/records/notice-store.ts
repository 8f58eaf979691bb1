import type { Transaction } from '../../platform/db/db.ts';
import type { Payment } from './payment.ts';

/** What a merchant can be mailed about; `receipt` is a mail to their customer. */
export const NOTICE_KINDS = ['paid', 'needs_decision', 'unattributed', 'receipt'] as const;
export type NoticeKind = (typeof NOTICE_KINDS)[number];

/**
 * Notes what there is to tell about a change of a payment, if its account asks for it, in the transaction of the change. A
 * job sends the mails.
 */
export async function noticePayment(db: Transaction, before: Payment, after: Payment): Promise<void> {
  const kinds = kindsOf(before, after);
  if (kinds.length === 0) return;
  await db.query(
    'notice_payment',
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

/**
 * The part of a statement that notes transfers of `source` (id, livemode, to_address), which are final and belong to no
 * payment, for each account with that wallet that asks for it.
 */
export function noticeTransfers(source: string): string {
  return `
    insert into notices (account_id, livemode, kind, transfer_id)
    select distinct account.id, ${source}.livemode, 'unattributed', ${source}.id
      from ${source}
      join payout_wallets wallet
        on wallet.livemode = ${source}.livemode and wallet.address = ${source}.to_address
       and wallet.network = any ('{ethereum,base,polygon,arbitrum,solana}')
      join accounts account on account.id = wallet.account_id and 'unattributed' = any (account.notices)
    on conflict (account_id, transfer_id) where transfer_id is not null do nothing`;
}
