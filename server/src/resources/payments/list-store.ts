import { type Balance, type PaymentStatus, type Route, ROUTES } from '@quittance/contract';
import type { Account } from '../../platform/caller.ts';
import type { Db } from '../../platform/db/db.ts';
import type { Position } from '../../platform/http/in-steps.ts';
import type { Payment } from '../../settlement/records/payment.ts';
import { PAYMENT_COLUMNS, toPayment, type PaymentRow } from '../../settlement/records/payment-store.ts';

export interface PaymentFilter {
  status: PaymentStatus | null;
  route: Route | null;
  balance: Balance | null;
  createdAfter: Date | null;
  createdBefore: Date | null;
  link: string | null;
  customer: CustomerFilter;
}

/** Both together are a payment's that has both. */
export interface CustomerFilter {
  reference: string | null;
  email: string | null;
  /** Only payments that the address identifies, because they have no reference. */
  withoutReference?: boolean;
}

/** The payments of one page, newest first. */
export async function fetchPayments(
  db: Db,
  account: Account,
  filter: PaymentFilter,
  page: { after: Position | null; limit: number },
): Promise<Payment[]> {
  const { link, customer } = filter;
  const isOfSessions = link !== null || customer.reference !== null || customer.email !== null;
  const rows = await (isOfSessions ? queryPageOfSessions : queryPage)(db, account, filter, page);
  return rows.map(toPayment);
}

function queryPage(
  db: Db,
  account: Account,
  filter: PaymentFilter,
  page: { after: Position | null; limit: number },
): Promise<PaymentRow[]> {
  const end = endOf(filter, page.after);
  const values = [
    account.id,
    account.livemode,
    filter.route ? [filter.route] : ROUTES,
    filter.createdAfter,
    end?.createdAt,
    end?.id,
    page.limit,
  ];
  if (filter.balance)
    return db.query<PaymentRow>(
      'list_payments_by_balance',
      pageOf('balance = $8 and ($9::text is null or status = $9)'),
      [...values, filter.balance, filter.status],
    );
  return filter.status
    ? db.query<PaymentRow>('list_payments_by_status', pageOf('status = $8'), [...values, filter.status])
    : db.query<PaymentRow>('list_payments', pageOf('started_at is not null'), values);
}

/**
 * The rows of one page of one customer or link. The sessions are read in the order of an index of the reference, of the
 * address without one, or of the link; `created_at` of a session is that of its payment.
 */
function queryPageOfSessions(
  db: Db,
  account: Account,
  filter: PaymentFilter,
  page: { after: Position | null; limit: number },
): Promise<PaymentRow[]> {
  const end = endOf(filter, page.after);
  const { link, customer } = filter;
  const { reference, email } = customer;
  const values = [
    account.id,
    account.livemode,
    filter.route,
    filter.createdAfter,
    end?.createdAt,
    end?.id,
    page.limit,
    filter.status,
    filter.balance,
    link,
  ];
  const isOfLink = '($10::text is null or s.payment_link_id = $10)';
  if (reference !== null)
    return db.query<PaymentRow>(
      'list_payments_by_reference',
      pageOfSessions(
        `s.customer ->> 'reference' = $11 and ($12::text is null or s.customer ->> 'email' = $12) and ${isOfLink}`,
      ),
      [...values, reference, email],
    );
  return email !== null
    ? db.query<PaymentRow>(
        'list_payments_by_email',
        pageOfSessions(
          `s.customer ->> 'email' = $11 and (not $12::boolean or s.customer ->> 'reference' is null) and ${isOfLink}`,
        ),
        [...values, email, customer.withoutReference === true],
      )
    : db.query<PaymentRow>('list_payments_by_link', pageOfSessions('s.payment_link_id = $10'), values);
}

function pageOfSessions(condition: string): string {
  return `
    select ${PAYMENT_COLUMNS}
      from checkout_sessions s join payments p on p.session_id = s.id
     where s.account_id = $1 and s.livemode = $2 and ${condition}
       and ($3::text is null or p.route = $3)
       and ($9::text is null or p.balance = $9)
       and case when $8::text is null then p.started_at is not null else p.status = $8 end
       and s.created_at >= coalesce($4::timestamptz, '-infinity')
       and (s.created_at, s.payment_id) < (coalesce($5::timestamptz, 'infinity'), coalesce($6::text, ''))
     order by s.created_at desc, s.payment_id desc
     limit $7`;
}

/** Where the page begins: right after the cursor, or at `created_before`, whichever is older. */
function endOf({ createdBefore }: PaymentFilter, after: Position | null): Position | null {
  if (!createdBefore || (after && after.createdAt < createdBefore)) return after;
  return { createdAt: createdBefore, id: '' };
}

// Each route is read in the order of its own index and the two are merged, so that a page of a rare kind does not read
// past all others. One bound on each side, because PostgreSQL might start at the wrong one of two and scan from there.
export function pageOf(condition: string): string {
  return `
    select ${PAYMENT_COLUMNS}
      from unnest($3::text[]) as wanted (route)
     cross join lateral (
             select * from payments
              where account_id = $1 and livemode = $2 and ${condition} and route = wanted.route
                and created_at >= coalesce($4::timestamptz, '-infinity')
                and (created_at, id) < (coalesce($5::timestamptz, 'infinity'), coalesce($6::text, ''))
              order by created_at desc, id desc
              limit $7
           ) p
      join checkout_sessions s on s.id = p.session_id
     order by p.created_at desc, p.id desc
     limit $7`;
}

export async function findPosition(db: Db, account: Account, id: string): Promise<Position | undefined> {
  const [row] = await db.query<Position>(
    'find_payment_position',
    `
    select id, created_at from payments where id = $1 and account_id = $2 and livemode = $3`,
    [id, account.id, account.livemode],
  );
  return row;
}
