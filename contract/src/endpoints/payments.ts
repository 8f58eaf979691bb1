import { Type } from '@sinclair/typebox';
import { endpoint } from '../endpoint.ts';
import { PaymentStatusShape, RouteTypeShape } from '../shapes/checkout-session.ts';
import { amountInput, instantInput, LIMITS, pageQuery } from '../shapes/common.ts';
import { PaymentShape, PaymentTimelineShape } from '../shapes/payment.ts';
import { idInput, oneOf, pathId } from '../shapes/schema.ts';
import { BALANCES } from '../statuses.ts';

const tag = 'Payments';
const params = pathId('pay', 'The payment.');

const listPayments = endpoint({
  method: 'GET',
  path: '/v1/payments',
  tag,
  summary: 'List payments',
  description:
    'Newest first. Payments that were never started and never received funds are omitted unless you filter by status.',
  auth: 'credential',
  scope: 'payments:read',
  query: Type.Object({
    status: Type.Optional(PaymentStatusShape),
    route: Type.Optional(RouteTypeShape),
    balance: Type.Optional(
      oneOf(BALANCES, {
        description:
          '`overpaid`: only payments that are paid with a `surplus` that you have not returned. `partly_refunded`: ' +
          'only others of which you returned a part, without making them `refunded`.',
        examples: ['overpaid'],
      }),
    ),
    payment_link_id: Type.Optional(idInput('pl', 'Only payments of this link.')),
    customer_reference: Type.Optional(
      Type.String({
        description: 'Only payments with this `customer.reference`.',
        minLength: 1,
        maxLength: LIMITS.customerReferenceLength,
        examples: ['customer-1042'],
      }),
    ),
    customer_email: Type.Optional(
      Type.String({
        description: 'Only payments with this `customer.email`, in upper or lower case.',
        minLength: 1,
        maxLength: LIMITS.emailLength,
        examples: ['kim@example.com'],
      }),
    ),
    created_after: Type.Optional(instantInput('Only payments created at or after this time.')),
    created_before: Type.Optional(instantInput('Only payments created before this time.')),
    ...pageQuery(20),
  }),
  success: { status: 200, data: PaymentShape, envelope: 'list', description: 'A page of payments.' },
  invalid: 'invalid_list_request',
});

const getPayment = endpoint({
  method: 'GET',
  path: '/v1/payments/{id}',
  tag,
  summary: 'Retrieve a payment',
  description: "Available from the session's first event.",
  auth: 'credential',
  scope: 'payments:read',
  params,
  success: { status: 200, data: PaymentShape, envelope: 'object', description: 'The payment.' },
  errors: ['not_found'],
});

const recordRefund = endpoint({
  method: 'POST',
  path: '/v1/payments/{id}/refund',
  tag,
  summary: 'Record a refund',
  description:
    'Records a refund that you sent from your own wallet. No funds are moved. The payment becomes ' +
    '`refunded`. No-op if a refund is already recorded.',
  auth: 'credential',
  scope: 'payments:write',
  params,
  body: Type.Object({
    amount: Type.Optional(amountInput('The refunded amount in the display currency. Defaults to the full amount.')),
    address: Type.Optional(
      Type.String({
        description: 'The address that the refund was sent to.',
        text: 'line',
        minLength: 1,
        maxLength: 200,
        examples: ['0x8617E340B3D01FA5F11F306F4090FD50E238070D'],
      }),
    ),
    reason: Type.Optional(
      Type.String({
        description: 'The reason, stored with the payment.',
        text: 'lines',
        maxLength: LIMITS.refundReasonLength,
        examples: ['Out of stock'],
      }),
    ),
  }),
  bodyOptional: true,
  success: { status: 200, data: PaymentShape, envelope: 'object', description: 'The payment, refunded.' },
  invalid: 'invalid_refund',
  errors: ['not_found'],
  idempotent: true,
});

const acceptPayment = endpoint({
  method: 'POST',
  path: '/v1/payments/{id}/accept',
  tag,
  summary: 'Accept a short or late payment',
  description:
    'Accepts the amount that arrived in the payout wallet as full payment: `refund_required` becomes ' +
    '`paid`. No-op if the payment is already paid.',
  auth: 'login',
  params,
  success: { status: 200, data: PaymentShape, envelope: 'object', description: 'The payment, paid.' },
  errors: ['not_found', 'invalid_payment_state'],
  idempotent: true,
});

const getPaymentTimeline = endpoint({
  method: 'GET',
  path: '/v1/payments/{id}/timeline',
  tag,
  summary: "Retrieve a payment's timeline",
  description: 'Status changes, payment targets, transfers, quotes, webhook attempts and the refund, oldest first.',
  auth: 'credential',
  scope: 'payments:read',
  params,
  success: { status: 200, data: PaymentTimelineShape, envelope: 'object', description: 'The timeline.' },
  errors: ['not_found'],
});

export const paymentEndpoints = { listPayments, getPayment, recordRefund, acceptPayment, getPaymentTimeline };
