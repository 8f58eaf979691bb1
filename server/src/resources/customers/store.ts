import type { Account } from '../../platform/caller.ts';
import type { Db } from '../../platform/db/db.ts';
import type { Position } from '../../platform/http/in-steps.ts';
import { type Customer, type CustomerIdentity, foldName } from '../../settlement/records/customer.ts';

export interface CustomerRow {
  id: string;
  email: string | null;
  name: string | null;
  reference: string | null;
  payments: number;
  /** Minor units by currency. */
  totals: Record<string, string>;
  lastPaidAt: Date;
}

const COLUMNS = 'id, email, name, reference, payments, totals, last_paid_at';

/** The rows of one page, the last payer first. */
export function fetchCustomers(
  db: Db,
  account: Account,
  page: { after: Position | null; limit: number },
): Promise<CustomerRow[]> {
  return db.query<CustomerRow>(
    'list_customers',
    `
    select ${COLUMNS} from customers
     where account_id = $1 and livemode = $2
       and (last_paid_at, id) < (coalesce($3::timestamptz, 'infinity'), coalesce($4::text, ''))
     order by last_paid_at desc, id desc
     limit $5`,
    [account.id, account.livemode, page.after?.createdAt, page.after?.id, page.limit],
  );
}

export async function findCustomerPosition(db: Db, account: Account, id: string): Promise<Position | undefined> {
  const [row] = await db.query<{ id: string; lastPaidAt: Date }>(
    'find_customer_position',
    `select id, last_paid_at from customers where id = $1 and account_id = $2 and livemode = $3`,
    [id, account.id, account.livemode],
  );
  return row && { createdAt: row.lastPaidAt, id: row.id };
}

export async function findCustomer(db: Db, account: Account, id: string): Promise<CustomerRow | undefined> {
  const [row] = await db.query<CustomerRow>(
    'find_customer',
    `select ${COLUMNS} from customers where id = $1 and account_id = $2 and livemode = $3`,
    [id, account.id, account.livemode],
  );
  return row;
}

const MAX_MATCHES = 200;

/**
 * Customers whose reference, address or name begins with the text, the last payer first among the first matches. Ranges,
 * because the plan of a prepared `like` does not use the beginning.
 */
export async function searchCustomers(db: Db, account: Account, text: string): Promise<CustomerRow[]> {
  const folded = foldName(text);
  const after = (start: string) => `${start}\u{10FFFF}`;
  const rows = await db.query<CustomerRow>(
    'search_customers',
    `
    select ${COLUMNS} from (
      (select ${COLUMNS} from customers
        where account_id = $1 and livemode = $2 and reference is not null and reference ~>=~ $3 and reference ~<~ $4 limit $7)
       union all
      (select ${COLUMNS} from customers
        where account_id = $1 and livemode = $2 and email is not null and email ~>=~ $5 and email ~<~ $6 limit $7)
       union all
      (select ${COLUMNS} from customers
        where account_id = $1 and livemode = $2 and folded_name is not null and folded_name ~>=~ $5 and folded_name ~<~ $6 limit $7)
      ) fitting
     order by last_paid_at desc, id desc`,
    [account.id, account.livemode, text, after(text), folded, after(folded), MAX_MATCHES],
  );
  return rows.filter((row, at) => row.id !== rows[at - 1]?.id);
}

/** How the newest session of this customer describes them, paid or not. */
export async function describeCustomer(
  db: Db,
  account: Account,
  identity: CustomerIdentity,
): Promise<Customer | undefined> {
  const [row] =
    'reference' in identity
      ? await db.query<{ customer: Customer | null }>(
          'describe_customer_by_reference',
          `
    select customer from checkout_sessions
     where account_id = $1 and livemode = $2 and customer ->> 'reference' = $3
     order by created_at desc, payment_id desc
     limit 1`,
          [account.id, account.livemode, identity.reference],
        )
      : await db.query<{ customer: Customer | null }>(
          'describe_customer_by_email',
          `
    select customer from checkout_sessions
     where account_id = $1 and livemode = $2 and customer ->> 'email' = $3 and customer ->> 'reference' is null
     order by created_at desc, payment_id desc
     limit 1`,
          [account.id, account.livemode, identity.email],
        );
  return row?.customer ?? undefined;
}
