import { Type } from '@sinclair/typebox';
import { PAY_ASSETS } from '../assets.ts';
import { PAYMENT_STATUSES, ROUTES } from '../statuses.ts';
import { orderFields } from './order.ts';
import { component, exampleId, id, nullable, objectName, oneOf, described } from './schema.ts';
import { LIMITS, assetLabel, currency, displayAmount, livemode, networkLabel, timestamp, url } from './common.ts';

export const PaymentStatusShape = component(
  'PaymentStatus',
  oneOf(PAYMENT_STATUSES, described("Payment status. The session's status always matches.", 'paid')),
);

export const RouteTypeShape = component(
  'RouteType',
  oneOf(ROUTES, {
    description:
      '`direct`: paid in the payout asset on the payout network, with no fee. `routed`: converted by a route provider, with a 1.5% fee.',
    examples: ['direct'],
  }),
);

function signedAmount(description: string, example: string) {
  return Type.String({
    description,
    pattern: '^-?(0|[1-9][0-9]{0,8})(\\.[0-9]{1,2})?$',
    rule: 'a decimal string with at most two decimals, such as "24.50", or "-5.00" for a discount',
    examples: [example],
  });
}

export const LineItemShape = component(
  'LineItem',
  Type.Object(
    {
      name: Type.String({
        description: 'The name of the item.',
        minLength: 1,
        text: 'line',
        maxLength: LIMITS.lineItemNameLength,
        examples: ['Fern, potted'],
      }),
      quantity: Type.Integer({ description: 'The quantity.', minimum: 1, maximum: 999_999_999, examples: [2] }),
      amount: signedAmount('Total of the line in the display currency; negative for discounts.', '49.00'),
      unit_amount: Type.Optional(
        signedAmount(
          'Price of one unit. `quantity` × `unit_amount` must equal `amount`, and as soon as one line ' +
            "has it, all lines must add up to the session's `amount`.",
          '24.50',
        ),
      ),
    },
    { description: 'A line item of the order, shown to the customer.' },
  ),
);

export const DepositAddressShape = component(
  'CheckoutDepositAddress',
  Type.Object(
    {
      asset: assetLabel('The asset to send.'),
      network: networkLabel('The network to send it on.'),
      address: Type.String({
        description: "The address to send to. For a direct payment, the payout wallet's own address.",
        examples: ['0x52908400098527886E0F7030069857D2E4169EE7'],
      }),
      kind: RouteTypeShape,
      reference: Type.Optional(
        nullable(Type.String(), {
          description: 'The reference that the transfer should carry, if the network supports one.',
          examples: ['7vfCXTUXx5WJV5JADk17DUJ4ksgau7utNKj4b963voxs'],
        }),
      ),
    },
    { description: 'A target for a direct payment.' },
  ),
);

/** The keys of `accepted_assets`, as they are answered. */
export const ASSET_KEYS = PAY_ASSETS.map((entry) => entry.key);

const { order_id, ...order } = orderFields;

export const CheckoutSessionShape = component(
  'CheckoutSession',
  Type.Object(
    {
      id: id('cs', 'The session.'),
      object: objectName('checkout_session'),
      livemode,
      status: { ...PaymentStatusShape, examples: ['created'] },
      amount: displayAmount('The amount to charge.'),
      currency,
      payout_wallet_id: id('pp', 'The payout wallet that receives the funds.'),
      payment_link_id: nullable(id('pl', 'The link.'), described('The payment link that created it, if any.', null)),
      retry_of: nullable(id('cs', 'The session.'), {
        description:
          'The session of the same order that expired or failed, if its customer pressed *Try again*: each such ' +
          'session is tried again in one other at most.',
        examples: [null],
      }),
      order_id,
      description: nullable(Type.String(), described('Description shown to the customer.', 'Two ferns')),
      ...order,
      line_items: nullable(Type.Array(LineItemShape), {
        description: 'The line items of the order.',
        examples: [[{ name: 'Fern, potted', quantity: 2, amount: '49.00', unit_amount: '24.50' }]],
      }),
      accepted_assets: Type.Array(oneOf(ASSET_KEYS), {
        description: 'The assets that the customer may pay with.',
        examples: [['USDC_BASE', 'ETH_ETHEREUM']],
      }),
      reference: Type.String({
        description: 'On-chain reference: a Solana Pay reference or memo on Solana, a calldata tag on EVM networks.',
        examples: ['7vfCXTUXx5WJV5JADk17DUJ4ksgau7utNKj4b963voxs'],
      }),
      deposit_addresses: Type.Array(DepositAddressShape, {
        description: 'Direct targets only. Routed targets are created when the customer chooses one.',
      }),
      checkout_url: url(
        'The hosted page to send the customer to.',
        `https://pay.example.com/checkout/${exampleId('cs')}`,
      ),
      machine_url: nullable(Type.String(), {
        description:
          'URL at which programs pay by HTTP 402. Null if they cannot: the session is paid in ETH, only ' +
          'by conversion, or in test mode in USDT.',
        examples: [`https://pay.example.com/checkout/${exampleId('cs')}/pay`],
      }),
      payment: nullable(id('pay', 'The payment.'), {
        description: 'The payment ID, once the customer has started to pay or a transfer counts toward it.',
        examples: [null],
      }),
      success_url: nullable(Type.String(), {
        description: 'The value you sent.',
        examples: ['https://shop.example.com/thanks?session={CHECKOUT_SESSION_ID}'],
      }),
      cancel_url: nullable(Type.String(), described('The value you sent.', 'https://shop.example.com/cart')),
      created_at: timestamp('When it was created.'),
      expires_at: nullable(Type.String({ format: 'date-time' }), {
        description: 'When the session expires. After this, create a new session.',
        examples: ['2026-03-14T10:26:53.589Z'],
      }),
    },
    { description: 'One checkout: the amount to charge, the order it is for, and the payout wallet.' },
  ),
);
