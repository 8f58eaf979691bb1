import { expect, test } from 'vitest';
import type { Payment } from '../../settlement/records/payment.ts';
import type { StoredOrder } from '../../settlement/records/route-order-store.ts';
import type { Target } from '../../settlement/records/target-store.ts';
import { shownTarget } from './shown-target.ts';

const BTC = { asset: 'BTC', network: 'bitcoin' } as const;
const ETH = { asset: 'ETH', network: 'base' } as const;
const targets = [
  { id: 'deposited', kind: 'routed', ...BTC },
  { id: 'announced', kind: 'routed', ...ETH },
] as Target[];
const expired = { status: 'expired', payAsset: 'ETH', payNetwork: 'base' } as Payment;

function order(targetId: string, coin: typeof BTC | typeof ETH, state: StoredOrder['state'], units: bigint | null) {
  return {
    targetId,
    payAsset: coin.asset,
    payNetwork: coin.network,
    state,
    depositedUnits: units,
  } as StoredOrder;
}

test('an expired payment shows the order with the money, and not a newer one that someone only announced', () => {
  const orders = [order('deposited', BTC, 'stuck', 83_412n), order('announced', ETH, 'seen', null)];
  expect(shownTarget({ payment: expired, targets, transfers: [] }, orders)?.id).toBe('deposited');
});

test('an expired payment shows the chosen order whose deposit is known', () => {
  const orders = [order('deposited', BTC, 'stuck', 83_412n), order('announced', ETH, 'seen', 5n)];
  expect(shownTarget({ payment: expired, targets, transfers: [] }, orders)?.id).toBe('announced');
});
