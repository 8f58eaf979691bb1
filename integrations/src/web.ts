import {
  type CheckoutSession,
  type CreateCheckoutSessionBody,
  newestEvents,
  Quittance,
  type Event,
  type RefundEvent,
  type SeenEventStore,
} from '@quittance/sdk';
import { type PublicKeys, readEvent, SignatureVerificationError, type WebhookRequest } from '@quittance/sdk/webhooks';
import { keyOf } from './core.ts';

// What the frameworks share: a request in, a status and a text or an address out.

export interface WebhookOptions {
  /**
   * Called for each event that is verified and new: not one that was handled, nor one older than the newest of its
   * payment. If it throws, the event is delivered again.
   */
  onEvent(event: Event | RefundEvent): unknown;
  /** The endpoint's `whsec_…`, or its id and public keys. Default: `WEBHOOK_SECRET` of the environment. */
  secret?: string | PublicKeys;
  /** Where handled events are remembered. Default: in this process only, which forgets at a restart. */
  store?: SeenEventStore;
  /** What `onEvent` threw, for your log. */
  onError?(error: unknown): unknown;
}

export interface CheckoutOptions<Request> {
  /**
   * What to charge. Take the amount from your own data, never from the request, and answer the same for the same order:
   * with `idempotencyKey`, each difference opens another session, and all of an order's sessions may be paid.
   */
  order(request: Request): CreateCheckoutSessionBody | Promise<CreateCheckoutSessionBody>;
  /**
   * Names what is asked for, such as the order's id: two clicks with one key find the same session, for 24 hours. An order
   * that was changed meanwhile gets another session.
   */
  idempotencyKey?(request: Request): string | Promise<string>;
  /** Called with the session before the customer is sent to it, to add its id to those of the order. */
  onSession?(session: CheckoutSession, request: Request): unknown;
  /** A secret key. Default: `QUITTANCE_KEY` of the environment. */
  key?: string;
  /** The address of the service. Default: `QUITTANCE_URL` of the environment. */
  baseUrl?: string;
  /** Why no session was created, for your log. */
  onError?(error: unknown): unknown;
}

/** An answer without the words of a framework. */
export interface Outcome {
  status: number;
  text: string;
  /** Where the customer goes. */
  location?: string;
}

/** Verifies a webhook, calls `onEvent` at most once for it, and says what to answer. */
export function receiveWebhook(options: WebhookOptions): (request: WebhookRequest) => Promise<Outcome> {
  const newest = newestEvents<Event | RefundEvent>(options.store);
  return async (request) => {
    try {
      // The environment is read now, because frameworks load this module while they build.
      const secret = options.secret ?? environment('WEBHOOK_SECRET');
      await newest(await readEvent<Event | RefundEvent>(request, secret), options.onEvent);
      return { status: 200, text: 'ok' };
    } catch (error) {
      if (error instanceof SignatureVerificationError) return { status: error.status, text: error.message };
      await options.onError?.(error);
      return { status: 500, text: 'The event was not handled.' };
    }
  };
}

/** Creates a session for an order, and says where the customer goes. Without one they are asked to try again. */
export function openCheckout<Request>(options: CheckoutOptions<Request>): (request: Request) => Promise<Outcome> {
  let client: Quittance | undefined;
  return async (request) => {
    try {
      client ??= new Quittance(options.key ?? environment('QUITTANCE_KEY'), {
        baseUrl: options.baseUrl ?? environment('QUITTANCE_URL'),
      });
      const name = await options.idempotencyKey?.(request);
      const body = await options.order(request);
      const session = await client.checkout.sessions.create(body, {
        ...(name !== undefined && { idempotencyKey: await keyOf('checkout', name, body) }),
      });
      await options.onSession?.(session, request);
      return { status: 303, text: '', location: session.checkout_url };
    } catch (error) {
      await options.onError?.(error);
      return { status: 503, text: 'The payment could not be started. Please go back and try again in a minute.' };
    }
  };
}

/** An outcome for frameworks that answer with a web `Response`. */
export function toResponse({ status, text, location }: Outcome): Response {
  const headers = { 'cache-control': 'no-store', ...(status === 503 && { 'retry-after': '60' }) };
  if (location !== undefined) return new Response(null, { status, headers: { ...headers, location } });
  return new Response(text, { status, headers: { ...headers, 'content-type': 'text/plain; charset=utf-8' } });
}

function environment(name: string): string | undefined {
  return (globalThis as { process?: { env: Record<string, string | undefined> } }).process?.env[name];
}
