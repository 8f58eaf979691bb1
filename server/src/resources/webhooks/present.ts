import type { DeliveryAttemptJson, EventJson, WebhookDeliveryJson, WebhookEndpointJson } from '@quittance/contract';
import type { Context } from '../../context.ts';
import { jwksPath } from '../../platform/signing/jws.ts';
import { later } from '../../platform/time.ts';
import { shownError } from './delivery/delivery.ts';
import type { Delivery, DeliveryAttempt } from './delivery/delivery-store.ts';
import type { WebhookEndpoint } from './endpoints/endpoint-store.ts';
import type { StoredEvent } from './events/event-store.ts';
import type { EndpointHealth } from './endpoints/health-store.ts';

export function presentEndpoint(
  { config }: Pick<Context, 'config'>,
  endpoint: WebhookEndpoint,
  health: EndpointHealth,
): WebhookEndpointJson {
  const { accountId, livemode } = endpoint;
  return {
    id: endpoint.id,
    object: 'webhook_endpoint',
    livemode: endpoint.livemode,
    url: endpoint.url,
    events: endpoint.events,
    status: endpoint.status,
    ...(endpoint.isAsymmetric && {
      asymmetric_signature: true,
      jwks_url: `${config.publicUrl}${jwksPath({ id: accountId, livemode })}`,
    }),
    delivery_status: {
      pending: health.pending,
      uncollected: health.uncollected,
      last_outcome: health.lastOutcome,
      last_response_code: health.lastResponseCode,
      last_error: shownError(health.lastError),
      last_attempt_at: health.lastAttemptAt?.toISOString() ?? null,
      recent_delivered: health.recentDelivered,
      recent_failed: health.recentFailed,
      average_duration_ms: health.averageDurationMs,
    },
    created_at: endpoint.createdAt.toISOString(),
  };
}

/** `clockOffsetMs` is the offset of the account's test clock: future times are shown in its time. */
export function presentDelivery(delivery: Delivery, clockOffsetMs: number): WebhookDeliveryJson {
  return {
    id: delivery.id,
    object: 'webhook_delivery',
    livemode: delivery.livemode,
    endpoint_id: delivery.endpointId,
    event_id: delivery.eventId,
    event_type: delivery.eventType,
    status: delivery.state,
    attempt_count: delivery.attempts,
    last_response_code: delivery.lastResponseCode,
    last_error: shownError(delivery.lastError),
    next_attempt_at: delivery.dueAt && later(delivery.dueAt, clockOffsetMs).toISOString(),
    created_at: delivery.eventCreatedAt.toISOString(),
    finished_at: delivery.finishedAt?.toISOString() ?? null,
  };
}

export function presentAttempt(attempt: DeliveryAttempt): DeliveryAttemptJson {
  return {
    id: attempt.id,
    number: attempt.number,
    kind: attempt.kind,
    outcome: attempt.outcome,
    response_code: attempt.responseCode,
    response_body: attempt.responseBody,
    error: shownError(attempt.error),
    duration_ms: attempt.durationMs,
    attempted_at: attempt.attemptedAt.toISOString(),
  };
}

/** The exact delivered bytes, as an object. */
export function presentEvent(event: StoredEvent): EventJson {
  return JSON.parse(event.body.toString('utf8')) as EventJson;
}
