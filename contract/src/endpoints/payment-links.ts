import { Type } from '@sinclair/typebox';
import { endpoint } from '../endpoint.ts';
import { amountInput, LIMITS, pageQuery, urlInput } from '../shapes/common.ts';
import { orderInput } from '../shapes/order.ts';
import { linkTermsInput, PaymentLinkShape } from '../shapes/payment-link.ts';
import { nullable, oneOf, pathId, idInput, described } from '../shapes/schema.ts';
import { CURRENCIES } from '../statuses.ts';

const tag = 'Payment links';
const params = pathId('pl', 'The payment link.');

const linkDescription = Type.String({
  description: 'Description shown to the customer.',
  minLength: 1,
  text: 'lines',
  maxLength: LIMITS.descriptionLength,
  examples: ['Workshop seat'],
});

const createPaymentLink = endpoint({
  method: 'POST',
  path: '/v1/payment-links',
  tag,
  summary: 'Create a payment link',
  description: 'A reusable URL to share with many customers. Each visit creates its own checkout session.',
  auth: 'credential',
  scope: 'links:write',
  body: Type.Object({
    payout_wallet_id: idInput('pp', 'The payout wallet that receives the funds.'),
    amount: amountInput('The amount to charge each time: 0.01 to 999999999.99, with at most two decimals.'),
    currency: oneOf(CURRENCIES, described('The display currency.', 'USD')),
    description: linkDescription,
    ...orderInput({
      orderId: 'Your own order number, returned on each payment and in webhooks.',
      example: 'workshop-7',
      customer: 'The customer of every session that the link opens. Leave it out for a link that many people use.',
    }),
    ...linkTermsInput,
    success_url: Type.Optional(
      urlInput(
        'URL that customers return to after they pay: https, or http on localhost.',
        'https://shop.example.com/thanks',
      ),
    ),
    cancel_url: Type.Optional(
      urlInput('URL that customers return to if they cancel.', 'https://shop.example.com/workshops'),
    ),
  }),
  success: {
    status: 201,
    data: PaymentLinkShape,
    envelope: 'object',
    description: 'The created link, which is active.',
  },
  invalid: 'invalid_payment_link',
  idempotent: true,
});

const listPaymentLinks = endpoint({
  method: 'GET',
  path: '/v1/payment-links',
  tag,
  summary: 'List payment links',
  description: 'Newest first.',
  auth: 'credential',
  scope: 'links:read',
  query: Type.Object(pageQuery()),
  success: { status: 200, data: PaymentLinkShape, envelope: 'list', description: 'A page of links.' },
  invalid: 'invalid_list_request',
});

const getPaymentLink = endpoint({
  method: 'GET',
  path: '/v1/payment-links/{id}',
  tag,
  summary: 'Retrieve a payment link',
  auth: 'credential',
  scope: 'links:read',
  params,
  success: { status: 200, data: PaymentLinkShape, envelope: 'object', description: 'The link.' },
  errors: ['not_found'],
});

const disablePaymentLink = endpoint({
  method: 'POST',
  path: '/v1/payment-links/{id}/disable',
  tag,
  summary: 'Disable a payment link',
  description:
    'Disabled links accept no new payments. Sessions that were already opened can still be paid. No-op if the link is already disabled.',
  auth: 'credential',
  scope: 'links:write',
  params,
  success: { status: 200, data: PaymentLinkShape, envelope: 'object', description: 'The link, disabled.' },
  invalid: 'invalid_payment_link',
  errors: ['not_found'],
  idempotent: true,
});

const enablePaymentLink = endpoint({
  method: 'POST',
  path: '/v1/payment-links/{id}/enable',
  tag,
  summary: 'Enable a payment link',
  description: 'The link accepts payments again. No-op if the link is already active.',
  auth: 'credential',
  scope: 'links:write',
  params,
  success: { status: 200, data: PaymentLinkShape, envelope: 'object', description: 'The link, active.' },
  invalid: 'invalid_payment_link',
  errors: ['not_found'],
  idempotent: true,
});

const updatePaymentLink = endpoint({
  method: 'PATCH',
  path: '/v1/payment-links/{id}',
  tag,
  summary: 'Update a payment link',
  description:
    'Updates only the fields you send. Send null to clear a field. Checkouts that were opened before stay as they are. ' +
    'The payout wallet and the currency cannot be changed.',
  auth: 'credential',
  scope: 'links:write',
  params,
  body: Type.Object({
    amount: Type.Optional(amountInput('The amount to charge each time, or to suggest.')),
    description: Type.Optional(linkDescription),
    order_id: Type.Optional(
      nullable(Type.String({ text: 'line', maxLength: LIMITS.orderIdLength }), {
        description: 'Your own order number, returned on each payment and in webhooks.',
        examples: ['workshop-8'],
      }),
    ),
    ...linkTermsInput,
    success_url: Type.Optional(
      nullable(urlInput('https, or http on localhost.', 'https://shop.example.com/thanks'), {
        description: 'URL that customers return to after they pay.',
      }),
    ),
    cancel_url: Type.Optional(
      nullable(urlInput('https, or http on localhost.', 'https://shop.example.com/workshops'), {
        description: 'URL that customers return to if they cancel.',
      }),
    ),
  }),
  success: { status: 200, data: PaymentLinkShape, envelope: 'object', description: 'The updated link.' },
  invalid: 'invalid_payment_link',
  errors: ['not_found'],
});

export const paymentLinkEndpoints = {
  createPaymentLink,
  updatePaymentLink,
  listPaymentLinks,
  getPaymentLink,
  disablePaymentLink,
  enablePaymentLink,
};
