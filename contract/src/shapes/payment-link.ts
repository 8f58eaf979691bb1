import { Type, type Static } from '@sinclair/typebox';
import { component, exampleId, id, nullable, objectName, oneOf } from './schema.ts';
import {
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

export const PaymentLinkShape = component(
  'PaymentLink',
  Type.Object(
    {
      id: id('pl', 'The link.'),
      object: objectName('payment_link'),
      livemode,
      url: url(
        'What to share: a page that opens a session of its own for each customer.',
        `https://pay.example.com/pay/${exampleId('pl')}`,
      ),
      description: Type.String({ description: 'What the customer is told it is for.', examples: ['Workshop seat'] }),
      amount: displayAmount('What is charged each time.'),
      currency,
      payout_wallet_id: id('pp', 'Where the money settles.'),
      receive_asset: assetLabel('What the wallet receives.'),
      receive_network: networkLabel('Where it receives it.'),
      status: oneOf(['active', 'disabled'], {
        description: 'A disabled link takes no new payments.',
        examples: ['active'],
      }),
      payments: Type.Integer({
        minimum: 0,
        description: 'How many payments through it were ever paid.',
        examples: [0],
      }),
      order_id: orderId,
      metadata,
      success_url: nullable(Type.String(), {
        description: 'As it was sent.',
        examples: ['https://shop.example.com/thanks'],
      }),
      cancel_url: nullable(Type.String(), { description: 'As it was sent.', examples: [null] }),
      created_at: timestamp('When it was created.'),
    },
    { description: 'A checkout to share: each opening makes a session of its own.' },
  ),
);
export type PaymentLinkJson = Static<typeof PaymentLinkShape>;
