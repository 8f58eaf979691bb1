import type { Db } from '../../platform/db/db.ts';
import { type AmountBudgetKeys, QUARANTINE_MS } from '../../settlement/records/reserved-amount-store.ts';

/** How many reserved amounts count for each budget, counted up to its limit. */
export type BudgetLimits = Record<keyof AmountBudgetKeys, number>;

export interface BudgetCounts extends BudgetLimits {
  /** How many reserved amounts of the link and of the account this client and its range hold. */
  ofLink: OfClient;
  ofAccount: OfClient;
}

interface OfClient {
  client: number;
  clientRange: number;
}

/** Test mode and live mode have budgets of their own. */
export interface BudgetsOfMode {
  livemode: boolean;
  budgets: AmountBudgetKeys;
}

/** Counts reserved amounts that received no money, including those in quarantine. */
export async function countReserved(
  db: Db,
  { livemode, budgets: { client, clientRange, paymentLinkId, accountId } }: BudgetsOfMode,
  limits: BudgetLimits,
  now: Date,
): Promise<BudgetCounts> {
  const [row] = await db.query<{
    client: number;
    clientOfLink: number;
    clientOfAccount: number;
    range: number;
    rangeOfLink: number;
    rangeOfAccount: number;
    link: number;
    account: number;
  }>(
    'count_budgeted_amounts',
    `
    select own.held as client, own.of_link as client_of_link, own.of_account as client_of_account,
           around.held as range, around.of_link as range_of_link, around.of_account as range_of_account,
           (select count(*)::integer from (
              (select 1 from reserved_amounts where payment_link_id = $3 and reserved_until is null limit $7)
              union all
              (select 1 from reserved_amounts where payment_link_id = $3 and reserved_until > $5 limit $7)) held) as link,
           (select count(*)::integer from (
              (select 1 from reserved_amounts where livemode = $1 and account_id = $4 and reserved_until is null limit $8)
              union all
              (select 1 from reserved_amounts where livemode = $1 and account_id = $4 and reserved_until > $5 limit $8)) held) as account
      from ${countOf('client = $2', '$6')} own
     cross join ${countOf('client_range = $9', '$10')} around`,
    [
      livemode,
      client,
      paymentLinkId,
      accountId,
      now,
      limits.client,
      limits.paymentLinkId,
      limits.accountId,
      clientRange,
      limits.clientRange,
    ],
  );
  return {
    client: row?.client ?? 0,
    clientRange: row?.range ?? 0,
    ofLink: { client: row?.clientOfLink ?? 0, clientRange: row?.rangeOfLink ?? 0 },
    ofAccount: { client: row?.clientOfAccount ?? 0, clientRange: row?.rangeOfAccount ?? 0 },
    paymentLinkId: row?.link ?? 0,
    accountId: row?.account ?? 0,
  };
}

function countOf(condition: string, limit: string): string {
  return `(
    select count(*)::integer as held,
           (count(*) filter (where payment_link_id = $3))::integer as of_link,
           (count(*) filter (where account_id = $4))::integer as of_account
      from (
        (select payment_link_id, account_id from reserved_amounts
          where livemode = $1 and ${condition} and reserved_until is null limit ${limit})
        union all
        (select payment_link_id, account_id from reserved_amounts
          where livemode = $1 and ${condition} and reserved_until > $5 limit ${limit})) held)`;
}

/** When the next amount of a budget becomes free if no one pays. */
export async function findNextFree(
  db: Db,
  livemode: boolean,
  { client, clientRange, paymentLinkId, accountId }: AmountBudgetKeys,
  now: Date,
): Promise<Date | null> {
  const [row] = await db.query<{ at: Date | null }>(
    'find_next_free_amount',
    `
    select min(case when r.reserved_until is null then greatest(p.expires_at, $5) + make_interval(secs => $6)
      else r.reserved_until end) as at
      from reserved_amounts r join payments p on p.id = r.payment_id
     where r.livemode = $1 and (r.client = $2 or r.client_range = $7 or r.payment_link_id = $3 or r.account_id = $4)
       and (r.reserved_until is null or r.reserved_until > $5)`,
    [livemode, client, paymentLinkId, accountId, now, QUARANTINE_MS / 1000, clientRange],
  );
  return row?.at ?? null;
}
