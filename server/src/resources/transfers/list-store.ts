import type { PaymentStatus, TransferJson } from '@quittance/contract';
import type { Account } from '../../platform/caller.ts';
import type { Db } from '../../platform/db/db.ts';
import type { Position } from '../../platform/http/in-steps.ts';
import { IS_FOR_SESSION } from '../../settlement/attribution/hint-store.ts';
import { IS_ACTIVE_OWNER } from '../../settlement/records/address-owner-store.ts';
import { RECEIVE_NETWORKS_SQL } from '../../settlement/records/sql-lists.ts';
import {
  toStored,
  TRANSFER_COLUMNS,
  type StoredTransfer,
  type TransferRow,
} from '../../settlement/records/transfer-store.ts';

/** A transfer that an account may see, and the payment of this account that it settled or nearly matched. */
export interface OwnTransfer {
  transfer: StoredTransfer;
  payment: OwnPayment | null;
  /** The payments of this account whose customers named its transaction, while no payment has it. */
  namedBy: TransferJson['named_by'];
}

export interface OwnPayment {
  id: string;
  status: PaymentStatus;
  orderId: string | null;
}

type OwnRow = TransferRow & {
  ownPayment: string | null;
  ownStatus: PaymentStatus | null;
  ownOrder: string | null;
  namedBy: TransferJson['named_by'] | null;
};

function toOwn({ ownPayment: id, ownStatus: status, ownOrder: orderId, namedBy, ...row }: OwnRow): OwnTransfer {
  const payment = id !== null && status !== null ? { id, status, orderId } : null;
  return { transfer: toStored(row), payment, namedBy: namedBy ?? [] };
}

const OWN_COLUMNS = `own.id as own_payment, own.status as own_status, session.order_id as own_order,
  named.payments as named_by`;

// Strangers can name a transaction for any number of checkouts.
const MAX_NAMES_READ = 100;
const MAX_NAMES_SHOWN = 3;

/** The first to name the transaction of `t`. The number of the parameter is that of the account. */
function joinNames(account: string): string {
  return `left join lateral (
       select jsonb_agg(jsonb_build_object('payment', one.payment_id, 'order_id', one.order_id)
                        order by one.created_at, one.payment_id) as payments
         from (select h.payment_id, h.created_at, s.order_id
                 from (select payment_id, created_at from transaction_hints
                        where tx_hash = t.tx_hash order by created_at limit ${MAX_NAMES_READ}) h
                 join checkout_sessions s on s.payment_id = h.payment_id
                where s.account_id = ${account} and ${IS_FOR_SESSION}
                order by h.created_at, h.payment_id
                limit ${MAX_NAMES_SHOWN}) one
        where t.payment_id is null) named on true`;
}

/**
 * The transfer, if it came to a wallet of this account. If another account's payment took it, only the owner of the
 * address sees it.
 */
export async function findOwnTransfer(db: Db, account: Account, id: string): Promise<OwnTransfer | undefined> {
  const [row] = await db.query<OwnRow>(
    'find_own_transfer',
    `
    select ${TRANSFER_COLUMNS}, ${OWN_COLUMNS}
      from transfers t
      left join payments own on own.id = coalesce(t.payment_id, t.near_payment_id) and own.account_id = $2
      left join checkout_sessions session on session.id = own.session_id
      ${joinNames('$2')}
     where t.id = $1 and t.livemode = $3 and t.status <> 'dropped'
       and (t.payment_id is null or t.payment_id = own.id
            or exists (select 1 from address_owners o
                        where o.livemode = t.livemode and o.network = t.network and o.address = t.to_address
                          and o.account_id = $2 and ${IS_ACTIVE_OWNER}))
       and exists (select 1 from payout_wallets w where w.account_id = $2 and w.livemode = $3 and w.address = t.to_address)`,
    [id, account.id, account.livemode],
  );
  return row && toOwn(row);
}

export async function fetchPage(
  db: Db,
  account: Account,
  unattributed: boolean,
  page: { after: Position | null; limit: number },
): Promise<OwnTransfer[]> {
  const values = [account.id, account.livemode, page.after?.createdAt ?? null, page.after?.id ?? null, page.limit];
  const rows = unattributed
    ? await db.query<OwnRow>(
        'list_unattributed_transfers',
        pageOf('t.payment_id is null and t.handled_at is null and not t.queued'),
        values,
      )
    : await db.query<OwnRow>(
        'list_transfers',
        pageOf(
          '(t.payment_id is null or wallet.is_owned or exists (select 1 from payments p where p.id = t.payment_id and p.account_id = $1))',
        ),
        values,
      );
  return rows.map(toOwn);
}

// Wallet by wallet along the index, then merged, so that no page reads past what others received. An EVM address is the
// same on every EVM network, so money on the wrong network is found too.
function pageOf(condition: string): string {
  return `
    select ${TRANSFER_COLUMNS}, ${OWN_COLUMNS}
      from (select distinct w.address, network.name,
                   exists (select 1 from address_owners o
                            where o.livemode = $2 and o.network = network.name and o.address = w.address
                              and o.account_id = $1 and ${IS_ACTIVE_OWNER}) as is_owned
              from payout_wallets w
              join unnest(array[${RECEIVE_NETWORKS_SQL}]) as network (name)
                on (w.network = 'solana') = (network.name = 'solana')
             where w.account_id = $1 and w.livemode = $2) wallet
     cross join lateral (
             select * from transfers t
              where t.livemode = $2 and t.network = wallet.name and lower(t.to_address) = lower(wallet.address)
                and t.to_address = wallet.address
                and t.status <> 'dropped' and ${condition}
                and (t.block_time, t.id) < (coalesce($3::timestamptz, 'infinity'), coalesce($4::text, ''))
              order by t.block_time desc, t.id desc
              limit $5
           ) t
      left join payments own on own.id = coalesce(t.payment_id, t.near_payment_id) and own.account_id = $1
      left join checkout_sessions session on session.id = own.session_id
      ${joinNames('$1')}
     order by t.block_time desc, t.id desc
     limit $5`;
}
