import { Type, type Static } from '@sinclair/typebox';
import { RouteTypeShape } from './checkout-session.ts';
import { component, id, nullable } from './schema.ts';
import { assetAmount, assetLabel, displayAmount, livemode, networkLabel, timestamp } from './common.ts';

export const RouteQuoteShape = component(
  'RouteQuote',
  Type.Object(
    {
      id: id('qt', 'The quote.'),
      livemode,
      type: RouteTypeShape,
      provider: Type.String({
        description:
          'Who converts: a route provider, `direct` where nobody has to, `indicative` where no provider answered and the figure is only a guide.',
        examples: ['one-click'],
      }),
      pay_asset: assetLabel('What the customer pays.', 'ETH'),
      pay_network: networkLabel('Where the customer pays it.', 'ethereum'),
      pay_amount: assetAmount('How much the customer pays.', '0.019600000000000000'),
      fee_pct: Type.Unsafe<0 | 1.5>({
        type: 'number',
        enum: [0, 1.5],
        description: 'Our fee in percent: 0 direct, 1.5 routed.',
        examples: [1.5],
      }),
      service_fee: displayAmount('Our fee in the display currency.', '0.74'),
      expected_output: Type.String({
        description: 'What the payout wallet should receive, with its asset.',
        examples: ['48.260000 USDC'],
      }),
      price_warning_pct: nullable(Type.Number(), {
        description:
          'By how many percent what the customer pays is worth more than what the wallet receives, where that is above the operator’s limit (5 % by default). Show it to the customer before they pay. Null where the price is usual.',
        examples: [null],
      }),
      expires_in: Type.Integer({ minimum: 0, description: 'Seconds it is worth something.', examples: [90] }),
      expires_at: timestamp('When it ends.', '2026-03-14T09:28:23.589Z'),
    },
    { description: 'What a payment would cost and bring.' },
  ),
);
export type RouteQuoteJson = Static<typeof RouteQuoteShape>;
