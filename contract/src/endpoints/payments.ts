import { Type } from '@sinclair/typebox';
import { endpoint } from '../endpoint.ts';
import { PaymentStatusShape, RouteTypeShape } from '../shapes/checkout-session.ts';
import { amountInput, instantInput, LIMITS, pageQuery } from '../shapes/common.ts';
import { PaymentShape, PaymentTimelineShape } from '../shapes/payment.ts';
import { pathId } from '../shapes/schema.ts';

const tag = 'Payments';
const params = pathId('pay', 'The payment.');

export const listPayments = endpoint({
  operationId: 'listPayments',
  method: 'GET',
  path: '/v1/payments',
  tag,
  summary: 'List the payments',
  description:
    'Newest first. Payments that were never started and never received money are left out unless you filter by status.',
  auth: 'credential',
  scope: 'payments:read',
  query: Type.Object({
    status: Type.Optional(PaymentStatusShape),
    route: Type.Optional(RouteTypeShape),
    created_after: Type.Optional(instantInput('Only payments created at or after this instant.')),
    created_before: Type.Optional(instantInput('Only payments created before this instant.')),
    ...pageQuery(20),
  }),
  success: { status: 200, data: PaymentShape, envelope: 'list', description: 'A page of payments.' },
  invalid: 'invalid_list_request',
});

export const getPayment = endpoint({
  operationId: 'getPayment',
  method: 'GET',
  path: '/v1/payments/{id}',
  tag,
  summary: 'Read a payment',
  description: "Known from the session's first event on.",
  auth: 'credential',
  scope: 'payments:read',
  params,
  success: { status: 200, data: PaymentShape, envelope: 'object', description: 'The payment.' },
  invalid: 'invalid_request',
  errors: ['not_found'],
});

export const recordRefund = endpoint({
  operationId: 'recordRefund',
  method: 'POST',
  path: '/v1/payments/{id}/refund',
  tag,
  summary: 'Record a refund',
  description:
    'Money goes back from your own wallet; this only records that it did. The payment becomes `refunded`. Recording a second one changes nothing.',
  auth: 'credential',
  scope: 'payments:write',
  params,
  body: Type.Object({
    amount: Type.Optional(
      amountInput('What was given back, in the display currency; all of it where this is left out.'),
    ),
    address: Type.Optional(
      Type.String({
        description: 'Where it was sent to.',
        minLength: 1,
        maxLength: 200,
        examples: ['0x8617E340B3D01FA5F11F306F4090FD50E238070D'],
      }),
    ),
    reason: Type.Optional(
      Type.String({
        description: 'Why; kept with the payment.',
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

export const acceptPayment = endpoint({
  operationId: 'acceptPayment',
  method: 'POST',
  path: '/v1/payments/{id}/accept',
  tag,
  summary: 'Accept a short or late payment',
  description:
    'Takes what arrived in the payout wallet as payment: `refund_required` becomes `paid`. A paid one is answered unchanged.',
  auth: 'login',
  params,
  success: { status: 200, data: PaymentShape, envelope: 'object', description: 'The payment, paid.' },
  invalid: 'invalid_request',
  errors: ['not_found', 'invalid_payment_state'],
  idempotent: true,
});

export const getPaymentTimeline = endpoint({
  operationId: 'getPaymentTimeline',
  method: 'GET',
  path: '/v1/payments/{id}/timeline',
  tag,
  summary: 'Read what happened to a payment',
  description: 'Statuses, targets, transfers, quotes, webhook attempts and the refund, oldest first.',
  auth: 'credential',
  scope: 'payments:read',
  params,
  success: { status: 200, data: PaymentTimelineShape, envelope: 'object', description: 'The timeline.' },
  invalid: 'invalid_request',
  errors: ['not_found'],
});
