import { Type } from '@sinclair/typebox';
import { endpoint } from '../endpoint.ts';
import { amountInput, assetInput, networkInput } from '../shapes/common.ts';
import { RouteQuoteShape } from '../shapes/quote.ts';
import { exampleId, oneOf } from '../shapes/schema.ts';
import { CURRENCIES } from '../statuses.ts';

export const getRouteQuote = endpoint({
  operationId: 'getRouteQuote',
  method: 'GET',
  path: '/v1/routes/quote',
  tag: 'Routes',
  summary: 'Preview a payment',
  description:
    'What a customer would pay in an asset of their choice, our fee, and what would arrive. Send either a `session`, or a `payout_wallet_id` and an `amount`.',
  auth: 'credential',
  scope: 'quotes:read',
  query: Type.Object({
    pay_asset: assetInput('What the customer would pay.', 'ETH'),
    pay_network: networkInput('Where the customer would pay it.', 'ethereum'),
    session: Type.Optional(
      Type.String({
        description: 'A checkout session: amount and payout asset are its own.',
        minLength: 1,
        maxLength: 100,
        examples: [exampleId('cs')],
      }),
    ),
    payout_wallet_id: Type.Optional(
      Type.String({
        description: 'Where the money would settle.',
        minLength: 1,
        maxLength: 100,
        examples: [exampleId('pp')],
      }),
    ),
    amount: Type.Optional(amountInput('What would be charged.')),
    currency: Type.Optional(
      oneOf(CURRENCIES, { description: 'The currency of `amount`.', default: 'USD', examples: ['USD'] }),
    ),
  }),
  success: { status: 200, data: RouteQuoteShape, envelope: 'object', description: 'The quote.' },
  invalid: 'invalid_route',
  errors: ['service_unavailable'],
});
