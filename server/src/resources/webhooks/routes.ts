import { endpoints } from '@quittance/contract';
import type { Context } from '../../context.ts';
import { fail, invariant } from '../../platform/errors.ts';
import { listPage } from '../../platform/http/pagination.ts';
import { type Route, route } from '../../platform/http/route.ts';
import { isId } from '../../platform/ids.ts';
import { findDelivery, listAttempts, listDeliveries } from './delivery/delivery-store.ts';
import { deleteEndpoint, enableEndpoint, rotateSecret } from './endpoints/change.ts';
import { createEndpoint } from './endpoints/create.ts';
import { findEndpoint, listEndpoints } from './endpoints/endpoint-store.ts';
import { findHealth, healthOfNew } from './endpoints/health-store.ts';
import { sendTest } from './endpoints/send-test.ts';
import * as events from './events/event-store.ts';
import * as stream from './events/stream.ts';
import { presentAttempt, presentDelivery, presentEndpoint, presentEvent } from './present.ts';
import * as again from './redeliver.ts';

export const webhookRoutes: Route<Context>[] = [
  route(
    endpoints.createWebhookEndpoint,
    async (ctx: Context, { db, caller, body }) => {
      const { endpoint, secret } = await createEndpoint(ctx, db, caller, body);
      return { ...presentEndpoint(ctx, endpoint, healthOfNew(endpoint.id)), secret };
    },
    { secretAnswer: true },
  ),

  route(endpoints.listWebhookEndpoints, (ctx: Context, call) =>
    listPage(call, ctx, {
      list: 'webhook_endpoints',
      prefix: 'we',
      find: (id) => findEndpoint(ctx.db, call.caller, id),
      fetch: async (page) => {
        const endpoints = await listEndpoints(ctx.db, call.caller, page);
        const health = await findHealth(
          ctx.db,
          endpoints.map(({ id }) => id),
        );
        return endpoints.map((endpoint) => ({ endpoint, health: health.get(endpoint.id) ?? healthOfNew(endpoint.id) }));
      },
      position: ({ endpoint }) => endpoint,
      present: ({ endpoint, health }) => presentEndpoint(ctx, endpoint, health),
    }),
  ),

  route(endpoints.deleteWebhookEndpoint, async (ctx: Context, { db, caller, params }) => {
    await deleteEndpoint(ctx, db, caller, params.id);
    return { id: params.id, deleted: true as const };
  }),

  route(endpoints.enableWebhookEndpoint, async (ctx: Context, { db, caller, params }) => {
    const endpoint = await enableEndpoint(ctx, db, caller, params.id);
    const health = await findHealth(db, [endpoint.id]);
    return presentEndpoint(ctx, endpoint, health.get(endpoint.id) ?? healthOfNew(endpoint.id));
  }),

  route(
    endpoints.rotateWebhookSecret,
    async (ctx: Context, { db, caller, params, body }) => {
      const { endpoint, secret } = await rotateSecret(ctx, db, caller, {
        id: params.id,
        overlapSeconds: body?.overlap_seconds ?? ROTATION_OVERLAP_SECONDS,
      });
      const health = await findHealth(db, [endpoint.id]);
      return { ...presentEndpoint(ctx, endpoint, health.get(endpoint.id) ?? healthOfNew(endpoint.id)), secret };
    },
    { secretAnswer: true },
  ),

  // Also at a path like those of all other calls about endpoints.
  ...[endpoints.testWebhook, { ...endpoints.testWebhook, path: '/v1/webhook-endpoints/test' }].map((endpoint) =>
    route(
      endpoint,
      async (ctx: Context, { caller, body }) => {
        if (!isId('we', body.endpoint_id)) fail('not_found', { param: 'endpoint_id' });
        const { delivered, responseCode } = await sendTest(ctx, caller, body.endpoint_id, body.event);
        return { delivered, response_code: responseCode };
      },
      { transaction: false },
    ),
  ),

  route(endpoints.listWebhookDeliveries, async (ctx: Context, call) => {
    const { caller, params, query } = call;
    if (!(await findEndpoint(ctx.db, caller, params.id))) fail('not_found', { param: 'id' });
    return listPage(call, ctx, {
      list: 'webhook_deliveries',
      prefix: 'dlv',
      filter: { endpoint: params.id, status: query.status ?? null },
      find: async (id) => {
        const delivery = await findDelivery(ctx.db, caller, id);
        return delivery && delivery.endpointId === params.id ? { createdAt: delivery.recordedAt, id } : undefined;
      },
      fetch: (page) => listDeliveries(ctx.db, caller, { endpointId: params.id, state: query.status ?? null }, page),
      position: ({ recordedAt, id }) => ({ createdAt: recordedAt, id }),
      present: (delivery) => presentDelivery(delivery, offsetOf(caller)),
    });
  }),

  route(endpoints.listDeliveryAttempts, async (ctx: Context, { caller, params }) => {
    const delivery = (await findDelivery(ctx.db, caller, params.id)) ?? fail('not_found', { param: 'id' });
    const attempts = await listAttempts(ctx.db, delivery.id);
    return { ...presentDelivery(delivery, offsetOf(caller)), attempts: attempts.map(presentAttempt) };
  }),

  route(endpoints.redeliverWebhook, async (ctx: Context, { db, caller, params }) =>
    presentDelivery(await again.redeliver(ctx, db, caller, params.id), offsetOf(caller)),
  ),

  route(endpoints.redeliverFailed, async (ctx: Context, { db, caller, params, body }) => ({
    redelivered: await again.redeliverFailed(ctx, db, caller, { endpointId: params.id, since: new Date(body.since) }),
  })),

  route(endpoints.listEvents, (ctx: Context, call) => {
    const filter = { type: call.query.type ?? null, payment: call.query.payment ?? null };
    return listPage(call, ctx, {
      list: 'events',
      prefix: 'evt',
      filter,
      find: async (id) => {
        const event = await events.findEvent(ctx.db, call.caller, id);
        return event && { createdAt: event.recordedAt, id };
      },
      fetch: (page) => events.listEvents(ctx.db, call.caller, filter, page),
      position: ({ recordedAt, id }) => ({ createdAt: recordedAt, id }),
      present: presentEvent,
    });
  }),

  route(endpoints.getEvent, async (ctx: Context, { caller, params }) =>
    presentEvent((await events.findEvent(ctx.db, caller, params.id)) ?? fail('not_found', { param: 'id' })),
  ),

  route(endpoints.streamEvents, (ctx: Context, { caller, http }) => {
    invariant(http.credentialHash, 'a reader of events has a credential');
    const last = http.request.headers['last-event-id'];
    return stream.streamEvents(ctx, caller, {
      credentialHash: http.credentialHash,
      reply: http.reply,
      lastEventId: typeof last === 'string' && isId('evt', last) ? last : undefined,
    });
  }),
];

const ROTATION_OVERLAP_SECONDS = 86_400;

function offsetOf(caller: { now: Date; realNow: Date }): number {
  return caller.now.getTime() - caller.realNow.getTime();
}
