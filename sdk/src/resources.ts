import { List } from './list.ts';
import type { Answered, Call, Requester, RequestOptions } from './request.ts';
import type * as types from './types.gen.ts';

/** One group of calls around the requester they share. */
class Resource {
  protected readonly requester: Requester;
  constructor(requester: Requester) {
    this.requester = requester;
  }

  protected get<T>(path: string, options?: RequestOptions, query?: object): Promise<Answered<T>> {
    return this.requester.object<T>(call('GET', path, { query, options }));
  }

  protected post<T>(path: string, body?: unknown, options?: RequestOptions): Promise<Answered<T>> {
    return this.requester.object<T>(call('POST', path, { body, options }));
  }

  /** For requests that must not be retried if the response was lost. */
  protected postOnce<T>(path: string, body?: unknown, options?: RequestOptions): Promise<Answered<T>> {
    return this.requester.object<T>({ ...call('POST', path, { body, options }), once: true });
  }
}

/** Hosted checkout sessions. */
export class CheckoutSessions extends Resource {
  /** Creates a session. Send the customer to its `checkout_url`. */
  create(body: types.CreateCheckoutSessionBody, options?: RequestOptions) {
    return this.post<types.CheckoutSession>('/v1/checkout/sessions', body, options);
  }
  retrieve(id: string, options?: RequestOptions) {
    return this.get<types.CheckoutSession>(at`/v1/checkout/sessions/${id}`, options);
  }
}

/** Reusable links. Each visit can create its own session. */
export class PaymentLinks extends Resource {
  create(body: types.CreatePaymentLinkBody, options?: RequestOptions) {
    return this.post<types.PaymentLink>('/v1/payment-links', body, options);
  }
  retrieve(id: string, options?: RequestOptions) {
    return this.get<types.PaymentLink>(at`/v1/payment-links/${id}`, options);
  }
  update(id: string, body: types.UpdatePaymentLinkBody, options?: RequestOptions) {
    return this.requester.object<types.PaymentLink>(call('PATCH', at`/v1/payment-links/${id}`, { body, options }));
  }
  list(query?: types.ListPaymentLinksQuery, options?: RequestOptions) {
    return new List<types.PaymentLink>(this.requester, '/v1/payment-links', query, options);
  }
  disable(id: string, options?: RequestOptions) {
    return this.post<types.PaymentLink>(at`/v1/payment-links/${id}/disable`, undefined, options);
  }
  enable(id: string, options?: RequestOptions) {
    return this.post<types.PaymentLink>(at`/v1/payment-links/${id}/enable`, undefined, options);
  }
}

/** Payments of customers. */
export class Payments extends Resource {
  retrieve(id: string, options?: RequestOptions) {
    return this.get<types.Payment>(at`/v1/payments/${id}`, options);
  }
  list(query?: types.ListPaymentsQuery, options?: RequestOptions) {
    return new List<types.Payment>(this.requester, '/v1/payments', query, options);
  }
  /** Records a refund that you sent from your own wallet. No funds are moved. */
  refund(id: string, body: types.RecordRefundBody = {}, options?: RequestOptions) {
    return this.post<types.Payment>(at`/v1/payments/${id}/refund`, body, options);
  }
  /** Accepts an underpaid or late payment. Login tokens only. */
  accept(id: string, options?: RequestOptions) {
    return this.post<types.Payment>(at`/v1/payments/${id}/accept`, undefined, options);
  }
  /** Its signed receipt, which anyone can verify offline with `verifyReceipt`. */
  receipt(id: string, options?: RequestOptions) {
    return this.get<types.Receipt>(at`/v1/payments/${id}/receipt`, options);
  }
  /** The payment's timeline, with evidence. */
  timeline(id: string, options?: RequestOptions) {
    return this.get<types.PaymentTimeline>(at`/v1/payments/${id}/timeline`, options);
  }
}

/** Money that you send back, in parts or whole. You send it from your own wallet; each transfer is verified. */
export class Refunds extends Resource {
  /** Reserves a part of what the payment brought; without an amount, everything that is left. */
  create(payment: string, body: types.CreateRefundBody, options?: RequestOptions) {
    return this.post<types.Refund>(at`/v1/payments/${payment}/refunds`, body, options);
  }
  retrieve(id: string, options?: RequestOptions) {
    return this.get<types.Refund>(at`/v1/refunds/${id}`, options);
  }
  list(query?: types.ListRefundsQuery, options?: RequestOptions) {
    return new List<types.Refund>(this.requester, '/v1/refunds', query, options);
  }
  ofPayment(payment: string, query?: types.ListPaymentRefundsQuery, options?: RequestOptions) {
    return new List<types.Refund>(this.requester, at`/v1/payments/${payment}/refunds`, query, options);
  }
  /** Names the transaction with which you sent it. The refund is `final` once the chain confirms it. */
  sent(id: string, txHash: string, options?: RequestOptions) {
    return this.post<types.Refund>(at`/v1/refunds/${id}/sent`, { tx_hash: txHash }, options);
  }
  /** Frees the amount of a refund that was not sent. */
  cancel(id: string, options?: RequestOptions) {
    return this.post<types.Refund>(at`/v1/refunds/${id}/cancel`, undefined, options);
  }
}

/** Signed statements of what payments received. */
export class Receipts extends Resource {
  /** Asks the service whether it signed a receipt and whether a newer one replaced it. */
  verify(receipt: string, options?: RequestOptions) {
    return this.postOnce<types.ReceiptVerdict>('/v1/receipts/verify', { receipt }, options);
  }
}

/** The wallets that payments settle to. */
export class PayoutWallets extends Resource {
  create(body: types.CreatePayoutWalletBody, options?: RequestOptions) {
    return this.post<types.PayoutWallet>('/v1/payout-wallets', body, options);
  }
  retrieve(id: string, options?: RequestOptions) {
    return this.get<types.PayoutWallet>(at`/v1/payout-wallets/${id}`, options);
  }
  list(query?: types.ListPayoutWalletsQuery, options?: RequestOptions) {
    return new List<types.PayoutWallet>(this.requester, '/v1/payout-wallets', query, options);
  }
  /** Makes it the wallet for sessions without a `payout_wallet_id`. Login tokens only. */
  setDefault(id: string, options?: RequestOptions) {
    return this.post<types.PayoutWallet>(at`/v1/payout-wallets/${id}/default`, undefined, options);
  }
  /** Archives it: no new payments settle to it, open ones still do. Login tokens only. */
  archive(id: string, options?: RequestOptions) {
    return this.post<types.PayoutWallet>(at`/v1/payout-wallets/${id}/archive`, undefined, options);
  }
  /** Verifies ownership. Without a signature, returns the message to sign. Login tokens only. */
  proveOwnership(id: string, body: types.ProveWalletOwnershipBody = {}, options?: RequestOptions) {
    return this.post<types.WalletProof>(at`/v1/payout-wallets/${id}/prove`, body, options);
  }
}

/** Quotes for payments in a different asset. */
export class Routes extends Resource {
  quote(query: types.GetRouteQuoteQuery, options?: RequestOptions) {
    return this.get<types.RouteQuote>('/v1/routes/quote', options, query);
  }
}

/** Endpoints on your server that receive events. */
export class WebhookEndpoints extends Resource {
  /** `secret` is returned only once. */
  create(body: types.CreateWebhookEndpointBody, options?: RequestOptions) {
    return this.post<types.WebhookEndpointWithSecret>('/v1/webhook-endpoints', body, options);
  }
  list(query?: types.ListWebhookEndpointsQuery, options?: RequestOptions) {
    return new List<types.WebhookEndpoint>(this.requester, '/v1/webhook-endpoints', query, options);
  }
  delete(id: string, options?: RequestOptions) {
    return this.requester.object<types.DeletedWebhookEndpoint>(
      call('DELETE', at`/v1/webhook-endpoints/${id}`, { options }),
    );
  }
  enable(id: string, options?: RequestOptions) {
    return this.post<types.WebhookEndpoint>(at`/v1/webhook-endpoints/${id}/enable`, undefined, options);
  }
  rotateSecret(id: string, body: types.RotateWebhookSecretBody = {}, options?: RequestOptions) {
    return this.post<types.WebhookEndpointWithSecret>(at`/v1/webhook-endpoints/${id}/rotate-secret`, body, options);
  }
  /** Sends one sample event immediately. No retries. */
  test(id: string, event: types.WebhookEventType, options?: RequestOptions) {
    return this.postOnce<types.WebhookTest>('/v1/webhooks/test', { endpoint_id: id, event }, options);
  }
  deliveries(id: string, query?: types.ListWebhookDeliveriesQuery, options?: RequestOptions) {
    return new List<types.WebhookDelivery>(this.requester, at`/v1/webhook-endpoints/${id}/deliveries`, query, options);
  }
  /** Requeues all deliveries that failed since the given time. The endpoint must be enabled. */
  redeliverFailed(id: string, since: Date, options?: RequestOptions) {
    return this.post<types.Redelivery>(
      at`/v1/webhook-endpoints/${id}/redeliver-failed`,
      { since: since.toISOString() },
      options,
    );
  }
}

/** Single deliveries of an event to an endpoint. */
export class WebhookDeliveries extends Resource {
  retrieve(id: string, options?: RequestOptions) {
    return this.get<types.WebhookDeliveryDetail>(at`/v1/webhook-deliveries/${id}`, options);
  }
  redeliver(id: string, options?: RequestOptions) {
    return this.post<types.WebhookDelivery>(at`/v1/webhook-deliveries/${id}/redeliver`, undefined, options);
  }
}

/** Events, exactly as delivered. */
export class Events extends Resource {
  retrieve(id: string, options?: RequestOptions) {
    return this.get<types.Event | types.RefundEvent>(at`/v1/events/${id}`, options);
  }
  list(query?: types.ListEventsQuery, options?: RequestOptions) {
    return new List<types.Event | types.RefundEvent>(this.requester, '/v1/events', query, options);
  }
}

/** Transfers to your payout wallets. Assigning and handling require a login token. */
export class Transfers extends Resource {
  list(query?: types.ListTransfersQuery, options?: RequestOptions) {
    return new List<types.Transfer>(this.requester, '/v1/transfers', query, options);
  }
  assign(id: string, payment: string, options?: RequestOptions) {
    return this.post<types.Transfer>(at`/v1/transfers/${id}/assign`, { payment }, options);
  }
  release(id: string, options?: RequestOptions) {
    return this.post<types.Transfer>(at`/v1/transfers/${id}/release`, undefined, options);
  }
  handle(id: string, body: types.HandleTransferBody = {}, options?: RequestOptions) {
    return this.post<types.Transfer>(at`/v1/transfers/${id}/handle`, body, options);
  }
  /** Lists a handled transfer as open again. */
  reopen(id: string, options?: RequestOptions) {
    return this.post<types.Transfer>(at`/v1/transfers/${id}/reopen`, undefined, options);
  }
}

/** The account that the credential belongs to. */
export class AccountResource extends Resource {
  retrieve(options?: RequestOptions) {
    return this.get<types.Account>('/v1/account', options);
  }
  /** Updates only the fields you send; null clears a field. Login tokens only. */
  update(body: types.UpdateAccountBody, options?: RequestOptions) {
    return this.requester.object<types.Account>(call('PATCH', '/v1/account', { body, options }));
  }
}

/** API keys; login tokens only. */
export class ApiKeys extends Resource {
  create(body: types.CreateApiKeyBody, options?: RequestOptions) {
    return this.postOnce<types.ApiKeyWithSecret>('/v1/api-keys', body, options);
  }
  /** The key that this client uses, with its scopes. */
  current(options?: RequestOptions) {
    return this.get<types.ApiKey>('/v1/api-keys/current', options);
  }
  list(query?: types.ListApiKeysQuery, options?: RequestOptions) {
    return new List<types.ApiKey>(this.requester, '/v1/api-keys', query, options);
  }
  rotate(id: string, body: types.RotateApiKeyBody = {}, options?: RequestOptions) {
    return this.postOnce<types.ApiKeyWithSecret>(at`/v1/api-keys/${id}/rotate`, body, options);
  }
  delete(id: string, options?: RequestOptions) {
    return this.requester.object<{ id: string; deleted: boolean }>(call('DELETE', at`/v1/api-keys/${id}`, { options }));
  }
}

/** Links that open an account on a server that is not open to everyone. Login tokens of the operator only. */
export class Invitations extends Resource {
  /** `url` is returned only once. */
  create(body: types.CreateInvitationBody = {}, options?: RequestOptions) {
    return this.postOnce<types.InvitationWithUrl>('/v1/invitations', body, options);
  }
  list(query?: types.ListInvitationsQuery, options?: RequestOptions) {
    return new List<types.Invitation>(this.requester, '/v1/invitations', query, options);
  }
  revoke(id: string, options?: RequestOptions) {
    return this.requester.object<{ id: string; deleted: boolean }>(
      call('DELETE', at`/v1/invitations/${id}`, { options }),
    );
  }
}

/** Simulates payments and the passing of time in test mode. Test keys only. */
export class TestHelpers extends Resource {
  /** Simulates a payment with the given outcome. */
  pay(sessionId: string, body: types.TestPaySessionBody, options?: RequestOptions) {
    return this.postOnce<types.CheckoutSession>(at`/v1/test_helpers/checkout/sessions/${sessionId}/pay`, body, options);
  }
  /** Advances the account's test clock: sessions expire and retries become due. */
  advanceClock(seconds: number, options?: RequestOptions) {
    return this.postOnce<{ now: string }>('/v1/test_helpers/clock/advance', { seconds }, options);
  }
}

function call(
  method: Call['method'],
  path: string,
  { body, options, query }: { body?: unknown; options?: RequestOptions | undefined; query?: object | undefined },
): Call {
  return { method, path, ...(body !== undefined && { body }), ...(options && { options }), ...(query && { query }) };
}

/** A path with escaped values, so that a malformed ID cannot change the path. */
function at(parts: TemplateStringsArray, ...values: string[]): string {
  return parts.reduce((path, part, index) => {
    if (index === values.length) return path + part;
    const value = values[index];
    if (typeof value !== 'string' || value === '')
      throw new TypeError(
        `${path}${part}… requires an ID, but got ${value === '' ? 'an empty string' : String(value)}.`,
      );
    return path + part + encodeURIComponent(value);
  }, '');
}
