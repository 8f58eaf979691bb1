import { Type } from '@sinclair/typebox';
import { endpoint } from '../endpoint.ts';
import { CheckoutSessionShape, LineItemShape } from '../shapes/checkout-session.ts';
import { amountInput, LIMITS, metadataInput, urlInput } from '../shapes/common.ts';
import { exampleId, oneOf, pathId } from '../shapes/schema.ts';
import { CURRENCIES } from '../statuses.ts';

const tag = 'Checkout sessions';

export const createCheckoutSession = endpoint({
  operationId: 'createCheckoutSession',
  method: 'POST',
  path: '/v1/checkout/sessions',
  tag,
  summary: 'Create a checkout session',
  description:
    'Send the customer to its `checkout_url`. The money can only settle to a payout wallet you saved; an address in the request is ignored. Fulfil on the `payment.paid` webhook or after reading the session, not on the redirect alone.',
  auth: 'credential',
  scope: 'sessions:write',
  body: Type.Object({
    payout_wallet_id: Type.Optional(
      Type.String({
        description: 'Where the money settles; the default wallet where it is left out.',
        minLength: 1,
        maxLength: 100,
        examples: [exampleId('pp')],
      }),
    ),
    amount: amountInput('What to charge: 0.01 to 999999999.99, at most two decimals.'),
    currency: Type.Optional(
      oneOf(CURRENCIES, {
        description: 'The display currency. Left out: USD, or what the account has set.',
        examples: ['USD'],
      }),
    ),
    order_id: Type.Optional(
      Type.String({
        description: 'Your own order number, echoed on the payment and in webhooks.',
        maxLength: LIMITS.orderIdLength,
        examples: ['order-1042'],
      }),
    ),
    description: Type.Optional(
      Type.String({
        description: 'What the customer is told it is for.',
        maxLength: LIMITS.descriptionLength,
        examples: ['Two ferns'],
      }),
    ),
    metadata: Type.Optional(metadataInput),
    line_items: Type.Optional(
      Type.Array(LineItemShape, {
        description: 'The lines of the order, shown to the customer.',
        maxItems: LIMITS.lineItems,
        examples: [[{ name: 'Fern, potted', quantity: 2, amount: '24.50' }]],
      }),
    ),
    accepted_assets: Type.Optional(
      Type.Array(Type.String({ maxLength: 40 }), {
        description:
          'What the customer may pay with, as `ASSET_NETWORK`. Left out: everything on the Safe List, or what the account has set.',
        minItems: 1,
        maxItems: 100,
        examples: [['USDC_BASE', 'ETH_ETHEREUM']],
      }),
    ),
    accepted_assets_mode: Type.Optional(
      oneOf(['all_supported', 'custom'], {
        description:
          '`custom` takes the list above, and is meant where a list is sent without a mode. `all_supported` takes everything.',
        examples: ['custom'],
      }),
    ),
    expires_in: Type.Optional(
      Type.Integer({
        description: 'Seconds until it expires: a minute to 30 days. Left out: 3600, or what the account has set.',
        minimum: LIMITS.expiresInLeastSeconds,
        maximum: LIMITS.expiresInMostSeconds,
        examples: [3600],
      }),
    ),
    success_url: Type.Optional(
      urlInput(
        'Where the customer goes once it is paid: https, or http on localhost. `{CHECKOUT_SESSION_ID}` in it is replaced.',
        'https://shop.example.com/thanks?session={CHECKOUT_SESSION_ID}',
      ),
    ),
    cancel_url: Type.Optional(urlInput('Where the customer goes who gives up.', 'https://shop.example.com/cart')),
  }),
  success: { status: 201, data: CheckoutSessionShape, envelope: 'object', description: 'The session is created.' },
  invalid: 'invalid_checkout_session',
  idempotent: true,
});

export const getCheckoutSession = endpoint({
  operationId: 'getCheckoutSession',
  method: 'GET',
  path: '/v1/checkout/sessions/{id}',
  tag,
  summary: 'Read a checkout session',
  description:
    'With its current status and, once the customer has started to pay or money has counted for it, the id of its payment.',
  auth: 'credential',
  scope: 'sessions:read',
  params: pathId('cs', 'The session.'),
  success: { status: 200, data: CheckoutSessionShape, envelope: 'object', description: 'The session.' },
  invalid: 'invalid_request',
  errors: ['not_found'],
});
