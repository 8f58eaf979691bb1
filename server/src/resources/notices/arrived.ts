import { NETWORKS } from '@quittance/contract';
import { expectedUnits } from '../../settlement/records/amounts.ts';
import type { Payment } from '../../settlement/records/payment.ts';
import { presentUnits } from '../../settlement/records/present-payment.ts';

/** The arrived and the due amount of a payment. */
export type ArrivedMoney = Pick<
  Payment,
  'actualOutputUnits' | 'expectedOutputUnits' | 'receiveAsset' | 'receiveNetwork' | 'amountMinor' | 'currency'
>;

/** `24.500000 USDC on Base`, or null if nothing arrived. */
export function arrivedText(money: ArrivedMoney | null): string | null {
  if (!money?.actualOutputUnits) return null;
  const { actualOutputUnits: units, receiveAsset: asset, receiveNetwork: network } = money;
  return `${presentUnits(units, asset, network)} ${asset} on ${NETWORKS[network].name}`;
}

/**
 * Whether at least a cent less arrived than was due. The exact amount exceeds the price by less than a cent, and a customer
 * who sent the price has paid it.
 */
export function isShort(money: ArrivedMoney | null): boolean {
  const due = money && expectedUnits(money);
  if (money === null || due === null || money.actualOutputUnits === null) return false;
  return (due - money.actualOutputUnits) * money.amountMinor >= due;
}
