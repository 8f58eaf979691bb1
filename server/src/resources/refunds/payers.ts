import { NETWORKS } from '@quittance/contract';
import type { Db } from '../../platform/db/db.ts';
import type { Payment } from '../../settlement/records/payment.ts';
import { findTransfersOf } from '../../settlement/records/transfer-store.ts';
import { isClaiming, MAX_REFUNDS, type StoredRefund } from './refund.ts';
import { fetchRefunds } from './store.ts';
import { suggestRefunds } from './suggestions.ts';

/**
 * The wallets that can claim this refund by their signature alone: each sent at least this much beyond what its other
 * refunds return, and that money is final. A stranger who sees the payment's reference and sends a little with it is not
 * among them. The sender of a converted payment is the provider, so no wallet can claim its refund.
 */
export async function findPayers(db: Db, payment: Payment, refund: StoredRefund): Promise<string[]> {
  if (payment.route === 'routed') return [];
  const transfers = (await findTransfersOf(db, [payment.id])).filter(
    ({ asset, status, evidence }) =>
      asset === payment.receiveAsset && status === 'final' && evidence.goneAfterFinal === undefined,
  );
  const account = { id: payment.accountId, livemode: payment.livemode };
  const filter = { status: null, payment: payment.id, createdAfter: null, createdBefore: null };
  const others = (await fetchRefunds(db, account, filter, { after: null, limit: MAX_REFUNDS })).filter(
    (other) => other.id !== refund.id && isClaiming(other),
  );
  const returnedTo = (address: string) =>
    others.reduce((sum, other) => (other.toAddress === address ? sum + other.amountUnits : sum), 0n);
  return suggestRefunds({
    isRouted: false,
    isEvm: NETWORKS[payment.receiveNetwork].family === 'evm',
    arrivedUnits: payment.actualOutputUnits ?? 0n,
    given: [],
    transfers,
  })
    .filter(
      ({ address, units, isSmall, resembles }) =>
        !isSmall && resembles === null && units !== null && refund.amountUnits + returnedTo(address) <= units,
    )
    .map(({ address }) => address);
}
