import { type CheckoutOptions, openCheckout, receiveWebhook, toResponse, type WebhookOptions } from './web.ts';

export type { CheckoutOptions, WebhookOptions } from './web.ts';

/** A route handler of the App Router. */
export type RouteHandler = (request: Request) => Promise<Response>;

/**
 * Handles webhooks: verifies each, and calls `onEvent` once.
 *
 * @example
 * // app/webhooks/route.js
 * export const POST = webhook({ onEvent: ({ type, data }) => type === 'payment.paid' && ship(data.order_id) });
 */
export function webhook(options: WebhookOptions): RouteHandler {
  const receive = receiveWebhook(options);
  return async (request) => toResponse(await receive(request));
}

/**
 * Creates a checkout session and sends the customer to it.
 *
 * @example
 * // app/checkout/route.js
 * export const POST = checkout({ order: async () => ({ amount: '49.00', order_id: await newOrder() }) });
 */
export function checkout(options: CheckoutOptions<Request>): RouteHandler {
  const open = openCheckout(options);
  return async (request) => toResponse(await open(request));
}
