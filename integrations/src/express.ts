import type { WebhookRequest } from '@quittance/sdk/webhooks';
import { type CheckoutOptions, openCheckout, type Outcome, receiveWebhook, type WebhookOptions } from './web.ts';

export type { CheckoutOptions, WebhookOptions } from './web.ts';

/** What is needed of Express's `Response`, and of Node's. */
export interface ExpressResponse {
  writeHead(status: number, headers: Record<string, string>): { end(text?: string): unknown };
}

/**
 * Handles webhooks: verifies each, and calls `onEvent` once. Put it before any `express.json()`, which changes the body.
 *
 * @example
 * app.post('/webhooks', webhook({ onEvent: ({ type, data }) => type === 'payment.paid' && ship(data.order_id) }));
 */
export function webhook(
  options: WebhookOptions,
): (request: WebhookRequest, response: ExpressResponse) => Promise<void> {
  const receive = receiveWebhook(options);
  return async (request, response) => answer(response, await receive(request));
}

/**
 * Creates a checkout session and sends the customer to it. `order` gets Express's request.
 *
 * @example
 * app.post('/checkout', checkout({ order: async () => ({ amount: '49.00', order_id: await newOrder() }) }));
 */
export function checkout<Request>(
  options: CheckoutOptions<Request>,
): (request: Request, response: ExpressResponse) => Promise<void> {
  const open = openCheckout(options);
  return async (request, response) => answer(response, await open(request));
}

function answer(response: ExpressResponse, { status, text, location }: Outcome): void {
  const type = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' };
  const wait: Record<string, string> = status === 503 ? { 'retry-after': '60' } : {};
  response.writeHead(status, { ...type, ...wait, ...(location !== undefined && { location }) }).end(text);
}
