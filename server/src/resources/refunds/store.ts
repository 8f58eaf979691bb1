import type { Locale, RefundStatus } from '@quittance/contract';
import type { Account } from '../../platform/caller.ts';
import type { Db, Transaction } from '../../platform/db/db.ts';
import type { Position } from '../../platform/http/in-steps.ts';
import type { Payment } from '../../settlement/records/payment.ts';
import { fromColumns, type OutgoingJsonColumns, toColumns } from '../outgoing-transfers/outgoing.ts';
import { type DueTurn, leaseDue, leaseOf } from '../outgoing-transfers/store.ts';
import { MAX_REFUNDS, type RefundLink, type StoredRefund } from './refund.ts';
import { fail, invariant } from '../../platform/errors.ts';
import { isId } from '../../platform/ids.ts';
import { lockPayment } from '../../settlement/records/payment-store.ts';

const REFUND_COLUMNS = `
  id, account_id, livemode, payment_id, status, sequence, amount_minor, currency, amount_units, asset, network, to_address, reason, tx_hash,
  transfer_index, verified, mismatch, failure_reason, sent_at, due_at, looks, created_at, link_hash, link,
  wallet, other_hashes, ended_at`;

type RefundRow = Omit<StoredRefund, 'link' | keyof OutgoingJsonColumns> &
  OutgoingJsonColumns & { linkHash: Buffer | null; link: LinkRow | null };

interface LinkRow {
  expires_at: string;
  email: string | null;
  locale: Locale;
  address: string | null;
  proved: boolean;
  answered_at: string | null;
  confirmed_at?: string | null;
}

export interface RefundFilter {
  status: RefundStatus | null;
  payment: string | null;
  createdAfter: Date | null;
  createdBefore: Date | null;
}

/** The refund, if it is this account's. */
export async function findRefund(db: Db, account: Account, id: string): Promise<StoredRefund | undefined> {
  const [row] = await db.query<RefundRow>(
    'find_refund',
    `
    select ${REFUND_COLUMNS} from refunds
     where id = $1 and account_id = $2 and livemode = $3`,
    [id, account.id, account.livemode],
  );
  return row && toRefund(row);
}

/** The refund that a link asks about. Its token is the only credential. */
export async function findRefundByLink(db: Db, hash: Buffer): Promise<StoredRefund | undefined> {
  const [row] = await db.query<RefundRow>(
    'find_refund_by_link',
    `select ${REFUND_COLUMNS} from refunds where link_hash = $1`,
    [hash],
  );
  return row && toRefund(row);
}

/** Refunds whose customer has named an address and that were not sent yet, newest first. */
export async function findAnsweredRefunds(db: Db, account: Account, limit: number): Promise<StoredRefund[]> {
  const rows = await db.query<RefundRow>(
    'find_answered_refunds',
    `
    select ${REFUND_COLUMNS} from refunds
     where account_id = $1 and livemode = $2 and status in ('requested', 'planned') and link ->> 'answered_at' is not null
     order by created_at desc, id desc limit $3`,
    [account.id, account.livemode, limit],
  );
  return rows.map(toRefund);
}

/**
 * Refunds that may have been sent twice, the last sent first: by a wallet after they had ended, when they no longer fit
 * into what arrived, or by more than one transaction.
 */
export async function findSentUncounted(db: Db, account: Account, since: Date, limit: number): Promise<StoredRefund[]> {
  const rows = await db.query<RefundRow>(
    'find_sent_uncounted',
    `
    select ${REFUND_COLUMNS} from refunds
     where account_id = $1 and livemode = $2 and sent_at >= $3
       and ((status = 'cancelled' and tx_hash is not null and mismatch is null)
            or (status = 'final' and other_hashes <> '{}'))
     order by sent_at desc, id desc limit $4`,
    [account.id, account.livemode, since, limit],
  );
  return rows.map(toRefund);
}

/** Newest first. */
export async function fetchRefunds(
  db: Db,
  account: Account,
  filter: RefundFilter,
  page: { after: Position | null; limit: number },
): Promise<StoredRefund[]> {
  const values = [
    account.id,
    account.livemode,
    filter.createdAfter,
    filter.createdBefore,
    page.after?.createdAt,
    page.after?.id,
    page.limit,
  ];
  // A payment has few refunds, and few have a status such as sent, so each filter has its own index.
  const rows =
    filter.payment !== null
      ? await db.query<RefundRow>(
          'list_refunds_of_payment',
          pageOf('payment_id = $8 and ($9::text is null or status = $9)'),
          [...values, filter.payment, filter.status],
        )
      : filter.status !== null
        ? await db.query<RefundRow>('list_refunds_of_status', pageOf('status = $8'), [...values, filter.status])
        : await db.query<RefundRow>('list_refunds', pageOf('true'), values);
  return rows.map(toRefund);
}

function pageOf(condition: string): string {
  return `
    select ${REFUND_COLUMNS} from refunds
     where account_id = $1 and livemode = $2 and ${condition}
       and created_at >= coalesce($3::timestamptz, '-infinity') and created_at < coalesce($4::timestamptz, 'infinity')
       and (created_at, id) < (coalesce($5::timestamptz, 'infinity'), coalesce($6::text, ''))
     order by created_at desc, id desc
     limit $7`;
}

/** All refunds of a payment, newest first. */
export function findRefundsOf(db: Db, { id, accountId, livemode }: Payment): Promise<StoredRefund[]> {
  const filter = { status: null, payment: id, createdAfter: null, createdBefore: null };
  return fetchRefunds(db, { id: accountId, livemode }, filter, { after: null, limit: MAX_REFUNDS });
}

/** The final refunds of a payment, oldest first. */
export async function findReturned(db: Db, paymentId: string): Promise<StoredRefund[]> {
  const rows = await db.query<RefundRow>(
    'find_returned',
    `
    select ${REFUND_COLUMNS} from refunds
     where payment_id = $1 and status = 'final'
     order by created_at, id`,
    [paymentId],
  );
  return rows.map(toRefund);
}

/** Writes a new refund of a locked payment, or what changed of one. */
export async function writeRefund(db: Transaction, refund: StoredRefund): Promise<void> {
  const { mismatch, wallet } = toColumns(refund);
  await db.query(
    'write_refund',
    `
    insert into refunds (${REFUND_COLUMNS})
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23,
      $24, $25, $26, $27)
    on conflict (id) do update
       set status = excluded.status, sequence = excluded.sequence, to_address = excluded.to_address,
           tx_hash = excluded.tx_hash, transfer_index = excluded.transfer_index,
           verified = excluded.verified, mismatch = excluded.mismatch, failure_reason = excluded.failure_reason,
           sent_at = excluded.sent_at, due_at = excluded.due_at, looks = excluded.looks, link = excluded.link,
           wallet = excluded.wallet, other_hashes = excluded.other_hashes, ended_at = excluded.ended_at`,
    [
      refund.id,
      refund.accountId,
      refund.livemode,
      refund.paymentId,
      refund.status,
      refund.sequence,
      refund.amountMinor,
      refund.currency,
      refund.amountUnits,
      refund.asset,
      refund.network,
      refund.toAddress,
      refund.reason,
      refund.txHash,
      refund.transferIndex,
      refund.verified,
      mismatch,
      refund.failureReason,
      refund.sentAt,
      refund.dueAt,
      refund.looks,
      refund.createdAt,
      refund.link?.hash ?? null,
      refund.link && JSON.stringify(fromLink(refund.link)),
      wallet,
      refund.otherHashes,
      refund.endedAt,
    ],
  );
}

export async function leaseDueRefunds(db: Db, turn: DueTurn): Promise<StoredRefund[]> {
  const rows = await db.query<RefundRow>('lease_due_refunds', leaseDue('refunds', REFUND_COLUMNS), leaseOf(turn));
  return rows.map(toRefund);
}

function toRefund({ linkHash, link, ...row }: RefundRow): StoredRefund {
  return { ...row, ...fromColumns(row), link: linkHash && link && toLink(linkHash, link) };
}

function toLink(hash: Buffer, { expires_at, answered_at, confirmed_at = null, ...link }: LinkRow): RefundLink {
  return {
    ...link,
    hash,
    expiresAt: new Date(expires_at),
    answeredAt: answered_at === null ? null : new Date(answered_at),
    confirmedAt: confirmed_at === null ? null : new Date(confirmed_at),
  };
}

function fromLink({ hash: _hash, expiresAt, answeredAt, confirmedAt, ...link }: RefundLink): LinkRow {
  return {
    ...link,
    expires_at: expiresAt.toISOString(),
    answered_at: answeredAt?.toISOString() ?? null,
    confirmed_at: confirmedAt?.toISOString() ?? null,
  };
}

/** The account's refund, or 404. */
export async function ownRefund(db: Db, account: Account, id: string): Promise<StoredRefund> {
  return (isId('rf', id) ? await findRefund(db, account, id) : undefined) ?? fail('not_found', { param: 'id' });
}

/** The account's refund and its payment. A refund changes only under the lock of its payment. */
export async function lockRefund(
  db: Transaction,
  account: Account,
  id: string,
): Promise<{ payment: Payment; refund: StoredRefund }> {
  const { paymentId } = await ownRefund(db, account, id);
  const payment = await lockPayment(db, account, paymentId);
  invariant(payment, 'a refund has a payment');
  return { payment, refund: await ownRefund(db, account, id) };
}
