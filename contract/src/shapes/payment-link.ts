import { Type, type Static } from '@sinclair/typebox';
import { orderFields } from './order.ts';
import { component, exampleId, id, nullable, objectName, oneOf } from './schema.ts';
import { assetLabel, currency, displayAmount, livemode, networkLabel, timestamp, url } from './common.ts';

export const PaymentLinkShape = component(
  'PaymentLink',
  Type.Object(
    {
      id: id('pl', 'The link.'),
      object: objectName('payment_link'),
      livemode,
      url: url(
        'The URL to share. Each visit creates a checkout session.',
        `https://pay.example.com/pay/${exampleId('pl')}`,
      ),
      description: Type.String({ description: 'Description shown to the customer.', examples: ['Workshop seat'] }),
      amount: displayAmount('The amount to charge each time.'),
      currency,
      payout_wallet_id: id('pp', 'The payout wallet that receives the funds.'),
      receive_asset: assetLabel('The asset that the wallet receives.'),
      receive_network: networkLabel('The network that the wallet receives it on.'),
      status: oneOf(['active', 'disabled'], {
        description: 'A disabled link accepts no new payments.',
        examples: ['active'],
      }),
      payments: Type.Integer({
        minimum: 0,
        description: 'Number of paid payments made through it.',
        examples: [0],
      }),
      ...orderFields,
      success_url: nullable(Type.String(), {
        description: 'The value you sent.',
        examples: ['https://shop.example.com/thanks'],
      }),
      cancel_url: nullable(Type.String(), { description: 'The value you sent.', examples: [null] }),
      created_at: timestamp('When it was created.'),
    },
    { description: 'A reusable URL that creates a checkout session for each customer.' },
  ),
);
export type PaymentLinkJson = Static<typeof PaymentLinkShape>;
