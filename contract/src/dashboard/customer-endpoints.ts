import { Type } from '@sinclair/typebox';
import { endpoint } from '../endpoint.ts';
import { LIMITS, pageQuery } from '../shapes/common.ts';
import { PaymentShape } from '../shapes/payment.ts';
import type { Currency } from '../statuses.ts';
import { common, object } from './endpoint-shape.ts';

/** A customer who has paid. The reference identifies them, or the email address without one. */
export interface CustomerFiguresJson {
  email: string | null;
  name: string | null;
  reference: string | null;
  /** How many of their payments are paid. */
  payments: number;
  /** The share of the price less fees that arrived, less refunds. */
  totals: { currency: Currency; amount: string }[];
  last_paid_at: string | null;
}

/** One of the two. */
const identity = {
  reference: Type.Optional(Type.String({ minLength: 1, maxLength: LIMITS.customerReferenceLength })),
  email: Type.Optional(Type.String({ minLength: 1, maxLength: LIMITS.emailLength })),
};

export const listCustomers = endpoint({
  ...common,
  operationId: 'dashboardCustomers',
  method: 'GET',
  path: '/dashboard/api/customers',
  query: Type.Object({ ...pageQuery(), q: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })) }),
  success: { status: 200, data: Type.Unsafe<CustomerFiguresJson>({}), envelope: 'list', description: '' },
  invalid: 'invalid_list_request',
});

export const readCustomer = endpoint({
  ...common,
  operationId: 'dashboardCustomer',
  method: 'GET',
  path: '/dashboard/api/customer',
  query: Type.Object(identity),
  success: object<CustomerFiguresJson>(),
  invalid: 'invalid_list_request',
  errors: ['not_found'],
});

export const listCustomerPayments = endpoint({
  ...common,
  operationId: 'dashboardCustomerPayments',
  method: 'GET',
  path: '/dashboard/api/customer/payments',
  query: Type.Object({ ...identity, ...pageQuery() }),
  success: { status: 200, data: PaymentShape, envelope: 'list', description: '' },
  invalid: 'invalid_list_request',
});
