import { Type, type Static } from '@sinclair/typebox';
import { FAILURE_REASONS, SETTLEMENT_ALERT_TYPES } from '../statuses.ts';
import { PaymentStatusShape, RouteTypeShape } from './checkout-session.ts';
import { orderFields } from './order.ts';
import { component, id, nullable, objectName, oneOf, described } from './schema.ts';
import {
  assetAmount,
  assetLabel,
  caip2Label,
  caip10Label,
  caip19Label,
  currency,
  displayAmount,
  livemode,
  networkLabel,
  timestamp,
} from './common.ts';

export const RecordedRefundShape = component(
  'RecordedRefund',
  Type.Object(
    {
      amount: displayAmount('The refunded amount.'),
      address: nullable(Type.String(), {
        description: 'The address the refund was sent to, if you recorded one.',
        examples: ['0x8617E340B3D01FA5F11F306F4090FD50E238070D'],
      }),
      reason: nullable(Type.String(), described('The reason, if you gave one.', 'Out of stock')),
      created_at: timestamp('When it was recorded.'),
    },
    { description: 'The refund with which the payment became `refunded`.' },
  ),
);

export const SettlementAlertShape = component(
  'SettlementAlert',
  Type.Object(
    {
      type: oneOf(SETTLEMENT_ALERT_TYPES, {
        description: '`transfer_disappeared`: a transfer that was final is no longer on the chain.',
        examples: ['transfer_disappeared'],
      }),
      tx_hash: Type.String({
        description: 'The transaction of the transfer.',
        examples: ['0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060'],
      }),
      detected_at: timestamp('When it was detected.'),
    },
    {
      description:
        'Something that happened to the money of a payment after it was final. Check the chain before you ship.',
    },
  ),
);

/** The fields of a payment; an event's `data` has them too. */
export const paymentFields = {
  id: id('pay', 'The payment.'),
  object: objectName('payment'),
  livemode,
  status: PaymentStatusShape,
  sequence: Type.Integer({
    minimum: 1,
    description:
      'Increases by one with each event of the payment. The higher value is newer, between events with the same `created_at`.',
    examples: [3],
  }),
  route: RouteTypeShape,
  amount: displayAmount('The amount charged.'),
  currency,
  pay_asset: assetLabel('The asset that the customer pays with. Until one is chosen, the payout asset.'),
  pay_network: networkLabel('The network that the customer pays on.'),
  ...orderFields,
  description: nullable(Type.String(), {
    description: 'The description of the session.',
    examples: ['Workshop seat'],
  }),
  payout_wallet_id: id('pp', 'The payout wallet that receives the funds.'),
  payment_link_id: nullable(id('pl', 'The link.'), described('The payment link that created it, if any.', null)),
  receive_asset: assetLabel('The asset that the payout wallet receives.'),
  receive_network: networkLabel(
    'The network that the wallet receives it on. If you assigned a transfer that arrived on another one, the network of that transfer.',
  ),
  receive_address: Type.String({
    description: "The payout wallet's address when the session was created.",
    examples: ['0x52908400098527886E0F7030069857D2E4169EE7'],
  }),
  session: nullable(id('cs', 'The session.'), { description: 'The checkout session of the payment.' }),
  reference: nullable(Type.String(), {
    description: "The session's on-chain reference.",
    examples: ['7vfCXTUXx5WJV5JADk17DUJ4ksgau7utNKj4b963voxs'],
  }),
  expected_output: nullable(assetAmount('The expected payout amount.'), {
    description: 'The expected amount, in the payout asset.',
    examples: ['49.000000'],
  }),
  actual_output: nullable(assetAmount('The amount received.'), {
    description: 'The amount received, in the payout asset, once it is final.',
    examples: ['49.000000'],
  }),
  net_settlement: displayAmount(
    'The amount minus the service fee: what a payment in full brings. `actual_output` is what arrived.',
  ),
  service_fee: displayAmount('`0.00` for direct payments, 1.5% of the amount for routed payments.', '0.00'),
  tx_hashes: Type.Array(Type.String(), {
    description: 'The transactions that settled the payment; empty until then.',
    examples: [['0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060']],
  }),
  failure_reason: nullable(oneOf(FAILURE_REASONS), described('Why it failed or needs a refund.', null)),
  refund: nullable(RecordedRefundShape, {
    description: 'The refund that you recorded, or the sum of those that made the payment `refunded`.',
    examples: [null],
  }),
  received_amount: nullable(displayAmount('The value of `actual_output`.'), {
    description: "The value of `actual_output` in the display currency, by the payment's own rate, rounded down.",
    examples: ['49.00'],
  }),
  surplus: displayAmount(
    'By how much `received_amount` is above what was due. `0.00` also if only the last digits that identify the payment are.',
    '0.00',
  ),
  refunded_amount: displayAmount(
    'The sum of the refunds that are final, and of what you recorded as refunded.',
    '0.00',
  ),
  refunds: Type.Array(id('rf', 'A refund.'), {
    description: 'Its refunds, oldest first, in every status. `GET /v1/payments/{id}/refunds` lists them.',
    examples: [[]],
  }),
  settlement_alert: nullable(SettlementAlertShape, {
    description:
      'Set if the money of the payment is in doubt after it was final, which no network should allow. The status does not change.',
    examples: [null],
  }),
  network_caip2: caip2Label('`receive_network` in CAIP-2. In test mode no transaction exists on it.'),
  asset_caip19: caip19Label('`receive_asset` in CAIP-19.'),
  receive_address_caip10: caip10Label('`receive_address` in CAIP-10.'),
  created_at: timestamp('When its session was created.'),
};

export const PaymentShape = component(
  'Payment',
  Type.Object(paymentFields, { description: 'The money side of a checkout session.' }),
);
export type PaymentJson = Static<typeof PaymentShape>;

export const TIMELINE_ENTRY_TYPES = ['status', 'target', 'transfer', 'quote', 'webhook', 'refund'] as const;

export const TimelineEntryShape = component(
  'TimelineEntry',
  Type.Object(
    {
      type: oneOf(TIMELINE_ENTRY_TYPES, {
        description:
          'The kind of entry: a status change, an assigned payment target, a transfer, a route quote, a webhook attempt or a refund.',
        examples: ['status'],
      }),
      at: timestamp('When it happened.'),
      summary: Type.String(described('One-sentence summary of the entry.', 'The payment became paid.')),
      data: Type.Record(Type.String(), Type.Unknown(), {
        description: 'Details that depend on `type`, such as transaction, block, confirmations, providers or rate.',
        examples: [{ status: 'paid', sequence: 3 }],
      }),
    },
    { description: "An entry in a payment's timeline." },
  ),
);
export type TimelineEntryJson = Static<typeof TimelineEntryShape>;

export const PaymentTimelineShape = component(
  'PaymentTimeline',
  Type.Object(
    {
      payment: id('pay', 'The payment.'),
      entries: Type.Array(TimelineEntryShape, { description: 'Oldest first.' }),
    },
    { description: 'The history of a payment, in order.' },
  ),
);
export type PaymentTimelineJson = Static<typeof PaymentTimelineShape>;
