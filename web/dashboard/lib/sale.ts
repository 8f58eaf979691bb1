import { plain, shorten } from './format.ts';
import type { PaymentJson } from './types.ts';

type Sale = Pick<PaymentJson, 'id' | 'order_id' | 'description' | 'customer'>;

/** What to call a customer: the name, or what identifies them. */
export function nameOf({ name, email, reference }: NonNullable<Sale['customer']>): string {
  return plain(name ?? email ?? reference ?? '');
}

/** What was sold: the order number and the description, as far as there are any. */
export function itemOf({ order_id: order, description }: Pick<Sale, 'order_id' | 'description'>): string {
  return [order, description].flatMap((text) => (text ? plain(text) : [])).join(' · ');
}

/** Which payment it is, in one line: what was sold to whom, or its ID if neither is known. */
export function saleOf({ id, customer, ...sold }: Sale): string {
  const known = [customer ? nameOf(customer) : '', itemOf(sold)].filter((text) => text !== '');
  return known.length > 0 ? known.join(' · ') : shorten(id);
}
