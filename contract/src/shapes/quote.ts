import { Type } from '@sinclair/typebox';
import { RouteTypeShape } from './checkout-session.ts';
import { component, id, nullable, described } from './schema.ts';
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
          'The route provider; `direct` if no conversion is needed; `indicative` if no provider responded and the amounts are estimates.',
        examples: ['one-click'],
      }),
      pay_asset: assetLabel('The asset that the customer pays with.', 'ETH'),
      pay_network: networkLabel('The network that the customer pays on.', 'ethereum'),
      pay_amount: assetAmount('The amount that the customer pays.', '0.019600000000000000'),
      fee_pct: Type.Unsafe<0 | 1.5>({
        type: 'number',
        enum: [0, 1.5],
        description: 'Service fee in percent: 0 for direct payments, 1.5 for routed payments.',
        examples: [1.5],
      }),
      service_fee: displayAmount('Service fee in the display currency.', '0.74'),
      expected_output: Type.String(described('The expected payout, as amount and asset.', '48.260000 USDC')),
      price_warning_pct: nullable(Type.Number(), {
        description:
          'Surplus that the customer pays over what the wallet receives, in percent, if above the ' +
          'operator’s limit (5% by default). Show it to the customer before they pay. Null otherwise.',
        examples: [null],
      }),
      expires_in: Type.Integer({ minimum: 0, description: 'Seconds until the quote expires.', examples: [90] }),
      expires_at: timestamp('When the quote expires.', '2026-03-14T09:28:23.589Z'),
    },
    { description: 'Cost of a payment for the customer, and the amount that you would receive.' },
  ),
);
