import type { ErrorCode, OrderFields } from '@quittance/contract';
import { requireEmailAddress } from '../../platform/email-address.ts';
import type { Customer } from '../../settlement/records/customer.ts';
import type { Order } from '../../settlement/records/order.ts';

/** The order of a request that the contract's schema let through. */
export function readOrder(fields: OrderFields, code: ErrorCode): Order {
  return {
    orderId: fields.order_id ?? null,
    metadata: fields.metadata ?? {},
    customer: readCustomer(fields.customer, code),
  };
}

/** The customer to store; null if no field says anything. */
function readCustomer(fields: OrderFields['customer'], code: ErrorCode): Customer | null {
  if (fields === undefined) return null;
  const customer = {
    email: fields.email === undefined ? null : requireEmailAddress(fields.email, 'customer.email', code),
    name: fields.name ?? null,
    reference: fields.reference ?? null,
  };
  return customer.email === null && customer.name === null && customer.reference === null ? null : customer;
}
