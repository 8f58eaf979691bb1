import type { PublicPaymentJson } from '@quittance/contract';
import type { Db } from '../../platform/db/db.ts';
import { presentUnits } from '../../settlement/records/present-payment.ts';
import { TRANSFER_COLUMNS, toStored, type TransferRow } from '../../settlement/records/transfer-store.ts';

/**
 * The transfers near a payment that its page shows, as `t`. Anyone can send more, so that no answer and no version reads all.
 */
export function shownNear(columns: string, payment: string): string {
  return `select ${columns} from transfers t
     where t.near_payment_id = ${payment} and t.payment_id is null and t.reason <> 'no_match' and t.status <> 'dropped'
     order by t.id limit 10`;
}

/**
 * Transfers for a payment that do not count toward it: another coin, or money after it was paid. A transfer with an
 * unproven reference (`no_match`) may belong to someone else, so only the merchant sees it.
 */
export async function findOtherTransfers(db: Db, paymentId: string): Promise<PublicPaymentJson['other_transfers']> {
  const rows = await db.query<TransferRow>('find_near_transfers', shownNear(TRANSFER_COLUMNS, '$1'), [paymentId]);
  return rows
    .map(toStored)
    .flatMap(({ asset, network, amountUnits, txHash, reason }) =>
      reason ? [{ asset, network, amount: presentUnits(amountUnits, asset, network), tx_hash: txHash, reason }] : [],
    );
}
