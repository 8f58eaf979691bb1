import type { ReceiveNetwork } from '@quittance/contract';
import type { Db } from '../../platform/db/db.ts';
import type { StoredOrder } from '../../settlement/records/route-order-store.ts';

export async function receiveNetworkOf(
  db: Db,
  order: StoredOrder,
): Promise<{ network: ReceiveNetwork; address: string }> {
  const [row] = await db.query<{ receiveNetwork: ReceiveNetwork; receiveAddress: string }>(
    'receive_network_of',
    `
    select s.receive_network, s.receive_address from checkout_sessions s where s.payment_id = $1`,
    [order.paymentId],
  );
  return { network: row?.receiveNetwork ?? 'ethereum', address: row?.receiveAddress ?? '' };
}
