import { Type } from '@sinclair/typebox';
import { endpoint } from '../endpoint.ts';
import { CheckoutSessionShape, LineItemShape } from '../shapes/checkout-session.ts';
import { amountInput, LIMITS, urlInput } from '../shapes/common.ts';
import { orderInput } from '../shapes/order.ts';
import { oneOf, pathId, idInput, described } from '../shapes/schema.ts';
import { CURRENCIES } from '../statuses.ts';

const tag = 'Checkout sessions';

const { order_id, ...order } = orderInput({
  orderId: 'Your own order number, returned on the payment and in webhooks.',
  example: 'order-1042',
  customer: 'The customer. Never shown on the checkout page. `{}` counts as absent.',
});

const createCheckoutSession = endpoint({
  method: 'POST',
  path: '/v1/checkout/sessions',
  tag,
  summary: 'Create a checkout session',
  description:
    'Send the customer to its `checkout_url`. Funds can only settle to a payout wallet that you saved; ' +
    'an address in the request is ignored. Fulfill the order on the `payment.paid` webhook or after ' +
    'retrieving the session, not on the redirect alone.',
  auth: 'credential',
  scope: 'sessions:write',
  body: Type.Object({
    payout_wallet_id: Type.Optional(
      idInput('pp', 'The payout wallet that receives the funds. Defaults to the default wallet.'),
    ),
    amount: amountInput('The amount to charge: 0.01 to 999999999.99, with at most two decimals.'),
    currency: Type.Optional(
      oneOf(CURRENCIES, described("The display currency. Defaults to the account's currency, or USD.", 'USD')),
    ),
    order_id,
    description: Type.Optional(
      Type.String({
        description: 'Description shown to the customer.',
        text: 'lines',
        maxLength: LIMITS.descriptionLength,
        examples: ['Two ferns'],
      }),
    ),
    ...order,
    line_items: Type.Optional(
      Type.Array(LineItemShape, {
        description: 'The line items of the order, shown to the customer.',
        maxItems: LIMITS.lineItems,
        examples: [[{ name: 'Fern, potted', quantity: 2, amount: '49.00', unit_amount: '24.50' }]],
      }),
    ),
    accepted_assets: Type.Optional(
      Type.Array(Type.String({ maxLength: 40 }), {
        description:
          "Assets that the customer may pay with, as `ASSET_NETWORK`. Defaults to the account's setting, or all supported assets.",
        minItems: 1,
        maxItems: 100,
        examples: [['USDC_BASE', 'ETH_ETHEREUM']],
      }),
    ),
    accepted_assets_mode: Type.Optional(
      oneOf(['all_supported', 'custom'], {
        description:
          '`custom` accepts the assets in `accepted_assets`, and is the default when you send that list. ' +
          '`all_supported` accepts every supported asset.',
        examples: ['custom'],
      }),
    ),
    expires_in: Type.Optional(
      Type.Integer({
        description:
          "Seconds until the session expires, from 60 to 2592000 (30 days). Defaults to the account's setting, or 3600.",
        minimum: LIMITS.expiresInLeastSeconds,
        maximum: LIMITS.expiresInMostSeconds,
        examples: [3600],
      }),
    ),
    success_url: Type.Optional(
      urlInput(
        'URL that customers return to after they pay: https, or http on localhost. ' +
          "`{CHECKOUT_SESSION_ID}` is replaced with the session's ID.",
        'https://shop.example.com/thanks?session={CHECKOUT_SESSION_ID}',
      ),
    ),
    cancel_url: Type.Optional(
      urlInput('URL that customers return to if they cancel.', 'https://shop.example.com/cart'),
    ),
  }),
  success: { status: 201, data: CheckoutSessionShape, envelope: 'object', description: 'The created session.' },
  invalid: 'invalid_checkout_session',
  idempotent: true,
});

const getCheckoutSession = endpoint({
  method: 'GET',
  path: '/v1/checkout/sessions/{id}',
  tag,
  summary: 'Retrieve a checkout session',
  description:
    'Returns the session with its current status and, once the customer has started to pay or a transfer counts toward it, the payment ID.',
  auth: 'credential',
  scope: 'sessions:read',
  params: pathId('cs', 'The session.'),
  success: { status: 200, data: CheckoutSessionShape, envelope: 'object', description: 'The session.' },
  errors: ['not_found'],
});

export const checkoutSessionEndpoints = { createCheckoutSession, getCheckoutSession };
