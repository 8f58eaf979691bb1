import type { ReceiveNetwork } from '@quittance/contract';
import type { Db } from '../../platform/db/db.ts';
import type { StoredOrder } from '../../settlement/records/route-order-store.ts';

export async function receiveNetworkOf(
  db: Db,
  order: StoredOrder,
): Promise<{ network: ReceiveNetwork; address: string }> {
  const [row] = await db.query<{ receive_network: ReceiveNetwork; receive_address: string }>(
    'receive_network_of',
    `
    select s.receive_network, s.receive_address from checkout_sessions s where s.payment_id = $1`,
    [order.paymentId],
  );
  return { network: row?.receive_network ?? 'ethereum', address: row?.receive_address ?? '' };
}
