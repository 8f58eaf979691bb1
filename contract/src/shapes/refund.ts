import { Type, type Static } from '@sinclair/typebox';
import { REFUND_FAILURES, REFUND_STATUSES } from '../statuses.ts';
import { component, id, nullable, objectName, oneOf } from './schema.ts';
import { assetAmount, assetLabel, currency, displayAmount, livemode, networkLabel, timestamp } from './common.ts';

const CUSTOMER = '0x8617E340B3D01FA5F11F306F4090FD50E238070D';
const TX_HASH = '0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060';

export const RefundStatusShape = component(
  'RefundStatus',
  oneOf(REFUND_STATUSES, {
    description:
      '`planned`: not sent yet. `sent`: you named its transaction, which is not verified yet. `final`: the ' +
      'money was returned. `requested` is reserved.',
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
      to: nullable(Type.String(), { description: 'The address that it was sent to.', examples: [CUSTOMER] }),
    },
    { description: 'The transfer that the transaction makes instead.' },
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
        description: 'The address that it is sent to; null if you recorded a refund without one.',
        examples: [CUSTOMER],
      }),
      reason: nullable(Type.String(), { description: 'The reason, if you gave one.', examples: ['Paid too much'] }),
      tx_hash: nullable(Type.String(), {
        description: 'Its transaction; null until you name it.',
        examples: [TX_HASH],
      }),
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
      failure_reason: nullable(oneOf(REFUND_FAILURES), {
        description: 'Why it is `failed`: no money moved.',
        examples: [null],
      }),
      created_at: timestamp('When it was created.'),
    },
    { description: 'Money that goes back to the customer from your own wallet.' },
  ),
);
export type RefundJson = Static<typeof RefundShape>;
