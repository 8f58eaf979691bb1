import type { PublicPaymentJson, UnattributedReason } from '@quittance/contract';
import type { Db } from '../../platform/db/db.ts';
import { IS_FOR_SESSION } from '../../settlement/attribution/hint-store.ts';
import { refusalOf } from '../../settlement/records/attribution.ts';
import type { Payment } from '../../settlement/records/payment.ts';
import { presentUnits } from '../../settlement/records/present-payment.ts';
import { RECEIVE_NETWORKS_SQL } from '../../settlement/records/sql-lists.ts';
import {
  type StoredTransfer,
  TRANSFER_COLUMNS,
  toStored,
  type TransferRow,
} from '../../settlement/records/transfer-store.ts';

/**
 * The transfers that the page of a payment shows beside its own, as `t`: those near it, and those of the transactions that its
 * customer named, if they came to its wallet since it began. Who else has those is not looked at: a stranger can name any
 * transaction, and learns no more than the chain says. Anyone can send more, so that no answer and no version reads all.
 */
export function shownNear(columns: string, payment: string): string {
  return `(${firstNear(columns, payment)})
    union all
    (select ${columns} from transaction_hints h
       join checkout_sessions s on s.payment_id = h.payment_id
      cross join lateral (
             select t.xmin, t.* from transfers t
              where t.network in (${RECEIVE_NETWORKS_SQL}) and t.tx_hash = h.tx_hash and ${IS_FOR_SESSION}
                and (${isNear(payment)}) is not true
                and t.status <> 'dropped' and t.confirmed and not t.queued and t.handled_at is null
              order by t.network, t.index limit 10) t
     where h.payment_id = ${payment}
       -- One transaction may pay several orders, and the rest of it is another's.
       and not exists (select 1 from transfers own
                        where own.payment_id = h.payment_id and own.tx_hash = h.tx_hash and own.status <> 'dropped')
     order by t.id limit 10)`;
}

/** Those of its own wallet and reference alone. */
export function firstNear(columns: string, payment: string): string {
  return `select ${columns} from transfers t where ${isNear(payment)} and t.status <> 'dropped' order by t.id limit 10`;
}

function isNear(payment: string): string {
  return `t.near_payment_id = ${payment} and t.payment_id is null and t.reason <> 'no_match'`;
}

/**
 * Transfers that do not count toward a payment: another coin, money after it was paid, or what its customer named and no rule
 * matches (`no_match`). One that has only an unproven reference may belong to someone else, so only the merchant sees it.
 */
export async function findOtherTransfers(db: Db, payment: Payment): Promise<PublicPaymentJson['other_transfers']> {
  const rows = await db.query<TransferRow>('find_near_transfers', shownNear(TRANSFER_COLUMNS, '$1'), [payment.id]);
  return rows.map(toStored).flatMap((transfer) => {
    const { asset, network, amountUnits, txHash } = transfer;
    const reason = reasonFor(payment, transfer);
    return reason
      ? [{ asset, network, amount: presentUnits(amountUnits, asset, network), tx_hash: txHash, reason }]
      : [];
  });
}

/**
 * A transfer that was only named is said to be unmatched and no more: any other reason would ask for a refund, and the money
 * may be another's. Undefined once the payment takes no more money, when it is not shown at all.
 */
function reasonFor(payment: Payment, transfer: StoredTransfer): UnattributedReason | undefined {
  const { nearPaymentId, paymentId, reason } = transfer;
  if (nearPaymentId === payment.id && paymentId === null && reason && reason !== 'no_match') return reason;
  return refusalOf(payment.status) ? undefined : 'no_match';
}
