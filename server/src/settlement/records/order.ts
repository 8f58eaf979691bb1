import { columnNames, type Columns } from '../../platform/db/columns.ts';
import type { Customer } from './customer.ts';

/** What a merchant says of an order: with a session or a payment link. Payments and their events show it. */
export interface Order {
  orderId: string | null;
  metadata: Record<string, string>;
  customer: Customer | null;
  /** What the customer pays for, as their page shows it. */
  description: string | null;
}

/** Its columns, in `checkout_sessions` and in `payment_links`. */
export const ORDER_COLUMNS = {
  orderId: 'text',
  metadata: 'jsonb',
  customer: 'jsonb',
  description: 'text',
} as const satisfies Columns<Order>;

/** With `s` as the name of the sessions. */
export const ORDER_OF_SESSION = columnNames(ORDER_COLUMNS, 's.');

/** The order alone, of what has one. */
export function orderOf({ orderId, metadata, customer, description }: Order): Order {
  return { orderId, metadata, customer, description };
}

/** The order as the API shows it. */
export function presentOrder({ orderId, metadata, customer, description }: Order) {
  return { order_id: orderId, metadata, customer, description };
}
