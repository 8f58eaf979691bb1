import type { Brand, LinkPage, Merchant } from '@quittance/web/checkout';
import type { Db } from '../../platform/db/db.ts';
import { formatDisplayAmount } from '../../platform/money.ts';
import { later } from '../../platform/time.ts';
import { TAKES_PAYMENTS } from '../checkout-sessions/insert-store.ts';
import { hasEnded, type LinkTerms } from '../payment-links/link.ts';
import { presentLimits } from '../payment-links/terms.ts';

/** The look of an account's pages, and the origins that may frame them. */
export interface PageSettings {
  logoUrl: string | null;
  brand: Brand;
  frameParents: string[];
}

interface SettingsRow {
  logoUrl: string | null;
  brand: {
    accentColor?: string | null;
    backgroundColor?: string | null;
    theme?: Brand['theme'];
    corners?: Brand['corners'];
  };
  frameParents: string[];
}

export async function findPageSettings(db: Db, accountId: string): Promise<PageSettings> {
  const [row] = await db.query<SettingsRow>(
    'find_page_settings',
    `select logo_url, brand, frame_parents from accounts where id = $1`,
    [accountId],
  );
  return row
    ? toSettings(row)
    : { logoUrl: null, brand: { accent: null, background: null, theme: null, corners: null }, frameParents: [] };
}

/** Lines about the merchant that are printed on receipts. */
export async function findReceiptDetails(db: Db, accountId: string): Promise<string | null> {
  const [row] = await db.query<{ receiptDetails: string | null }>(
    'find_receipt_details',
    'select receipt_details from accounts where id = $1',
    [accountId],
  );
  return row?.receiptDetails ?? null;
}

interface LinkPageRow extends SettingsRow, LinkTerms {
  id: string;
  name: string | null;
  description: string;
  amountMinor: bigint;
  currency: string;
  livemode: boolean;
  status: string;
  /** Whether its payout wallet takes new payments. */
  isPayable: boolean;
  supportEmail: string | null;
  supportUrl: string | null;
  payments: number;
  clockOffsetMs: bigint;
}

/** A payment link for its page. */
export interface ShownLink {
  page: Pick<
    LinkPage,
    'id' | 'merchant' | 'description' | 'amount' | 'currency' | 'livemode' | 'askFor' | 'noteLabel' | 'openAmount'
  >;
  active: boolean;
  merchant: Merchant;
  settings: PageSettings;
}

/** The page of a payment link. The id is the only credential. */
export async function findLinkPage(db: Db, id: string, realNow: Date): Promise<ShownLink | undefined> {
  const [row] = await db.query<LinkPageRow>(
    'find_link_page',
    `
    select l.id, a.name, a.logo_url, a.support_email, a.support_url, a.brand, a.frame_parents, l.description,
      l.amount_minor, l.currency, l.livemode, l.status, l.payments, l.ask_for, l.note_label,
      l.min_amount_minor, l.max_amount_minor, l.ends_at, l.max_payments, ${TAKES_PAYMENTS} as is_payable,
      case when l.livemode then 0 else a.test_clock_offset_ms end as clock_offset_ms
      from payment_links l
      join accounts a on a.id = l.account_id
      join payout_wallets w on w.id = l.payout_wallet_id
     where l.id = $1`,
    [id],
  );
  return (
    row && {
      page: {
        id: row.id,
        merchant: { name: row.name },
        description: row.description,
        amount: formatDisplayAmount(row.amountMinor),
        currency: row.currency,
        livemode: row.livemode,
        askFor: row.askFor,
        noteLabel: row.noteLabel,
        openAmount: presentLimits(row),
      },
      active: row.status === 'active' && row.isPayable && !hasEnded(row, later(realNow, Number(row.clockOffsetMs))),
      merchant: {
        name: row.name,
        logo_url: row.logoUrl,
        support_email: row.supportEmail,
        support_url: row.supportUrl,
      },
      settings: toSettings(row),
    }
  );
}

/** The account of a session or a link, and its logo. */
export async function findLogoOf(
  db: Db,
  id: string,
): Promise<{ accountId: string; logoUrl: string | null } | undefined> {
  const [row] = await db.query<{ accountId: string; logoUrl: string | null }>(
    'find_logo_of',
    `
    select a.id as account_id, a.logo_url from accounts a
     where a.id = (select account_id from checkout_sessions where id = $1 union all select account_id from payment_links where id = $1)`,
    [id],
  );
  return row;
}

function toSettings(row: SettingsRow): PageSettings {
  return {
    logoUrl: row.logoUrl,
    brand: {
      accent: row.brand.accentColor ?? null,
      background: row.brand.backgroundColor ?? null,
      theme: row.brand.theme ?? null,
      corners: row.brand.corners ?? null,
    },
    frameParents: row.frameParents,
  };
}
