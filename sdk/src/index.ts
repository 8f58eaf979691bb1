import { type ClientOptions, Requester } from './request.ts';
import {
  AccountResource,
  ApiKeys,
  CheckoutSessions,
  Events,
  Invitations,
  PaymentLinks,
  Payments,
  PayoutWallets,
  Receipts,
  Refunds,
  Routes,
  TestHelpers,
  Transfers,
  WebhookDeliveries,
  WebhookEndpoints,
} from './resources.ts';
import { constructEvent, constructEventWithKeys, generateTestHeader, readEvent } from './webhooks.ts';

export * from './errors.ts';
export { List, type ListQuery, type Page } from './list.ts';
export { newestEvents, type SeenEvents, type SeenEventStore } from './newest-events.ts';
export type { Answered, ClientOptions, RequestOptions, ResponseInfo } from './request.ts';
export { type Jwks, ReceiptVerificationError, verifyReceipt, type VerifyReceiptOptions } from './receipts.ts';
export type * from './types.gen.ts';
export {
  constructEvent,
  constructEventWithKeys,
  generateTestHeader,
  type PublicKeys,
  readEvent,
  SampleEventError,
  SignatureVerificationError,
  type VerifyOptions,
  type WebhookRequest,
} from './webhooks.ts';

/**
 * The client. One secret key, every resource of the API.
 *
 * @example
 * const quittance = new Quittance(process.env.QUITTANCE_KEY);
 * const session = await quittance.checkout.sessions.create({ amount: '49.00', order_id: 'order-1001' });
 * redirect(session.checkout_url);
 */
export class Quittance {
  readonly checkout: { readonly sessions: CheckoutSessions };
  readonly paymentLinks: PaymentLinks;
  readonly payments: Payments;
  readonly refunds: Refunds;
  readonly receipts: Receipts;
  readonly payoutWallets: PayoutWallets;
  readonly routes: Routes;
  readonly webhookEndpoints: WebhookEndpoints;
  readonly webhookDeliveries: WebhookDeliveries;
  readonly events: Events;
  readonly transfers: Transfers;
  readonly account: AccountResource;
  readonly apiKeys: ApiKeys;
  readonly invitations: Invitations;
  readonly testHelpers: TestHelpers;
  /** Verifies webhooks. Needs no key, so it is also exported from `@quittance/sdk/webhooks`. */
  readonly webhooks = { readEvent, constructEvent, constructEventWithKeys, generateTestHeader };

  constructor(credential: string | undefined, options: ClientOptions = {}) {
    const requester = new Requester(checkedCredential(credential), options);
    this.checkout = { sessions: new CheckoutSessions(requester) };
    this.paymentLinks = new PaymentLinks(requester);
    this.payments = new Payments(requester);
    this.refunds = new Refunds(requester);
    this.receipts = new Receipts(requester);
    this.payoutWallets = new PayoutWallets(requester);
    this.routes = new Routes(requester);
    this.webhookEndpoints = new WebhookEndpoints(requester);
    this.webhookDeliveries = new WebhookDeliveries(requester);
    this.events = new Events(requester);
    this.transfers = new Transfers(requester);
    this.account = new AccountResource(requester);
    this.apiKeys = new ApiKeys(requester);
    this.invitations = new Invitations(requester);
    this.testHelpers = new TestHelpers(requester);
  }
}

/** Rejects malformed credentials before they are sent. */
function checkedCredential(credential: string | undefined): string {
  if (!credential)
    throw new TypeError(
      'new Quittance(key) needs a secret key: sk_test_… or sk_live_…. Is the environment variable set?',
    );
  if (credential.startsWith('whsec_'))
    throw new TypeError('This is a webhook signing secret. The client needs a secret key: sk_test_… or sk_live_….');
  if (!/^(sk_(test|live)|ses)_/.test(credential))
    throw new TypeError('A secret key starts with sk_test_ or sk_live_, a login token with ses_.');
  const [foreign] = /[^ -~\s]/u.exec(credential) ?? [];
  if (foreign)
    throw new TypeError(`A key cannot contain “${foreign}”. Replace the example with a key from the dashboard.`);
  if (credential.startsWith('sk_') && 'document' in globalThis)
    throw new TypeError('Secret keys must not be used in a browser. Use the checkout URL that your server received.');
  return credential;
}
