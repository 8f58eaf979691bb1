import type { ErrorCode } from '@quittance/contract';
import { requireEmailAddress } from '../../platform/email-address.ts';
import type { Customer } from '../../settlement/records/customer.ts';

/** The customer in a request, after validation by the contract's schema. */
export interface CustomerFields {
  email?: string;
  name?: string;
  reference?: string;
}

/** The customer to store; null if no field says anything. */
export function readCustomer(fields: CustomerFields | undefined, code: ErrorCode): Customer | null {
  if (fields === undefined) return null;
  const customer = {
    email: fields.email === undefined ? null : requireEmailAddress(fields.email, 'customer.email', code),
    name: fields.name ?? null,
    reference: fields.reference ?? null,
  };
  return customer.email === null && customer.name === null && customer.reference === null ? null : customer;
}
