import { Type, type Static, type TSchema } from '@sinclair/typebox';
import { EVENT_TYPES, REFUND_EVENT_TYPES, WEBHOOK_EVENT_TYPES, type WebhookEventType } from '../statuses.ts';
import { SCHEDULE_WORDS } from '../webhook-schedule.ts';
import { paymentFields } from './payment.ts';
import { RefundShape } from './refund.ts';
import { component, exampleId, id, nullable, objectName, oneOf, described } from './schema.ts';
import { livemode, timestamp } from './common.ts';

export const EventTypeShape = component(
  'WebhookEventType',
  oneOf(WEBHOOK_EVENT_TYPES, described('One type per payment status, and three types of refunds.', 'payment.paid')),
);

const webhookEndpoint = {
  id: id('we', 'The endpoint.'),
  object: objectName('webhook_endpoint'),
  livemode,
  url: Type.String({
    description: 'The URL that events are sent to.',
    format: 'uri',
    examples: ['https://shop.example.com/webhooks'],
  }),
  events: Type.Array(EventTypeShape, {
    description: 'The event types sent to this endpoint.',
    examples: [['payment.paid', 'payment.refund_required']],
  }),
  status: oneOf(['active', 'disabled'], {
    description: `An endpoint is disabled when all ${SCHEDULE_WORDS.attempts} attempts of a delivery have failed.`,
    examples: ['active'],
  }),
  delivery_status: Type.Object(
    {
      pending: Type.Integer({
        minimum: 0,
        description: 'Deliveries waiting for their next attempt, including parked ones.',
        examples: [0],
      }),
      uncollected: Type.Integer({
        minimum: 0,
        description:
          'Events that were counted and not queued, because too many deliveries were waiting already. They are listed by `GET /v1/events`.',
        examples: [0],
      }),
      last_outcome: nullable(oneOf(['delivered', 'failed']), {
        description: 'Outcome of the latest attempt; null before the first.',
        examples: ['delivered'],
      }),
      last_response_code: nullable(Type.Integer(), {
        description: 'HTTP status of the latest attempt; null if there was no response.',
        examples: [200],
      }),
      last_error: nullable(Type.String(), {
        description: 'Why the latest attempt got no response, such as `connection_refused`; null if it got one.',
        examples: [null],
      }),
      last_attempt_at: nullable(Type.String({ format: 'date-time' }), {
        description: 'When the latest attempt was made.',
        examples: ['2026-03-14T09:26:53.589Z'],
      }),
      recent_delivered: Type.Integer({
        minimum: 0,
        description: 'Number of its latest 100 deliveries that succeeded.',
        examples: [97],
      }),
      recent_failed: Type.Integer({
        minimum: 0,
        description: 'Number of its latest 100 deliveries that have failed so far.',
        examples: [1],
      }),
      average_duration_ms: nullable(Type.Integer({ minimum: 0 }), {
        description: 'Average response time of the latest deliveries that were answered, in milliseconds.',
        examples: [84],
      }),
    },
    { description: 'Delivery statistics of the endpoint.' },
  ),
  asymmetric_signature: Type.Optional(
    Type.Boolean({
      description:
        'True if its deliveries also carry signatures that the keys at `jwks_url` verify: `v1a` and `Service-Audience`.',
      examples: [true],
    }),
  ),
  jwks_url: Type.Optional(
    Type.String({
      description: 'The public keys of the account in this mode. Present with `asymmetric_signature`.',
      examples: [`https://pay.example.com/.well-known/jwks/${exampleId('acc')}/test.json`],
    }),
  ),
  created_at: timestamp('When it was created.'),
};

export const WebhookEndpointShape = component(
  'WebhookEndpoint',
  Type.Object(webhookEndpoint, { description: 'A URL on your server that receives events.' }),
);
export type WebhookEndpointJson = Static<typeof WebhookEndpointShape>;

export const WebhookEndpointWithSecretShape = component(
  'WebhookEndpointWithSecret',
  Type.Object(
    {
      ...webhookEndpoint,
      secret: Type.String({
        description: 'The secret that signs deliveries. Returned only once.',
        pattern: '^whsec_[A-Za-z0-9+/]{32}$',
        examples: ['whsec_ZXhhbXBsZS1leGFtcGxlLWV4YW1wbGUh'],
      }),
    },
    { description: 'A webhook endpoint with a newly created secret.' },
  ),
);
export type WebhookEndpointWithSecretJson = Static<typeof WebhookEndpointWithSecretShape>;

export const WebhookTestShape = component(
  'WebhookTest',
  Type.Object(
    {
      delivered: Type.Boolean(described('Whether the endpoint responded with a 2xx status.', true)),
      response_code: Type.Integer({
        minimum: 0,
        description: 'The HTTP status of the response; 0 if there was none.',
        examples: [200],
      }),
    },
    { description: 'The result of the sample delivery.' },
  ),
);

export const EventDataShape = component(
  'EventData',
  Type.Object(
    {
      ...paymentFields,
      tx_hash: nullable(Type.String(), {
        description: 'The transaction that completed the payment; null until then.',
        examples: ['0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060'],
      }),
    },
    { description: 'The payment at the time of the event, plus the hash of the transaction that completed it.' },
  ),
);

const eventFields = {
  id: id('evt', 'The event ID. It is the same in every attempt, so use it to deduplicate events.'),
  created: timestamp('When it happened.'),
  sample: Type.Optional(
    Type.Literal(true, {
      description:
        'Set on samples of `POST /v1/webhooks/test`: no such payment or refund exists. Never act on a sample.',
      examples: [true],
    }),
  ),
};

export const EventShape = component(
  'Event',
  Type.Object(
    {
      id: eventFields.id,
      type: EventTypeShape,
      created: eventFields.created,
      sample: eventFields.sample,
      data: Type.Union([EventDataShape, RefundShape], {
        description: 'The payment at the time of the event; for the types of refunds, the refund.',
      }),
    },
    { description: 'A change of a payment or a refund, exactly as delivered.' },
  ),
);
export type EventJson = Static<typeof EventShape>;

/** The meaning of each event type. */
export const EVENT_MEANINGS: Record<WebhookEventType, string> = {
  'payment.created':
    'A checkout session was created, or the customer of a payment link made their first choice. Nothing has been paid yet.',
  'payment.pending': 'The customer has started to pay. The transfer is pending.',
  'payment.routing': "The customer's asset is being converted into the payout asset.",
  'payment.settling': 'The converted funds are on their way to the payout wallet.',
  'payment.paid': 'The funds are final in the payout wallet. Fulfill the order.',
  'payment.failed': 'The payment could not be completed.',
  'payment.expired': 'The customer did not pay before the session expired.',
  'payment.refund_required': 'Funds arrived but do not settle the payment. Accept or refund them.',
  'payment.refunded': 'You returned the amount of the payment, or recorded that you did.',
  'refund.created': 'A refund was created. Nothing has been returned yet.',
  'refund.final': 'The money was returned, or you recorded that it was.',
  'refund.failed': 'The transaction of the refund moved no money. Its amount is free again.',
};

/** The payload of one type of event, for the document's webhooks. */
export const EventShapes = Object.fromEntries([
  ...EVENT_TYPES.map((type) => [type, eventOf(type, EventDataShape)]),
  ...REFUND_EVENT_TYPES.map((type) => [type, eventOf(type, RefundShape)]),
]) as Record<WebhookEventType, ReturnType<typeof eventOf>>;

function eventOf(type: WebhookEventType, data: TSchema) {
  const name = type
    .split(/[._]/)
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join('');
  return component(
    `${name}Event`,
    Type.Object(
      {
        id: eventFields.id,
        type: Type.Literal(type),
        created: eventFields.created,
        sample: eventFields.sample,
        data,
      },
      { description: EVENT_MEANINGS[type] },
    ),
  );
}

export const DELIVERY_STATES = ['pending', 'parked', 'delivered', 'failed', 'cancelled'] as const;

const delivery = {
  id: id('dlv', 'The delivery.'),
  object: objectName('webhook_delivery'),
  livemode,
  endpoint_id: id('we', 'The endpoint of the delivery.'),
  event_id: id('evt', 'The event that it delivers.'),
  event_type: EventTypeShape,
  status: oneOf(DELIVERY_STATES, {
    description:
      `\`parked\`: waits until its endpoint is enabled again. \`failed\`: all ${SCHEDULE_WORDS.attempts} ` +
      `attempts failed. \`cancelled\`: its endpoint was deleted.`,
    examples: ['delivered'],
  }),
  attempt_count: Type.Integer({ minimum: 0, description: 'Number of scheduled attempts made.', examples: [1] }),
  last_response_code: nullable(Type.Integer(), {
    description: 'HTTP status of the latest attempt; null if there was no response.',
    examples: [200],
  }),
  last_error: nullable(Type.String(), described('Why the latest attempt got no response; null if it got one.', null)),
  next_attempt_at: nullable(Type.String({ format: 'date-time' }), described('When the next attempt is due.', null)),
  created_at: timestamp('When it was recorded.'),
  finished_at: nullable(Type.String({ format: 'date-time' }), {
    description: 'When it was delivered, or failed for the last time. Null until then, and if it was cancelled first.',
    examples: ['2026-03-14T09:26:54.012Z'],
  }),
};

export const WebhookDeliveryShape = component(
  'WebhookDelivery',
  Type.Object(delivery, { description: 'The delivery of one event to one endpoint.' }),
);
export type WebhookDeliveryJson = Static<typeof WebhookDeliveryShape>;

export const DeliveryAttemptShape = component(
  'DeliveryAttempt',
  Type.Object(
    {
      id: id('att', 'The attempt.'),
      number: Type.Integer({ minimum: 1, description: 'The number of the attempt, starting at 1.', examples: [1] }),
      kind: oneOf(['scheduled', 'manual'], {
        description: '`scheduled` for automatic attempts, `manual` for redeliveries that you requested.',
        examples: ['scheduled'],
      }),
      outcome: oneOf(['delivered', 'failed'], described('The outcome of the attempt.', 'delivered')),
      response_code: nullable(Type.Integer(), described('HTTP status of the response; null if there was none.', 200)),
      response_body: nullable(Type.String(), described('The beginning of the response body.', 'ok')),
      error: nullable(Type.String(), described('Why there was no response.', null)),
      duration_ms: Type.Integer({
        minimum: 0,
        description: 'Duration in milliseconds. 0 if nothing was sent because the URL has no public address.',
        examples: [34],
      }),
      attempted_at: timestamp('When the attempt was made.'),
    },
    { description: 'One attempt to deliver an event.' },
  ),
);
export type DeliveryAttemptJson = Static<typeof DeliveryAttemptShape>;

export const WebhookDeliveryDetailShape = component(
  'WebhookDeliveryDetail',
  Type.Object(
    {
      ...delivery,
      attempts: Type.Array(DeliveryAttemptShape, { description: 'Oldest first.' }),
    },
    { description: 'A delivery and all its attempts.' },
  ),
);
export type WebhookDeliveryDetailJson = Static<typeof WebhookDeliveryDetailShape>;

export const RedeliveryShape = component(
  'Redelivery',
  Type.Object(
    {
      redelivered: Type.Integer({ minimum: 0, description: 'Number of deliveries requeued.', examples: [12] }),
    },
    { description: 'Redelivery summary.' },
  ),
);
