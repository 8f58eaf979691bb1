import { NETWORKS } from '@quittance/contract';
import type { Db } from '../../platform/db/db.ts';
import type { Payment } from '../../settlement/records/payment.ts';
import { findTransfersOf, type StoredTransfer } from '../../settlement/records/transfer-store.ts';
import { isClaiming, type StoredRefund } from './refund.ts';
import { findRefundsOf } from './store.ts';
import { suggestRefunds } from './suggestions.ts';

/**
 * The wallets whose signature alone decides that this refund goes to them: each has sent at least this much more than
 * other refunds return to it, and that money is final. So a stranger who sends a little with the reference, which is
 * public with the first transfer, gets nothing. A converted payment has no such wallet, because the provider sent its
 * money.
 */
export async function findPayers(db: Db, payment: Payment, refund: StoredRefund): Promise<string[]> {
  if (payment.route === 'routed') return [];
  const transfers = (await findOwnMoney(db, payment)).filter(
    ({ status, evidence }) => status === 'final' && evidence.goneAfterFinal === undefined,
  );
  const isEvm = NETWORKS[payment.receiveNetwork].family === 'evm';
  const others = (await findRefundsOf(db, payment)).filter((other) => other.id !== refund.id && isClaiming(other));
  const returnedTo = (address: string) =>
    others.reduce((sum, other) => (mayBeTo(address, other, isEvm) ? sum + other.amountUnits : sum), 0n);
  return suggestRefunds({
    isRouted: false,
    isEvm,
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

/** What its customer sent. A payout beside it came from the wallet of its provider. */
export async function findOwnMoney(db: Db, { id, receiveAsset }: Payment): Promise<StoredTransfer[]> {
  const transfers = await findTransfersOf(db, [id]);
  return transfers.filter(({ asset, attributedBy }) => asset === receiveAsset && attributedBy !== 'route');
}

/**
 * The merchant may have written an address in any case, or none for money that was sent. Only a link that no one has
 * answered goes nowhere yet.
 */
function mayBeTo(address: string, { toAddress, status }: StoredRefund, isEvm: boolean): boolean {
  if (toAddress === null) return status !== 'requested';
  return toAddress === address || (isEvm && toAddress.toLowerCase() === address.toLowerCase());
}
