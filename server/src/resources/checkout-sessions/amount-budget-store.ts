import type { Db } from '../../platform/db/db.ts';
import { type AmountBudgetKeys, QUARANTINE_MS } from '../../settlement/records/reserved-amount-store.ts';

/** How many reserved amounts count for each budget, counted up to its limit. */
export type BudgetLimits = Record<keyof AmountBudgetKeys, number>;

export interface BudgetCounts extends BudgetLimits {
  /** How many reserved amounts of the link and of the account this client holds. */
  clientOfLink: number;
  clientOfAccount: number;
}

/** Test mode and live mode have budgets of their own. */
export interface BudgetsOfMode {
  livemode: boolean;
  budgets: AmountBudgetKeys;
}

/** Counts reserved amounts that received no money, including those in quarantine. */
export async function countReserved(
  db: Db,
  { livemode, budgets: { client, paymentLinkId, accountId } }: BudgetsOfMode,
  limits: BudgetLimits,
  now: Date,
): Promise<BudgetCounts> {
  const [row] = await db.query<{
    client: number;
    clientOfLink: number;
    clientOfAccount: number;
    link: number;
    account: number;
  }>(
    'count_budgeted_amounts',
    `
    select held.client, held.client_of_link, held.client_of_account,
           (select count(*)::integer from (
              (select 1 from reserved_amounts where payment_link_id = $3 and reserved_until is null limit $7)
              union all
              (select 1 from reserved_amounts where payment_link_id = $3 and reserved_until > $5 limit $7)) held) as link,
           (select count(*)::integer from (
              (select 1 from reserved_amounts where livemode = $1 and account_id = $4 and reserved_until is null limit $8)
              union all
              (select 1 from reserved_amounts where livemode = $1 and account_id = $4 and reserved_until > $5 limit $8)) held) as account
      from (select count(*)::integer as client,
                   (count(*) filter (where payment_link_id = $3))::integer as client_of_link,
                   (count(*) filter (where account_id = $4))::integer as client_of_account
              from (
              (select payment_link_id, account_id from reserved_amounts where livemode = $1 and client = $2 and reserved_until is null limit $6)
              union all
              (select payment_link_id, account_id from reserved_amounts where livemode = $1 and client = $2 and reserved_until > $5 limit $6)) own) held`,
    [livemode, client, paymentLinkId, accountId, now, limits.client, limits.paymentLinkId, limits.accountId],
  );
  return {
    client: row?.client ?? 0,
    clientOfLink: row?.clientOfLink ?? 0,
    clientOfAccount: row?.clientOfAccount ?? 0,
    paymentLinkId: row?.link ?? 0,
    accountId: row?.account ?? 0,
  };
}

/** When the next amount of a budget becomes free if no one pays. */
export async function findNextFree(
  db: Db,
  livemode: boolean,
  { client, paymentLinkId, accountId }: AmountBudgetKeys,
  now: Date,
): Promise<Date | null> {
  const [row] = await db.query<{ at: Date | null }>(
    'find_next_free_amount',
    `
    select min(case when r.reserved_until is null then greatest(p.expires_at, $5) + make_interval(secs => $6) else r.reserved_until end) as at
      from reserved_amounts r join payments p on p.id = r.payment_id
     where r.livemode = $1 and (r.client = $2 or r.payment_link_id = $3 or r.account_id = $4) and (r.reserved_until is null or r.reserved_until > $5)`,
    [livemode, client, paymentLinkId, accountId, now, QUARANTINE_MS / 1000],
  );
  return row?.at ?? null;
}
