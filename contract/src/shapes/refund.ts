import { Type, type Static } from '@sinclair/typebox';
import { REFUND_FAILURES, REFUND_LINK_STATUSES, REFUND_STATUSES } from '../statuses.ts';
import { component, id, nullable, objectName, oneOf, described } from './schema.ts';
import { assetAmount, assetLabel, currency, displayAmount, livemode, networkLabel, timestamp, url } from './common.ts';

const CUSTOMER = '0x8617E340B3D01FA5F11F306F4090FD50E238070D';
const TX_HASH = '0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060';

export const RefundStatusShape = component(
  'RefundStatus',
  oneOf(REFUND_STATUSES, {
    description:
      '`requested`: the customer has not named an address yet, or you have not confirmed it. `planned`: not sent ' +
      'yet. `sent`: you named its transaction, which is not verified yet. `final`: the money was returned.',
    examples: ['planned'],
  }),
);

export const RefundMismatchShape = component(
  'RefundMismatch',
  Type.Object(
    {
      asset: nullable(assetLabel('The asset that was sent.'), {
        description: 'The asset that was sent to the address; null if the transaction moved nothing there.',
        examples: ['USDC'],
      }),
      coin_amount: nullable(assetAmount('The amount that was sent.', '9.000000'), {
        description: 'The amount that was sent.',
        examples: ['9.000000'],
      }),
      to: nullable(Type.String(), described('The address that it was sent to.', CUSTOMER)),
    },
    { description: 'The transfer that the transaction makes instead.' },
  ),
);

export const RefundLinkShape = component(
  'RefundLink',
  Type.Object(
    {
      status: oneOf(REFUND_LINK_STATUSES, {
        description:
          '`open`: the customer can name an address. `answered`: they did. `closed`: it has expired, or the ' +
          'refund was cancelled before.',
        examples: ['open'],
      }),
      url: nullable(url('The link.', 'https://pay.example.com/refund/'), {
        description: 'The link; only in the response that created it, because only its hash is stored.',
        examples: [null],
      }),
      expires_at: timestamp('Until when the customer can name an address.'),
      mailed_to: nullable(Type.String(), {
        description: 'The address that the link was mailed to; null if it was not, and once the refund has ended.',
        examples: ['kim@example.com'],
      }),
      address: nullable(Type.String(), described('The address that the customer named.', null)),
      proved: Type.Boolean({
        description: 'Whether the wallet that paid signed for it. Then you need not confirm it.',
        examples: [false],
      }),
      answered_at: nullable(timestamp('When the customer named it.'), { examples: [null] }),
    },
    { description: 'The link by which the customer names where the refund goes.' },
  ),
);

export const RefundShape = component(
  'Refund',
  Type.Object(
    {
      id: id('rf', 'The refund.'),
      object: objectName('refund'),
      livemode,
      payment: id('pay', 'The payment that it returns money of.'),
      status: RefundStatusShape,
      sequence: Type.Integer({
        minimum: 1,
        description: 'Increases by one with each event of the refund.',
        examples: [1],
      }),
      amount: displayAmount("The amount in the display currency, by the payment's own rate, rounded down.", '9.80'),
      currency,
      coin_amount: assetAmount('The exact amount to send.', '9.800000'),
      asset: assetLabel('The asset to send: the one that the payment brought.'),
      network: networkLabel('The network to send it on: the one that the payment arrived on.'),
      to: nullable(Type.String(), {
        description:
          'The address that it is sent to; null if you recorded a refund without one, and while it is `requested`.',
        examples: [CUSTOMER],
      }),
      reason: nullable(Type.String(), described('The reason, if you gave one.', 'Paid too much')),
      tx_hash: nullable(Type.String(), described('Its transaction; null until you name it.', TX_HASH)),
      verified: Type.Boolean({
        description:
          'Whether the RPC providers agree that this exact transfer is final. False for what you only recorded, ' +
          'and in test mode.',
        examples: [false],
      }),
      mismatch: nullable(RefundMismatchShape, {
        description:
          'Set while the transaction is on the chain but does not make this transfer. The refund stays `sent` ' +
          'and keeps its amount until you name the right transaction or cancel it.',
        examples: [null],
      }),
      link: nullable(RefundLinkShape, described('Set if the customer was asked by a link where to send it.', null)),
      failure_reason: nullable(oneOf(REFUND_FAILURES), described('Why it is `failed`: no money moved.', null)),
      created_at: timestamp('When it was created.'),
    },
    { description: 'Money that goes back to the customer from your own wallet.' },
  ),
);
export type RefundJson = Static<typeof RefundShape>;
