import { Type } from '@sinclair/typebox';
import { endpoint } from '../endpoint.ts';
import { deletedShape, pageQuery, timestamp } from '../shapes/common.ts';
import { oneOf, pathId, idInput, described } from '../shapes/schema.ts';
import {
  DELIVERY_STATES,
  EventShape,
  EventTypeShape,
  RedeliveryShape,
  WebhookDeliveryDetailShape,
  WebhookDeliveryShape,
  WebhookEndpointShape,
  WebhookEndpointWithSecretShape,
  WebhookTestShape,
} from '../shapes/webhook.ts';

const tag = 'Webhooks';
const params = pathId('we', 'The webhook endpoint.');

const createWebhookEndpoint = endpoint({
  method: 'POST',
  path: '/v1/webhook-endpoints',
  tag,
  summary: 'Create a webhook endpoint',
  description: 'The signing secret is returned only in this response.',
  auth: 'credential',
  scope: 'webhooks:write',
  body: Type.Object({
    url: Type.String({
      description: 'A publicly reachable https URL. An international host is stored as `xn--…`.',
      format: 'uri',
      minLength: 1,
      maxLength: 2048,
      examples: ['https://shop.example.com/webhooks'],
    }),
    events: Type.Array(EventTypeShape, {
      description: 'Event types to send. Duplicates are ignored.',
      minItems: 1,
      maxItems: 100,
      examples: [['payment.paid', 'payment.refund_required']],
    }),
    asymmetric_signature: Type.Optional(
      Type.Boolean({
        description:
          'Also sign with Ed25519 (`Service-Audience`, and `v1a` of Standard Webhooks), so that a ' +
          'receiver verifies with the public keys at `jwks_url` and holds no secret.',
        default: false,
        examples: [true],
      }),
    ),
  }),
  success: {
    status: 201,
    data: WebhookEndpointWithSecretShape,
    envelope: 'object',
    description: 'The endpoint, with its signing secret.',
  },
  invalid: 'invalid_webhook_endpoint',
  idempotent: true,
});

const listWebhookEndpoints = endpoint({
  method: 'GET',
  path: '/v1/webhook-endpoints',
  tag,
  summary: 'List webhook endpoints',
  description: 'Newest first, each with delivery statistics.',
  auth: 'credential',
  scope: 'webhooks:read',
  query: Type.Object(pageQuery()),
  success: { status: 200, data: WebhookEndpointShape, envelope: 'list', description: 'A page of endpoints.' },
  invalid: 'invalid_list_request',
});

const deleteWebhookEndpoint = endpoint({
  method: 'DELETE',
  path: '/v1/webhook-endpoints/{id}',
  tag,
  summary: 'Delete a webhook endpoint',
  description: 'Pending events are not delivered.',
  auth: 'credential',
  scope: 'webhooks:write',
  params,
  success: {
    status: 200,
    data: deletedShape('DeletedWebhookEndpoint', 'we'),
    envelope: 'object',
    description: 'Confirmation.',
  },
  errors: ['not_found'],
});

const enableWebhookEndpoint = endpoint({
  method: 'POST',
  path: '/v1/webhook-endpoints/{id}/enable',
  tag,
  summary: 'Enable a webhook endpoint',
  description:
    'Enables a disabled endpoint and sends the deliveries parked for it. No-op if the endpoint is already active.',
  auth: 'credential',
  scope: 'webhooks:write',
  params,
  success: { status: 200, data: WebhookEndpointShape, envelope: 'object', description: 'The active endpoint.' },
  errors: ['not_found'],
  idempotent: true,
});

const rotateWebhookSecret = endpoint({
  method: 'POST',
  path: '/v1/webhook-endpoints/{id}/rotate-secret',
  tag,
  summary: 'Rotate a signing secret',
  description: 'Deliveries are signed with both secrets during the overlap, so you can switch without missing events.',
  auth: 'credential',
  scope: 'webhooks:write',
  params,
  body: Type.Object({
    overlap_seconds: Type.Optional(
      Type.Integer({
        description: 'Seconds that the old secret stays valid, up to one week.',
        minimum: 0,
        maximum: 7 * 86_400,
        default: 86_400,
        examples: [3600],
      }),
    ),
  }),
  bodyOptional: true,
  success: {
    status: 200,
    data: WebhookEndpointWithSecretShape,
    envelope: 'object',
    description: 'The endpoint, with its new secret.',
  },
  invalid: 'invalid_webhook_endpoint',
  errors: ['not_found'],
  idempotent: true,
});

const testWebhook = endpoint({
  method: 'POST',
  path: '/v1/webhooks/test',
  tag,
  summary: 'Send a sample event',
  description: 'Sends one signed sample event immediately. No retries. Also answers at `/v1/webhook-endpoints/test`.',
  auth: 'credential',
  scope: 'webhooks:write',
  body: Type.Object({
    endpoint_id: idInput('we', 'The endpoint.'),
    event: EventTypeShape,
  }),
  success: { status: 200, data: WebhookTestShape, envelope: 'object', description: 'The result of the delivery.' },
  invalid: 'invalid_webhook_endpoint',
  errors: ['not_found'],
});

const listWebhookDeliveries = endpoint({
  method: 'GET',
  path: '/v1/webhook-endpoints/{id}/deliveries',
  tag,
  summary: 'List deliveries of an endpoint',
  description: 'Newest first.',
  auth: 'credential',
  scope: 'webhooks:read',
  params,
  query: Type.Object({
    ...pageQuery(),
    status: Type.Optional(oneOf(DELIVERY_STATES, described('Filter by delivery status.', 'failed'))),
  }),
  success: { status: 200, data: WebhookDeliveryShape, envelope: 'list', description: 'A page of deliveries.' },
  invalid: 'invalid_list_request',
  errors: ['not_found'],
});

const listDeliveryAttempts = endpoint({
  method: 'GET',
  path: '/v1/webhook-deliveries/{id}',
  tag,
  summary: 'Retrieve a delivery and its attempts',
  auth: 'credential',
  scope: 'webhooks:read',
  params: pathId('dlv', 'The delivery.'),
  success: {
    status: 200,
    data: WebhookDeliveryDetailShape,
    envelope: 'object',
    description: 'The delivery with its newest 100 attempts, oldest first.',
  },
  errors: ['not_found'],
});

const redeliverWebhook = endpoint({
  method: 'POST',
  path: '/v1/webhook-deliveries/{id}/redeliver',
  tag,
  summary: 'Redeliver an event',
  description: 'Makes one more attempt as soon as possible, regardless of earlier attempts.',
  auth: 'credential',
  scope: 'webhooks:write',
  params: pathId('dlv', 'The delivery.'),
  success: { status: 200, data: WebhookDeliveryShape, envelope: 'object', description: 'The requeued delivery.' },
  errors: ['not_found'],
  idempotent: true,
});

const redeliverFailed = endpoint({
  method: 'POST',
  path: '/v1/webhook-endpoints/{id}/redeliver-failed',
  tag,
  summary: 'Redeliver failed events',
  description:
    'Requeues every delivery to this endpoint that failed since the given time. Enable a disabled ' +
    'endpoint first, which also sends its parked deliveries.',
  auth: 'credential',
  scope: 'webhooks:write',
  params,
  body: Type.Object({ since: timestamp('The start of the time range.', '2026-03-14T00:00:00Z') }),
  success: {
    status: 200,
    data: RedeliveryShape,
    envelope: 'object',
    description: 'The number of requeued deliveries.',
  },
  invalid: 'invalid_webhook_endpoint',
  errors: ['not_found'],
  idempotent: true,
});

const listEvents = endpoint({
  method: 'GET',
  path: '/v1/events',
  tag: 'Events',
  summary: 'List events',
  description: 'Newest first, each exactly as delivered. Events of refunds are listed only if `type` names them.',
  auth: 'credential',
  scope: 'events:read',
  query: Type.Object({
    ...pageQuery(),
    type: Type.Optional(EventTypeShape),
    payment: Type.Optional(idInput('pay', 'Filter by payment.')),
  }),
  success: { status: 200, data: EventShape, envelope: 'list', description: 'A page of events.' },
  invalid: 'invalid_list_request',
});

const getEvent = endpoint({
  method: 'GET',
  path: '/v1/events/{id}',
  tag: 'Events',
  summary: 'Retrieve an event',
  auth: 'credential',
  scope: 'events:read',
  params: pathId('evt', 'The event.'),
  success: { status: 200, data: EventShape, envelope: 'object', description: 'The event, exactly as delivered.' },
  errors: ['not_found'],
});

const streamEvents = endpoint({
  method: 'GET',
  path: '/v1/events/stream',
  tag: 'Events',
  summary: 'Stream events',
  description:
    'Server-sent events, each with the event ID as `id`, its type as `event` and its body as `data`. ' +
    'Send `Last-Event-ID` to resume an interrupted stream. A resumed stream may repeat events of the ' +
    'last seconds before that event, with the same ID.',
  auth: 'credential',
  scope: 'events:read',
  success: {
    status: 200,
    data: Type.String({ description: 'A stream of server-sent events.' }),
    envelope: 'bare',
    description: 'The stream.',
    contentType: 'text/event-stream',
  },
});

export const webhookEndpoints = {
  createWebhookEndpoint,
  listWebhookEndpoints,
  deleteWebhookEndpoint,
  enableWebhookEndpoint,
  rotateWebhookSecret,
  testWebhook,
  listWebhookDeliveries,
  listDeliveryAttempts,
  redeliverWebhook,
  redeliverFailed,
  listEvents,
  getEvent,
  streamEvents,
};
