import type { OpenApiDocument, Parameter } from './document.ts';
import { exampleId } from '../shapes/schema.ts';
import { EVENT_MEANINGS, EventShapes } from '../shapes/webhook.ts';
import { type PaymentStatus, WEBHOOK_EVENT_TYPES, type WebhookEventType } from '../statuses.ts';
import { RESPONSE_TIMEOUT_SECONDS } from '../webhook-schedule.ts';
import { exampleOf, type Components } from './schema.ts';

/** What we send to merchants' endpoints, type by type. */
export function webhooksOf(components: Components): OpenApiDocument['webhooks'] {
  return Object.fromEntries(
    WEBHOOK_EVENT_TYPES.map((type) => [
      type,
      {
        post: {
          operationId: `on${words(type)}`,
          tags: ['Webhooks'],
          summary: type,
          description: `${EVENT_MEANINGS[type]}\n\n${DELIVERY}`,
          security: [],
          parameters: SIGNATURE_HEADERS,
          requestBody: {
            required: true,
            content: {
              'application/json': {
                schema: components.use(EventShapes[type]),
                examples: { event: { summary: type, value: exampleEvent(type) } },
              },
            },
          },
          responses: {
            '2XX': {
              description: `Acknowledged. Any other status, or no response within ${RESPONSE_TIMEOUT_SECONDS} seconds, triggers a retry.`,
            },
          },
        },
      },
    ]),
  );
}

/** An event of the type whose object stands as the type says. */
function exampleEvent(type: WebhookEventType): unknown {
  const event = exampleOf(EventShapes[type]) as { data: Record<string, unknown> };
  const [noun, state] = type.split('.') as [string, string];
  if (noun === 'refund') Object.assign(event.data, REFUND_EXAMPLES[state]);
  else completePayment(event, state as PaymentStatus);
  return event;
}

const REFUND_EXAMPLES: Record<string, object> = {
  created: {},
  final: { status: 'final', sequence: 2, tx_hash: `0x${'5c'.repeat(32)}`, verified: true },
  failed: { status: 'failed', sequence: 2, tx_hash: `0x${'5c'.repeat(32)}`, failure_reason: 'transaction_reverted' },
};

function completePayment(event: { data: Record<string, unknown> }, status: PaymentStatus): void {
  const settled = status === 'paid' || status === 'refunded' || status === 'refund_required';
  const routed = status === 'routing' || status === 'settling';
  Object.assign(event.data, { status, sequence: SEQUENCES[status] });
  if (!settled) Object.assign(event.data, { actual_output: null, received_amount: null, tx_hash: null, tx_hashes: [] });
  if (status === 'created') Object.assign(event.data, { expected_output: null });
  if (routed)
    Object.assign(event.data, {
      route: 'routed',
      pay_asset: 'ETH',
      pay_network: 'ethereum',
      service_fee: '0.74',
      net_settlement: '48.26',
      expected_output: '48.260000',
    });
  if (status === 'refund_required')
    Object.assign(event.data, {
      failure_reason: 'underpaid',
      actual_output: '12.500000',
      received_amount: '12.50',
    });
  if (status === 'failed') Object.assign(event.data, { failure_reason: 'transaction_reverted' });
  if (status === 'refunded')
    Object.assign(event.data, {
      refund: { amount: '49.00', address: null, reason: 'Out of stock', created_at: '2026-03-15T08:00:00.000Z' },
      refunded_amount: '49.00',
      refunds: [exampleId('rf')],
    });
}

const SEQUENCES: Record<PaymentStatus, number> = {
  created: 1,
  pending: 2,
  routing: 3,
  settling: 4,
  paid: 3,
  failed: 3,
  expired: 3,
  refund_required: 3,
  refunded: 4,
};

const DELIVERY =
  'Events may arrive more than once and out of order. Ignore event IDs that you know, and for each ' +
  'payment or refund ID keep the event with the latest `data.created_at`, then the highest `sequence`.';

const SIGNATURE_HEADERS: Parameter[] = [
  {
    name: 'Service-Signature',
    in: 'header',
    required: true,
    description:
      "`t=<unix seconds>,v1=<hex>`: HMAC-SHA256 of `<t>.<raw body>`, keyed with the endpoint's whole " +
      'secret, including `whsec_`. While a rotated secret overlaps, there are two `v1` values.',
    schema: { type: 'string' },
    example: `t=1773480413,v1=${'5c'.repeat(32)}`,
  },
  {
    name: 'webhook-id',
    in: 'header',
    required: true,
    description: 'The event ID, in the format of Standard Webhooks.',
    schema: { type: 'string' },
    example: exampleId('evt'),
  },
  {
    name: 'webhook-timestamp',
    in: 'header',
    required: true,
    description: 'Unix time in seconds when it was signed.',
    schema: { type: 'string' },
    example: '1773480413',
  },
  {
    name: 'webhook-signature',
    in: 'header',
    required: true,
    description:
      'The Standard Webhooks signatures of the same body, separated by spaces: `v1` (HMAC-SHA256), and ' +
      '`v1a` (Ed25519) for an endpoint with `asymmetric_signature`.',
    schema: { type: 'string' },
    example: 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  },
  {
    name: 'Service-Audience',
    in: 'header',
    required: false,
    description:
      '`endpoint=<we_…>,v1a=<hex>`: Ed25519 over `<endpoint>.<webhook-id>.<webhook-timestamp>.<raw ' +
      'body>`, for an endpoint with `asymmetric_signature`. It names the endpoint, so that what ' +
      'another endpoint was sent is no use here.',
    schema: { type: 'string' },
    example: `endpoint=${exampleId('we')},v1a=${'5c'.repeat(64)}`,
  },
];

function words(type: WebhookEventType): string {
  return type
    .split(/[._]/)
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join('');
}
