import { type CheckoutOptions, openCheckout, receiveWebhook, toResponse, type WebhookOptions } from './web.ts';

export type { CheckoutOptions, WebhookOptions } from './web.ts';

/** What is needed of Hono's `Context`. */
export interface HonoContext {
  req: { raw: Request };
}

/**
 * Handles webhooks: verifies each, and calls `onEvent` once.
 *
 * @example
 * app.post('/webhooks', webhook({ onEvent: ({ type, data }) => type === 'payment.paid' && ship(data.order_id) }));
 */
export function webhook(options: WebhookOptions): (context: HonoContext) => Promise<Response> {
  const receive = receiveWebhook(options);
  return async ({ req }) => toResponse(await receive(req.raw));
}

/**
 * Creates a checkout session and sends the customer to it. `order` gets Hono's context.
 *
 * @example
 * app.post('/checkout', checkout({ order: async () => ({ amount: '49.00', order_id: await newOrder() }) }));
 */
export function checkout<Context extends HonoContext>(
  options: CheckoutOptions<Context>,
): (context: Context) => Promise<Response> {
  const open = openCheckout(options);
  return async (context) => toResponse(await open(context));
}
