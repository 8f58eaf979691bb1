import { Type, type Static } from '@sinclair/typebox';
import { PAY_ASSETS } from '../assets.ts';
import { PAYMENT_STATUSES, ROUTES } from '../statuses.ts';
import { component, exampleId, id, nullable, objectName, oneOf } from './schema.ts';
import {
  LIMITS,
  assetLabel,
  currency,
  displayAmount,
  livemode,
  metadata,
  networkLabel,
  orderId,
  timestamp,
  url,
} from './common.ts';

export const PaymentStatusShape = component(
  'PaymentStatus',
  oneOf(PAYMENT_STATUSES, {
    description: 'Where a payment stands. Its session always stands at the same.',
    examples: ['paid'],
  }),
);

export const RouteTypeShape = component(
  'RouteType',
  oneOf(ROUTES, {
    description:
      '`direct`: paid in the payout asset on the payout network, no fee. `routed`: converted on the way, 1.5 %.',
    examples: ['direct'],
  }),
);

export const LineItemShape = component(
  'LineItem',
  Type.Object(
    {
      name: Type.String({
        description: 'What it is.',
        minLength: 1,
        maxLength: LIMITS.lineItemNameLength,
        examples: ['Fern, potted'],
      }),
      quantity: Type.Integer({ description: 'How many.', minimum: 1, maximum: 999_999_999, examples: [2] }),
      amount: Type.String({
        description: 'Its price in the display currency; a discount is negative. Shown, not added up.',
        pattern: '^-?(0|[1-9][0-9]{0,8})(\\.[0-9]{1,2})?$',
        rule: 'a decimal string with at most two decimals, such as "24.50", or "-5.00" for a discount',
        examples: ['24.50'],
      }),
    },
    { description: 'A line of the order, shown to the customer.' },
  ),
);
export type LineItemJson = Static<typeof LineItemShape>;

export const DepositAddressShape = component(
  'CheckoutDepositAddress',
  Type.Object(
    {
      asset: assetLabel('What to send.'),
      network: networkLabel('Where to send it.'),
      address: Type.String({
        description: 'Where to send it to; of a direct payment this is the payout wallet itself.',
        examples: ['0x52908400098527886E0F7030069857D2E4169EE7'],
      }),
      kind: RouteTypeShape,
      reference: Type.Optional(
        nullable(Type.String(), {
          description: 'The reference that the transfer should carry, where the chain can.',
          examples: ['7vfCXTUXx5WJV5JADk17DUJ4ksgau7utNKj4b963voxs'],
        }),
      ),
    },
    { description: 'Where a direct payment can be sent.' },
  ),
);
export type DepositAddressJson = Static<typeof DepositAddressShape>;

/** The keys of `accepted_assets`, as they are answered. */
export const ASSET_KEYS = PAY_ASSETS.map((entry) => entry.key);

export const CheckoutSessionShape = component(
  'CheckoutSession',
  Type.Object(
    {
      id: id('cs', 'The session.'),
      object: objectName('checkout_session'),
      livemode,
      status: { ...PaymentStatusShape, examples: ['created'] },
      amount: displayAmount('What is charged.'),
      currency,
      payout_wallet_id: id('pp', 'Where the money settles.'),
      payment_link_id: nullable(id('pl', 'The link.'), {
        description: 'The payment link it was opened by, if any.',
        examples: [null],
      }),
      order_id: orderId,
      description: nullable(Type.String(), {
        description: 'What the customer is told it is for.',
        examples: ['Two ferns'],
      }),
      metadata,
      line_items: nullable(Type.Array(LineItemShape), {
        description: 'The lines of the order.',
        examples: [[{ name: 'Fern, potted', quantity: 2, amount: '24.50' }]],
      }),
      accepted_assets: Type.Array(oneOf(ASSET_KEYS), {
        description: 'What the customer may pay with.',
        examples: [['USDC_BASE', 'ETH_ETHEREUM']],
      }),
      reference: Type.String({
        description:
          'Its mark on the chain: a Solana Pay reference or memo, and the tag of transfers on Ethereum and its kin.',
        examples: ['7vfCXTUXx5WJV5JADk17DUJ4ksgau7utNKj4b963voxs'],
      }),
      deposit_addresses: Type.Array(DepositAddressShape, {
        description: 'Direct targets only. Routed ones are made when the customer chooses one.',
      }),
      checkout_url: url('Where to send the customer.', `https://pay.example.com/checkout/${exampleId('cs')}`),
      payment: nullable(id('pay', 'The payment.'), {
        description: 'The payment, once the customer has started to pay or money has counted for it.',
        examples: [null],
      }),
      success_url: nullable(Type.String(), {
        description: 'As it was sent.',
        examples: ['https://shop.example.com/thanks?session={CHECKOUT_SESSION_ID}'],
      }),
      cancel_url: nullable(Type.String(), {
        description: 'As it was sent.',
        examples: ['https://shop.example.com/cart'],
      }),
      created_at: timestamp('When it was created.'),
      expires_at: nullable(Type.String({ format: 'date-time' }), {
        description: 'After this a new session is needed.',
        examples: ['2026-03-14T10:26:53.589Z'],
      }),
    },
    { description: 'One checkout: what is charged, for what, and where the money goes.' },
  ),
);
export type CheckoutSessionJson = Static<typeof CheckoutSessionShape>;
