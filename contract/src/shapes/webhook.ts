import { Type, type Static } from '@sinclair/typebox';
import { EVENT_TYPES, type EventType } from '../statuses.ts';
import { paymentFields } from './payment.ts';
import { component, id, nullable, objectName, oneOf } from './schema.ts';
import { livemode, timestamp } from './common.ts';

export const EventTypeShape = component(
  'WebhookEventType',
  oneOf(EVENT_TYPES, {
    description: 'One type per payment status.',
    examples: ['payment.paid'],
  }),
);

const webhookEndpoint = {
  id: id('we', 'The endpoint.'),
  object: objectName('webhook_endpoint'),
  livemode,
  url: Type.String({
    description: 'Where events are sent to.',
    format: 'uri',
    examples: ['https://shop.example.com/webhooks'],
  }),
  events: Type.Array(EventTypeShape, {
    description: 'What it is told of.',
    examples: [['payment.paid', 'payment.refund_required']],
  }),
  status: oneOf(['active', 'disabled'], {
    description: 'Disabled after the sixth attempt of a delivery has failed.',
    examples: ['active'],
  }),
  delivery_status: Type.Object(
    {
      pending: Type.Integer({
        minimum: 0,
        description: 'Deliveries waiting for their next attempt, parked ones included.',
        examples: [0],
      }),
      uncollected: Type.Integer({
        minimum: 0,
        description:
          'Events that were counted and not queued, because too many deliveries were waiting already. They are listed by `GET /v1/events`.',
        examples: [0],
      }),
      last_outcome: nullable(oneOf(['delivered', 'failed']), {
        description: 'How the newest attempt went; null before the first.',
        examples: ['delivered'],
      }),
      last_response_code: nullable(Type.Integer(), {
        description: 'What the endpoint answered to it; null where it did not.',
        examples: [200],
      }),
      last_attempt_at: nullable(Type.String({ format: 'date-time' }), {
        description: 'When that was.',
        examples: ['2026-03-14T09:26:53.589Z'],
      }),
      recent_delivered: Type.Integer({
        minimum: 0,
        description: 'How many of its newest hundred deliveries have arrived.',
        examples: [97],
      }),
      recent_failed: Type.Integer({ minimum: 0, description: 'How many of them have failed so far.', examples: [1] }),
      average_duration_ms: nullable(Type.Integer({ minimum: 0 }), {
        description: 'How long it took to answer them, on average.',
        examples: [84],
      }),
    },
    { description: 'How deliveries to it are going.' },
  ),
  asymmetric_signature: Type.Optional(
    Type.Boolean({
      description:
        'True if its deliveries also carry a `v1a` signature, which the keys at `/.well-known/jwks.json` verify.',
      examples: [true],
    }),
  ),
  created_at: timestamp('When it was created.'),
};

export const WebhookEndpointShape = component(
  'WebhookEndpoint',
  Type.Object(webhookEndpoint, { description: 'An address of yours that is told of events.' }),
);
export type WebhookEndpointJson = Static<typeof WebhookEndpointShape>;

export const WebhookEndpointWithSecretShape = component(
  'WebhookEndpointWithSecret',
  Type.Object(
    {
      ...webhookEndpoint,
      secret: Type.String({
        description: 'What its deliveries are signed with, shown this once.',
        pattern: '^whsec_[A-Za-z0-9+/]{32}$',
        examples: ['whsec_ZXhhbXBsZS1leGFtcGxlLWV4YW1wbGUh'],
      }),
    },
    { description: 'A webhook endpoint at the moment its secret is made.' },
  ),
);
export type WebhookEndpointWithSecretJson = Static<typeof WebhookEndpointWithSecretShape>;

export const WebhookTestShape = component(
  'WebhookTest',
  Type.Object(
    {
      delivered: Type.Boolean({ description: 'Whether the endpoint answered with a 2xx status.', examples: [true] }),
      response_code: Type.Integer({
        minimum: 0,
        description: 'The status it answered; 0 where there was no answer.',
        examples: [200],
      }),
    },
    { description: 'How the sample was received.' },
  ),
);
export type WebhookTestJson = Static<typeof WebhookTestShape>;

export const EventDataShape = component(
  'EventData',
  Type.Object(
    {
      ...paymentFields,
      tx_hash: nullable(Type.String(), {
        description: 'The transaction that completed it; null until then.',
        examples: ['0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060'],
      }),
    },
    { description: 'The whole payment as it was at that moment, and the one hash that completed it.' },
  ),
);
export type EventDataJson = Static<typeof EventDataShape>;

const eventFields = {
  id: id('evt', 'The event. The same in every attempt: what you have seen before you may drop.'),
  created: timestamp('When it happened.'),
  data: EventDataShape,
};

export const EventShape = component(
  'Event',
  Type.Object(
    {
      id: eventFields.id,
      type: EventTypeShape,
      created: eventFields.created,
      data: eventFields.data,
    },
    { description: 'A change of a payment, exactly as it is delivered.' },
  ),
);
export type EventJson = Static<typeof EventShape>;

/** What each type of event tells. */
export const EVENT_MEANINGS: Record<EventType, string> = {
  'payment.created':
    'A checkout session was created, or the customer of a payment link made their first choice. Nothing has been paid yet.',
  'payment.pending': 'The customer has begun to pay; the money is awaited.',
  'payment.routing': "The customer's asset is being converted into the payout asset.",
  'payment.settling': 'The converted funds are on their way to the payout wallet.',
  'payment.paid': 'The funds are in the payout wallet for good. Fulfil the order.',
  'payment.failed': 'The payment could not be completed.',
  'payment.expired': 'The customer did not pay in time.',
  'payment.refund_required': 'Money arrived but does not settle the payment: accept it or give it back.',
  'payment.refunded': 'You gave the money back and recorded it.',
};

/** The payload of one type of event, for the document's webhooks. */
export const EventShapes: Record<EventType, ReturnType<typeof eventOf>> = Object.fromEntries(
  EVENT_TYPES.map((type) => [type, eventOf(type)]),
) as Record<EventType, ReturnType<typeof eventOf>>;

function eventOf(type: EventType) {
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
        data: eventFields.data,
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
  endpoint_id: id('we', 'Whom it is for.'),
  event_id: id('evt', 'What it tells of.'),
  event_type: EventTypeShape,
  status: oneOf(DELIVERY_STATES, {
    description:
      'Parked: waits until its endpoint is enabled again. Failed: six attempts are over. Cancelled: its endpoint was deleted.',
    examples: ['delivered'],
  }),
  attempt_count: Type.Integer({ minimum: 0, description: 'How often it has been tried on schedule.', examples: [1] }),
  last_response_code: nullable(Type.Integer(), {
    description: 'What the endpoint answered last; null where it did not.',
    examples: [200],
  }),
  next_attempt_at: nullable(Type.String({ format: 'date-time' }), {
    description: 'When it is tried next.',
    examples: [null],
  }),
  created_at: timestamp('When it was recorded.'),
  finished_at: nullable(Type.String({ format: 'date-time' }), {
    description: 'When it was delivered or given up.',
    examples: ['2026-03-14T09:26:54.012Z'],
  }),
};

export const WebhookDeliveryShape = component(
  'WebhookDelivery',
  Type.Object(delivery, { description: 'One event on its way to one endpoint.' }),
);
export type WebhookDeliveryJson = Static<typeof WebhookDeliveryShape>;

export const DeliveryAttemptShape = component(
  'DeliveryAttempt',
  Type.Object(
    {
      id: id('att', 'The attempt.'),
      number: Type.Integer({ minimum: 1, description: 'Which attempt it was.', examples: [1] }),
      kind: oneOf(['scheduled', 'manual'], {
        description: 'On schedule, or because you asked for it.',
        examples: ['scheduled'],
      }),
      outcome: oneOf(['delivered', 'failed'], { description: 'How it went.', examples: ['delivered'] }),
      response_code: nullable(Type.Integer(), {
        description: 'What the endpoint answered; null where it did not.',
        examples: [200],
      }),
      response_body: nullable(Type.String(), { description: 'The beginning of its answer.', examples: ['ok'] }),
      error: nullable(Type.String(), { description: 'Why there was no answer.', examples: [null] }),
      duration_ms: Type.Integer({ minimum: 0, description: 'How long it took.', examples: [34] }),
      attempted_at: timestamp('When it was made.'),
    },
    { description: 'One try to deliver an event.' },
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
      redelivered: Type.Integer({ minimum: 0, description: 'How many deliveries are tried again.', examples: [12] }),
    },
    { description: 'What was set going again.' },
  ),
);
export type RedeliveryJson = Static<typeof RedeliveryShape>;
