import type { LinkPage } from '@quittance/web/checkout';
import type { Db } from '../../platform/db/db.ts';
import { formatDisplayAmount } from '../../platform/money.ts';

/** Who may frame an account's pages. */
export async function findPageSettings(db: Db, accountId: string): Promise<{ frameParents: string[] }> {
  const [row] = await db.query<{ frame_parents: string[] }>('find_page_settings', `select frame_parents from accounts where id = $1`, [accountId]);
  return { frameParents: row?.frame_parents ?? [] };
}

interface LinkPageRow {
  id: string;
  name: string | null;
  logo_url: string | null;
  description: string;
  amount_minor: bigint;
  currency: string;
  livemode: boolean;
  status: string;
}

/** What a payment link's page shows, for whoever knows its id. */
export async function findLinkPage(db: Db, id: string): Promise<Omit<LinkPage, 'locale' | 'idempotencyKey'> | undefined> {
  const [row] = await db.query<LinkPageRow>('find_link_page', `
    select l.id, a.name, a.logo_url, l.description, l.amount_minor, l.currency, l.livemode, l.status
      from payment_links l join accounts a on a.id = l.account_id
     where l.id = $1`, [id]);
  return row && {
    id: row.id,
    merchant: { name: row.name, logo_url: row.logo_url },
    description: row.description,
    amount: formatDisplayAmount(row.amount_minor),
    currency: row.currency,
    livemode: row.livemode,
    active: row.status === 'active',
  };
}
