import type { Account, Defaults } from '../../platform/caller.ts';
import { jsonMembersOf } from '../../platform/db/columns.ts';
import type { Db, Transaction } from '../../platform/db/db.ts';
import type { Position } from '../../platform/http/in-steps.ts';
import { isId } from '../../platform/ids.ts';
import {
  LINK_COLUMN_NAMES,
  LINK_COLUMN_TABLE,
  LINK_COLUMN_TYPES,
  LINK_COLUMNS_OF_L,
  type LinkStatus,
  type PaymentLink,
} from './link.ts';

/** The link and its payout wallet; `l` and `w` name the two tables. */
const LINK_COLUMNS = `${LINK_COLUMNS_OF_L}, w.asset as receive_asset, w.network as receive_network`;

const linkMembers = jsonMembersOf(LINK_COLUMN_TABLE);

export async function insertLink(db: Db, link: PaymentLink): Promise<void> {
  await db.query(
    'insert_payment_link',
    `
    insert into payment_links (${LINK_COLUMN_NAMES})
    select ${LINK_COLUMN_NAMES} from json_to_record($1::json) as link (${LINK_COLUMN_TYPES})`,
    [`{${linkMembers(link)}}`],
  );
}

/** Saves what a merchant may change of their link. */
export async function saveLink(db: Db, link: PaymentLink): Promise<void> {
  await db.query(
    'save_payment_link',
    `
    update payment_links
       set amount_minor = $2, description = $3, success_url = $4, cancel_url = $5, ask_for = $6,
           min_amount_minor = $7, max_amount_minor = $8, ends_at = $9, max_payments = $10, note_label = $11,
           order_id = $12
     where id = $1`,
    [
      link.id,
      link.amountMinor,
      link.description,
      link.successUrl,
      link.cancelUrl,
      link.askFor,
      link.minAmountMinor,
      link.maxAmountMinor,
      link.endsAt,
      link.maxPayments,
      link.noteLabel,
      link.orderId,
    ],
  );
}

/** The link, locked until the transaction ends, if it is this account's. */
export async function holdLink(db: Transaction, account: Account, id: string): Promise<PaymentLink | undefined> {
  if (!isId('pl', id)) return undefined;
  const [row] = await db.query<PaymentLink>(
    'hold_own_payment_link',
    `
    select ${LINK_COLUMNS}
      from payment_links l join payout_wallets w on w.id = l.payout_wallet_id
     where l.id = $1 and l.account_id = $2 and l.livemode = $3
       for no key update of l`,
    [id, account.id, account.livemode],
  );
  return row;
}

/** The link, if it is this account's. */
export async function findLink(db: Db, account: Account, id: string): Promise<PaymentLink | undefined> {
  if (!isId('pl', id)) return undefined;
  const [row] = await db.query<PaymentLink>(
    'find_payment_link',
    `
    select ${LINK_COLUMNS}
      from payment_links l join payout_wallets w on w.id = l.payout_wallet_id
     where l.id = $1 and l.account_id = $2 and l.livemode = $3`,
    [id, account.id, account.livemode],
  );
  return row;
}

export async function fetchLinks(
  db: Db,
  account: Account,
  page: { after: Position | null; limit: number },
): Promise<PaymentLink[]> {
  return db.query<PaymentLink>(
    'list_payment_links',
    `
    select ${LINK_COLUMNS}
      from payment_links l join payout_wallets w on w.id = l.payout_wallet_id
     where l.account_id = $1 and l.livemode = $2
       and (l.created_at, l.id) < (coalesce($3::timestamptz, 'infinity'), coalesce($4::text, ''))
     order by l.created_at desc, l.id desc
     limit $5`,
    [account.id, account.livemode, page.after?.createdAt, page.after?.id, page.limit],
  );
}

export interface OpeningLink {
  link: PaymentLink;
  receiveAddress: string;
  /** The account's defaults for fields that the link does not set. */
  defaults: Defaults;
  /** The offset of the account's clock; 0 in live mode. */
  clockOffsetMs: bigint;
}

const OPENING_LINK = `
    select ${LINK_COLUMNS}, w.address as receive_address, a.session_defaults as defaults,
           case when l.livemode then 0 else a.test_clock_offset_ms end as clock_offset_ms
      from payment_links l
      join payout_wallets w on w.id = l.payout_wallet_id
      join accounts a on a.id = l.account_id
     where l.id = $1`;

type OpeningRow = PaymentLink & Omit<OpeningLink, 'link'>;

/** The link as an opening would find it. */
export async function findLinkForOpening(db: Db, id: string): Promise<OpeningLink | undefined> {
  if (!isId('pl', id)) return undefined;
  return toOpening(await db.query<OpeningRow>('find_link_for_opening', OPENING_LINK, [id]));
}

/** The link for an opening. Its status is locked until the transaction ends; others may open it at the same time. */
export async function holdLinkForOpening(db: Transaction, id: string): Promise<OpeningLink | undefined> {
  if (!isId('pl', id)) return undefined;
  return toOpening(await db.query<OpeningRow>('hold_payment_link', `${OPENING_LINK} for share of l`, [id]));
}

function toOpening([row]: OpeningRow[]): OpeningLink | undefined {
  if (!row) return undefined;
  const { receiveAddress, defaults, clockOffsetMs, ...link } = row;
  return { link, receiveAddress, defaults, clockOffsetMs };
}

/** Sets the status of the account's link; undefined if the account has no such link. */
export async function setLinkStatus(
  db: Db,
  account: Account,
  id: string,
  status: LinkStatus,
): Promise<PaymentLink | undefined> {
  if (!isId('pl', id)) return undefined;
  const [row] = await db.query<PaymentLink>(
    'set_payment_link_status',
    `
    update payment_links l
       set status = $4
      from payout_wallets w
     where l.id = $1 and l.account_id = $2 and l.livemode = $3 and w.id = l.payout_wallet_id
    returning ${LINK_COLUMNS}`,
    [id, account.id, account.livemode, status],
  );
  return row;
}
