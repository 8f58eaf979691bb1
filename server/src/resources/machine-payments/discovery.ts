/** Where programs learn how to pay here. Each checkout states its amount; none is listed. */
export const DISCOVERY_PATH = '/openapi.json';

const OFFERS = [
  { intent: 'charge', method: 'evm', amount: null, description: 'A token transfer of the exact amount that is asked.' },
  { intent: 'charge', method: 'solana', amount: null, description: 'A transfer of the exact amount that is asked.' },
];

/** An OpenAPI document of the payment endpoints for programs, with the extensions of the "Payment" HTTP scheme. */
export function discoveryDocument(publicUrl: string) {
  return {
    openapi: '3.1.0',
    info: { title: 'Quittance checkouts', version: '1.0.0' },
    servers: [{ url: publicUrl }],
    'x-service-info': { docs: { homepage: `${publicUrl}/docs`, apiReference: `${publicUrl}/v1/openapi.json` } },
    paths: {
      '/checkout/{id}/pay': { get: operation('payCheckout', 'Pay a checkout', 'The checkout: `cs_…`.') },
      '/pay/{id}': {
        post: {
          ...operation('payPaymentLink', 'Open a payment link and pay it', 'The payment link: `pl_…`.'),
          requestBody: { required: false, content: { 'application/json': { schema: { type: 'object' } } } },
        },
      },
    },
  };
}

function operation(operationId: string, summary: string, description: string) {
  return {
    operationId,
    summary,
    'x-payment-info': { offers: OFFERS },
    parameters: [{ name: 'id', in: 'path', required: true, description, schema: { type: 'string' } }],
    responses: {
      200: { description: 'Paid: the session and its receipt.' },
      202: { description: 'Money is on its way. Ask again after `Retry-After` seconds, and do not pay again.' },
      402: { description: 'Payment required: the challenges of both protocols.' },
      409: { description: 'Another credential for this checkout is being settled, or this one was used before.' },
      410: { description: 'The checkout is over.' },
    },
  };
}
