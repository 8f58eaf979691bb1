import { Type } from '@sinclair/typebox';
import { endpoint } from '../endpoint.ts';
import { amountInput, assetInput, networkInput } from '../shapes/common.ts';
import { RouteQuoteShape } from '../shapes/quote.ts';
import { oneOf, idInput } from '../shapes/schema.ts';
import { CURRENCIES } from '../statuses.ts';

const getRouteQuote = endpoint({
  method: 'GET',
  path: '/v1/routes/quote',
  tag: 'Routes',
  summary: 'Preview a payment',
  description:
    'Returns what a customer would pay in a given asset, the service fee, and the amount you would ' +
    'receive. Send either `session`, or `payout_wallet_id` and `amount`.',
  auth: 'credential',
  scope: 'quotes:read',
  query: Type.Object({
    pay_asset: assetInput('The asset that the customer would pay with.', 'ETH'),
    pay_network: networkInput('The network that the customer would pay on.', 'ethereum'),
    session: Type.Optional(idInput('cs', 'A checkout session, whose amount and payout asset are used.')),
    payout_wallet_id: Type.Optional(idInput('pp', 'The payout wallet that would receive the funds.')),
    amount: Type.Optional(amountInput('The amount to charge.')),
    currency: Type.Optional(
      oneOf(CURRENCIES, { description: 'The currency of `amount`.', default: 'USD', examples: ['USD'] }),
    ),
  }),
  success: { status: 200, data: RouteQuoteShape, envelope: 'object', description: 'The quote.' },
  invalid: 'invalid_route',
  errors: ['service_unavailable'],
});

export const quoteEndpoints = { getRouteQuote };
