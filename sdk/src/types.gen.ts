// Generated from the OpenAPI document by scripts/generate-types.ts. Do not edit.

/** The merchant's account. */
export type Account = {
  /** The account. */
  id: string;
  /** Always `account`. */
  object: "account";
  /** The mode of the credential used. */
  livemode: boolean;
  /** Email accounts can have many payout wallets. Wallet accounts have only the wallet they log in with. */
  login_method: "email" | "wallet";
  /** The email address used to log in; null for wallet accounts. */
  email: string | null;
  /** The wallet used to log in; null for email accounts. */
  login_wallet: {
    network: "ethereum" | "solana";
    address: string;
  } | null;
  /** The name shown to customers. */
  name: string | null;
  /** The logo shown to customers. */
  logo_url: string | null;
  brand: Brand;
  /** Support email address shown to customers. */
  support_email: string | null;
  /** Support page shown to customers. */
  support_url: string | null;
  /** Lines about you that are printed on receipts, such as your company, address and tax number. */
  receipt_details: string | null;
  /** Origins that may embed the hosted pages in a frame. */
  frame_parents: string[];
  /** The host of your paymaster. Absent if you set none. */
  paymaster_host?: string;
  /** Underpayment tolerance in basis points. Null means 0.5%, capped at 1.00 in the display currency. */
  tolerance_bps: number | null;
  /** If `true`, secret keys cannot add payout wallets. */
  wallets_by_login_only: boolean;
  /** If `true`, a payout wallet that a live secret key adds waits for you to confirm it in the dashboard, and no payment can settle to it before. */
  confirm_key_wallets: boolean;
  /** Defaults for checkout sessions, used when a request or payment link does not specify a value. */
  session_defaults: {
    /** Null means `USD`. */
    currency: "USD" | "EUR" | "AED" | null;
    /** Seconds until a session expires. Null means 3600. */
    expires_in: number | null;
    /** Null means all supported assets. */
    accepted_assets: string[] | null;
  };
  /** Emails that you receive, at the address that you log in with. A new account that logs in by email gets those about decisions. */
  email_notifications: {
    /** A payment is paid. */
    paid: boolean;
    /** A payment is `refund_required`, or a customer has named the address of their refund. */
    needs_decision: boolean;
    /** A final transfer to a payout wallet belongs to no payment. */
    unattributed: boolean;
  };
  /** Whether customers get a receipt by mail, at `customer.email`, once their payment is paid. */
  email_receipts: boolean;
  /** The clock of the account's test mode. */
  test_clock: {
    /** The current time in the account's test mode. */
    now: string;
    /** Seconds that the test clock is ahead of real time. */
    offset_seconds: number;
  };
  /** When the account was created. */
  created_at: string;
};

/** A secret key, without its secret. */
export type ApiKey = {
  /** The key's ID, which is not the key itself. */
  id: string;
  /** Always `api_key`. */
  object: "api_key";
  /** `true` in live mode, `false` in test mode. */
  livemode: boolean;
  /** A label for your own reference. */
  label: string | null;
  /** The last four characters of the secret, to help you recognize it. */
  last4: string;
  /** Scopes of the key. Absent for a key with full access. */
  scopes?: Scope[];
  /** When the secret before the last rotation stops working. Absent if it does not work any more. */
  previous_expires_at?: string;
  /** When it was created. */
  created_at: string;
  /** When its current secret was last used, to about a minute; null if never. */
  last_used_at: string | null;
};

/** A newly created or rotated secret key, including the secret. */
export type ApiKeyWithSecret = ApiKey & {
  /** The secret key. Returned only once, because only its hash is stored. */
  secret: string;
};

/** Appearance of the hosted pages. */
export type Brand = {
  /** Color of buttons and links on the hosted pages. Null uses the default. */
  accent_color: string | null;
  /** Background color of the hosted pages. Null uses the default. */
  background_color: string | null;
  /** Theme of the hosted pages. Null follows the visitor's device. */
  theme: "light" | "dark" | null;
  /** Corner style. Null means `round`. */
  corners: "round" | "soft" | "square" | null;
};

/** A target for a direct payment. */
export type CheckoutDepositAddress = {
  /** The asset to send. */
  asset: string;
  /** The network to send it on. */
  network: string;
  /** The address to send to. For a direct payment, the payout wallet's own address. */
  address: string;
  kind: RouteType;
  /** The reference that the transfer should carry, if the network supports one. */
  reference?: string | null;
};

/** One checkout: the amount to charge, the order it is for, and the payout wallet. */
export type CheckoutSession = {
  /** The session. */
  id: string;
  /** Always `checkout_session`. */
  object: "checkout_session";
  /** `true` in live mode, `false` in test mode. */
  livemode: boolean;
  status: PaymentStatus;
  /** The amount to charge. */
  amount: string;
  /** The display currency. */
  currency: "USD" | "EUR" | "AED";
  /** The payout wallet that receives the funds. */
  payout_wallet_id: string;
  /** The payment link that created it, if any. */
  payment_link_id: string | null;
  /** The session of the same order that expired or failed, if its customer pressed *Try again*: each such session is tried again in one other at most. */
  retry_of: string | null;
  /** Your own order number. */
  order_id: string | null;
  /** Description shown to the customer. */
  description: string | null;
  /** The key-value pairs you sent; `{}` if none. */
  metadata: Record<string, string>;
  /** The customer that you sent, or null. */
  customer: Customer | null;
  /** The line items of the order. */
  line_items: LineItem[] | null;
  /** The assets that the customer may pay with. */
  accepted_assets: ("ETH_ETHEREUM" | "SOL_SOLANA" | "USDC_SOLANA" | "ETH_BASE" | "USDC_BASE" | "USDC_ETHEREUM" | "USDT_ETHEREUM" | "USDT_SOLANA" | "BTC_BITCOIN" | "BNB_BNB" | "POL_POLYGON" | "ETH_ARBITRUM" | "AVAX_AVALANCHE" | "TRX_TRON" | "USDT_TRON" | "USDC_POLYGON" | "USDC_ARBITRUM")[];
  /** On-chain reference: a Solana Pay reference or memo on Solana, a calldata tag on EVM networks. */
  reference: string;
  /** Direct targets only. Routed targets are created when the customer chooses one. */
  deposit_addresses: CheckoutDepositAddress[];
  /** The hosted page to send the customer to. */
  checkout_url: string;
  /** URL at which programs pay by HTTP 402. Null if they cannot: the session is paid in ETH, only by conversion, or in test mode in USDT. */
  machine_url: string | null;
  /** The payment ID, once the customer has started to pay or a transfer counts toward it. */
  payment: string | null;
  /** The value you sent. */
  success_url: string | null;
  /** The value you sent. */
  cancel_url: string | null;
  /** When it was created. */
  created_at: string;
  /** When the session expires. After this, create a new session. */
  expires_at: string | null;
};

/** The customer, as you described them. Never shown on the checkout page. */
export type Customer = {
  /** Email address, in lower case. */
  email: string | null;
  /** Name. */
  name: string | null;
  /** Your own ID of the customer. */
  reference: string | null;
};

export type DeletedApiKey = {
  /** The ID of the deleted object. */
  id: string;
  /** Always true. */
  deleted: boolean;
};

export type DeletedWebhookEndpoint = {
  /** The ID of the deleted object. */
  id: string;
  /** Always true. */
  deleted: boolean;
};

/** One attempt to deliver an event. */
export type DeliveryAttempt = {
  /** The attempt. */
  id: string;
  /** The number of the attempt, starting at 1. */
  number: number;
  /** `scheduled` for automatic attempts, `manual` for redeliveries that you requested. */
  kind: "scheduled" | "manual";
  /** The outcome of the attempt. */
  outcome: "delivered" | "failed";
  /** HTTP status of the response; null if there was none. */
  response_code: number | null;
  /** The beginning of the response body. */
  response_body: string | null;
  /** Why there was no response. */
  error: string | null;
  /** Duration in milliseconds. 0 if nothing was sent because the URL has no public address. */
  duration_ms: number;
  /** When the attempt was made. */
  attempted_at: string;
};

export type EmailLogin = {
  /** The login token: send it as `Authorization: Bearer`. */
  session_token: string;
};

export type EmailLoginStarted = {
  /** Seconds until the code expires. */
  expires_in: number;
  /** Whether a code was sent. The response is identical whether or not an account exists. */
  sent: boolean;
};

/** The response body of every error. */
export type ErrorAnswer = {
  error: {
    /** Error code. Base program logic on this field. */
    code: "invalid_request" | "invalid_email_request" | "invalid_nonce_request" | "invalid_signature" | "invalid_invitation" | "invalid_payout_wallet" | "invalid_checkout_session" | "invalid_payment_link" | "invalid_route" | "invalid_refund" | "invalid_webhook_endpoint" | "invalid_list_request" | "invalid_payment_state" | "authentication_required" | "invalid_credentials" | "invalid_code" | "forbidden" | "signup_closed" | "not_found" | "method_not_allowed" | "request_timeout" | "idempotency_conflict" | "idempotency_in_progress" | "link_disabled" | "payload_too_large" | "uri_too_long" | "unsupported_media_type" | "rate_limited" | "headers_too_large" | "internal_error" | "service_unavailable" | "email_unavailable";
    /** Human-readable explanation: what was wrong and what is expected. */
    message: string;
    /** Path of the rejected field, such as `line_items[0].quantity`; null if no single field caused the error. */
    param: string | null;
  };
  request_id: RequestId;
};

/** A change of a payment or a refund, exactly as delivered. */
export type AnyEvent = {
  /** The event ID. It is the same in every attempt, so use it to deduplicate events. */
  id: string;
  type: WebhookEventType;
  /** When it happened. */
  created: string;
  /** Set on samples of `POST /v1/webhooks/test`: no such payment or refund exists. Never act on a sample. */
  sample?: true;
  /** The payment at the time of the event; for the types of refunds, the refund. */
  data: EventData | Refund;
};

/** The payment at the time of the event, plus the hash of the transaction that completed it. */
export type EventData = Payment & {
  /** The transaction that completed the payment; null until then. */
  tx_hash: string | null;
};

/** Permission to open one account on this server. */
export type Invitation = {
  /** The invitation. */
  id: string;
  /** Always `invitation`. */
  object: "invitation";
  /** Only a pending invitation opens an account. */
  status: "pending" | "used" | "revoked" | "expired";
  /** The email address that the link was sent to, or null. */
  email: string | null;
  /** A label for your own reference. */
  label: string | null;
  /** When it was created. */
  created_at: string;
  /** When it expires. */
  expires_at: string;
  /** When an account was opened with it, or null. */
  used_at: string | null;
};

/** An invitation at the moment it is created. */
export type InvitationWithUrl = Invitation & {
  /** The link to share. Returned only once: the server stores its hash. */
  url: string;
};

/** A line item of the order, shown to the customer. */
export type LineItem = {
  /** The name of the item. */
  name: string;
  /** The quantity. */
  quantity: number;
  /** Total of the line in the display currency; negative for discounts. */
  amount: string;
  /** Price of one unit. `quantity` × `unit_amount` must equal `amount`, and as soon as one line has it, all lines must add up to the session's `amount`. */
  unit_amount?: string;
};

export type LoggedOut = {
  /** Always true. */
  logged_out: boolean;
};

/** The merchant, as shown to customers. */
export type Merchant = {
  /** The merchant's name. */
  name: string | null;
  /** The merchant's logo. */
  logo_url: string | null;
  /** The merchant's support email address. */
  support_email: string | null;
  /** The merchant's support page. */
  support_url: string | null;
};

export type Nonce = {
  /** The message to sign, unchanged, in the format of Sign-In with Ethereum (EIP-4361) or Sign-In With Solana. */
  nonce: string;
  /** Seconds until the message expires. */
  expires_in: number;
};

/** A transfer near this payment, or named on its page, that does not count toward it. */
export type OtherTransfer = {
  /** The asset that arrived. */
  asset: string;
  /** The network. */
  network: string;
  /** The amount. */
  amount: string;
  /** The transaction hash. */
  tx_hash: string;
  /** Why it does not count toward the payment. */
  reason: "no_match" | "already_paid" | "already_refunded" | "other_asset" | "wrong_network" | "too_small" | "released";
};

/** Pagination. */
export type Pagination = {
  /** Send it as `cursor` for the next page; null on the last one. */
  cursor: string | null;
  /** Whether there is a next page. */
  has_more: boolean;
  /** Total number of items, if known. */
  total?: number;
};

/** The money side of a checkout session. */
export type Payment = {
  /** The payment. */
  id: string;
  /** Always `payment`. */
  object: "payment";
  /** `true` in live mode, `false` in test mode. */
  livemode: boolean;
  status: PaymentStatus;
  /** Increases by one with each event of the payment. The higher value is newer, between events with the same `created_at`. */
  sequence: number;
  route: RouteType;
  /** The amount charged. */
  amount: string;
  /** The display currency. */
  currency: "USD" | "EUR" | "AED";
  /** The asset that the customer pays with. Until one is chosen, the payout asset. */
  pay_asset: string;
  /** The network that the customer pays on. */
  pay_network: string;
  /** Your own order number. */
  order_id: string | null;
  /** The key-value pairs you sent; `{}` if none. */
  metadata: Record<string, string>;
  /** The customer that you sent, or null. */
  customer: Customer | null;
  /** The description of the session. */
  description: string | null;
  /** The payout wallet that receives the funds. */
  payout_wallet_id: string;
  /** The payment link that created it, if any. */
  payment_link_id: string | null;
  /** The asset that the payout wallet receives. */
  receive_asset: string;
  /** The network that the wallet receives it on. If you assigned a transfer that arrived on another one, the network of that transfer. */
  receive_network: string;
  /** The payout wallet's address when the session was created. */
  receive_address: string;
  /** The checkout session of the payment. */
  session: string | null;
  /** The session's on-chain reference. */
  reference: string | null;
  /** The expected amount, in the payout asset. */
  expected_output: string | null;
  /** The amount received, in the payout asset, once it is final. */
  actual_output: string | null;
  /** The amount minus the service fee: what a payment in full brings. `actual_output` is what arrived. */
  net_settlement: string;
  /** `0.00` for direct payments, 1.5% of the amount for routed payments. */
  service_fee: string;
  /** The transactions that settled the payment; empty until then. */
  tx_hashes: string[];
  /** Why it failed or needs a refund. */
  failure_reason: "underpaid" | "paid_late" | "rate_unknown" | "untraced_transfer" | "transaction_reverted" | "route_refunded" | "route_failed" | "route_expired" | "short_delivery" | "compliance_hold" | "transfer_released" | null;
  /** The refund that you recorded, or the sum of those that made the payment `refunded`. */
  refund: RecordedRefund | null;
  /** The value of `actual_output` in the display currency, by the payment's own rate, rounded down. */
  received_amount: string | null;
  /** By how much `received_amount` is above what was due. `0.00` also if only the last digits that identify the payment are. */
  surplus: string;
  /** The sum of the refunds that are final, and of what you recorded as refunded. */
  refunded_amount: string;
  /** Its refunds, oldest first, in every status. `GET /v1/payments/{id}/refunds` lists them. */
  refunds: string[];
  /** Set if the money of the payment is in doubt after it was final, which no network should allow. The status does not change. */
  settlement_alert: SettlementAlert | null;
  /** `receive_network` in CAIP-2. In test mode no transaction exists on it. */
  network_caip2: string;
  /** `receive_asset` in CAIP-19. */
  asset_caip19: string;
  /** `receive_address` in CAIP-10. */
  receive_address_caip10: string;
  /** When its session was created. */
  created_at: string;
};

/** A checkout session was created, or the customer of a payment link made their first choice. Nothing has been paid yet. */
export type PaymentCreatedEvent = {
  /** The event ID. It is the same in every attempt, so use it to deduplicate events. */
  id: string;
  type: "payment.created";
  /** When it happened. */
  created: string;
  /** Set on samples of `POST /v1/webhooks/test`: no such payment or refund exists. Never act on a sample. */
  sample?: true;
  data: EventData;
};

/** The customer did not pay before the session expired. */
export type PaymentExpiredEvent = {
  /** The event ID. It is the same in every attempt, so use it to deduplicate events. */
  id: string;
  type: "payment.expired";
  /** When it happened. */
  created: string;
  /** Set on samples of `POST /v1/webhooks/test`: no such payment or refund exists. Never act on a sample. */
  sample?: true;
  data: EventData;
};

/** The payment could not be completed. */
export type PaymentFailedEvent = {
  /** The event ID. It is the same in every attempt, so use it to deduplicate events. */
  id: string;
  type: "payment.failed";
  /** When it happened. */
  created: string;
  /** Set on samples of `POST /v1/webhooks/test`: no such payment or refund exists. Never act on a sample. */
  sample?: true;
  data: EventData;
};

/** A reusable URL that creates a checkout session for each customer. */
export type PaymentLink = {
  /** The link. */
  id: string;
  /** Always `payment_link`. */
  object: "payment_link";
  /** `true` in live mode, `false` in test mode. */
  livemode: boolean;
  /** The URL to share. Each customer who presses *Pay* there gets a checkout session. */
  url: string;
  /** Description shown to the customer. */
  description: string;
  /** The amount to charge each time, or to suggest. */
  amount: string;
  /** The display currency. */
  currency: "USD" | "EUR" | "AED";
  /** The payout wallet that receives the funds. */
  payout_wallet_id: string;
  /** The asset that the wallet receives. */
  receive_asset: string;
  /** The network that the wallet receives it on. */
  receive_network: string;
  /** A disabled link accepts no new payments. */
  status: "active" | "disabled";
  /** Number of paid payments made through it. */
  payments: number;
  /** Questions to the customer before they pay. */
  ask_for: ("name" | "email" | "note")[];
  /** The name of the note on the page. Required with one, and optional without. */
  note_label: string | null;
  /** The limits within which the customer enters the amount; null if it is fixed. */
  open_amount: {
    /** The least amount. */
    min: string;
    /** The largest amount. */
    max: string;
  } | null;
  /** From then on the link opens no checkout. */
  ends_at: string | null;
  /** After this many paid payments the link opens no checkout. */
  max_payments: number | null;
  /** Your own order number. */
  order_id: string | null;
  /** The key-value pairs you sent; `{}` if none. */
  metadata: Record<string, string>;
  /** The customer that you sent, or null. */
  customer: Customer | null;
  /** The value you sent. */
  success_url: string | null;
  /** The value you sent. */
  cancel_url: string | null;
  /** When it was created. */
  created_at: string;
};

/** The funds are final in the payout wallet. Fulfill the order. */
export type PaymentPaidEvent = {
  /** The event ID. It is the same in every attempt, so use it to deduplicate events. */
  id: string;
  type: "payment.paid";
  /** When it happened. */
  created: string;
  /** Set on samples of `POST /v1/webhooks/test`: no such payment or refund exists. Never act on a sample. */
  sample?: true;
  data: EventData;
};

/** The customer has started to pay. The transfer is pending. */
export type PaymentPendingEvent = {
  /** The event ID. It is the same in every attempt, so use it to deduplicate events. */
  id: string;
  type: "payment.pending";
  /** When it happened. */
  created: string;
  /** Set on samples of `POST /v1/webhooks/test`: no such payment or refund exists. Never act on a sample. */
  sample?: true;
  data: EventData;
};

/** Funds arrived but do not settle the payment. Accept or refund them. */
export type PaymentRefundRequiredEvent = {
  /** The event ID. It is the same in every attempt, so use it to deduplicate events. */
  id: string;
  type: "payment.refund_required";
  /** When it happened. */
  created: string;
  /** Set on samples of `POST /v1/webhooks/test`: no such payment or refund exists. Never act on a sample. */
  sample?: true;
  data: EventData;
};

/** You returned the amount of the payment, or recorded that you did. */
export type PaymentRefundedEvent = {
  /** The event ID. It is the same in every attempt, so use it to deduplicate events. */
  id: string;
  type: "payment.refunded";
  /** When it happened. */
  created: string;
  /** Set on samples of `POST /v1/webhooks/test`: no such payment or refund exists. Never act on a sample. */
  sample?: true;
  data: EventData;
};

/** The customer's asset is being converted into the payout asset. */
export type PaymentRoutingEvent = {
  /** The event ID. It is the same in every attempt, so use it to deduplicate events. */
  id: string;
  type: "payment.routing";
  /** When it happened. */
  created: string;
  /** Set on samples of `POST /v1/webhooks/test`: no such payment or refund exists. Never act on a sample. */
  sample?: true;
  data: EventData;
};

/** The converted funds are on their way to the payout wallet. */
export type PaymentSettlingEvent = {
  /** The event ID. It is the same in every attempt, so use it to deduplicate events. */
  id: string;
  type: "payment.settling";
  /** When it happened. */
  created: string;
  /** Set on samples of `POST /v1/webhooks/test`: no such payment or refund exists. Never act on a sample. */
  sample?: true;
  data: EventData;
};

/** Payment status. The session's status always matches. */
export type PaymentStatus = "created" | "pending" | "routing" | "settling" | "paid" | "failed" | "expired" | "refund_required" | "refunded";

/** The history of a payment, in order. */
export type PaymentTimeline = {
  /** The payment. */
  payment: string;
  /** Oldest first. */
  entries: TimelineEntry[];
};

/** A saved payout address. Payments can only settle to saved addresses. */
export type PayoutWallet = {
  /** The payout wallet. */
  id: string;
  /** Always `payout_wallet`. */
  object: "payout_wallet";
  /** `true` in live mode, `false` in test mode. */
  livemode: boolean;
  /** The asset that the wallet receives. */
  asset: "ETH" | "SOL" | "USDC" | "USDT";
  /** The network that the wallet receives it on. */
  network: "ethereum" | "base" | "polygon" | "arbitrum" | "solana";
  /** Your wallet's address, which payments settle to. */
  address: string;
  /** Its name in the dashboard. Defaults to the asset and network. */
  label: string | null;
  /** Whether sessions without a `payout_wallet_id` settle here. The first wallet is the default. */
  is_default: boolean;
  /** An archived wallet accepts no new sessions or links. Open ones still settle to it. */
  archived: boolean;
  /** Whether you proved that you own the address. */
  proved: boolean;
  /** `required`: in live mode this wallet gets no exact amounts and no manual assignment until you prove the address, because another account has saved it or a contract lives there. `disputed`: another account proved it first, and the operator of the server has been notified. */
  proof: "proved" | "not_required" | "required" | "disputed";
  /** False while no RPC provider could be asked what lives at the address. Until one answers, it counts as a contract if its network is watched. */
  looked_up: boolean;
  /** Why no session can settle to this wallet, in a sentence: it is a token account, which was found after it was saved. */
  unfit: string | null;
  /** `confirmation`: a live secret key added it, and no payment can settle to it until the owner of the account confirms it in the dashboard. Null if it waits for nothing. */
  waits_for: "confirmation" | null;
  /** Whether it was added with a secret key or a login. */
  created_by: "key" | "login";
  /** When it was saved. */
  created_at: string;
};

/** A payment option. */
export type PublicOption = {
  /** The asset to pay with. */
  asset: string;
  /** The network. */
  network: string;
  kind: RouteType;
  /** Whether it can be chosen now. */
  available: boolean;
  /** About the amount to send, at the current market price and without the cost of a conversion. An estimate to choose by: `payment.amount` is the amount to pay. Null while no price is known, and once the payment can no longer be chosen. */
  estimated_amount: string | null;
  /** Usual seconds from sending the payment to `paid`, by block times and required confirmations. Null once the payment can no longer be chosen. */
  typical_seconds: number | null;
};

/** The instructions and progress of the payment. */
export type PublicPayment = {
  /** The asset to send. */
  asset: string;
  /** The network to send it on. */
  network: string;
  kind: RouteType;
  /** The address to send to. */
  address: string;
  /** The exact amount to send. It stays the same when transfers arrive. */
  amount: string;
  /** The exact amount still to send. */
  amount_due: string;
  /** The amount detected so far, final or not. */
  amount_seen: string;
  /** The amount received and final. */
  amount_received: string;
  /** Payment URI for wallets: Solana Pay, EIP-681 or BIP-21. Null on networks without such a format. In test mode it names a test network, which the service does not read, and is null for coins that have no test coin of their issuer. */
  uri: string | null;
  /** The reference that a Solana transfer carries. */
  reference: string | null;
  /** Calldata to append to the arguments of a transfer on EVM networks; null if not supported. */
  tag: string | null;
  /** Identification of a transfer to this payment. `amount`: send exactly `amount_due`. `reference`: the amount is not unique, so only a wallet that sends `tag`, or on Solana the `reference` of `uri`, can pay; show no address and no code without it, because such a transfer is not recognized. Null where the payment is converted. */
  identified_by: "amount" | "reference" | null;
  /** Confirmations of the newest detected transfer. */
  confirmations: number | null;
  /** Confirmations required for finality. */
  confirmations_needed: number | null;
  /** The transactions of the detected transfers. */
  tx_hashes: string[];
  /** Why it failed or needs a refund. */
  failure_reason: "underpaid" | "paid_late" | "rate_unknown" | "untraced_transfer" | "transaction_reverted" | "route_refunded" | "route_failed" | "route_expired" | "short_delivery" | "compliance_hold" | "transfer_released" | null;
  /** When the quoted amount expires; null if it is valid until the session expires. */
  quote_expires_at: string | null;
  /** The address that a failed conversion is returned to. */
  refund_address: string | null;
  /** The route provider that converts the payment; null for direct payments. */
  provider: string | null;
  /** The route provider's ID of the conversion, to quote when asking them; null for direct payments. */
  provider_order: string | null;
  /** Surplus of the amount over what the merchant receives, in percent, if above the operator’s limit. Null otherwise. */
  price_warning_pct: number | null;
  /** Transfers near this payment, or named on its page, that do not count toward it. Anyone can name a transfer. */
  other_transfers: OtherTransfer[];
};

/** A checkout session, as shown to its customer. */
export type PublicSession = {
  /** The session. */
  id: string;
  status: PaymentStatus;
  /** The amount to charge. */
  amount: string;
  /** The display currency. */
  currency: "USD" | "EUR" | "AED";
  /** The part of the amount that the merchant returned. */
  refunded_amount: string;
  /** Description of the order. */
  description: string | null;
  /** The line items of the order. */
  line_items: LineItem[] | null;
  merchant: Merchant;
  /** `true` in live mode, `false` in test mode. */
  livemode: boolean;
  /** When the session expires. */
  expires_at: string | null;
  /** The server's current time, for countdowns. */
  server_time: string;
  /** Whether the customer may try the order again in a new checkout, which the page at `/checkout/{id}/again` opens: for a day after it expired or failed, if no money of theirs is with the merchant or a provider. */
  can_retry: boolean;
  /** An earlier checkout of the same order that the customer should open before they pay in this one or start another: money arrived there, or they named a transaction. */
  earlier?: {
    /** The earlier session. */
    id: string;
    /** Whether money came to it. Otherwise its customer only named a transaction there. */
    arrived: boolean;
  };
  /** The payment options. */
  options: PublicOption[];
  /** The chosen payment option, or null before one is chosen. */
  payment: PublicPayment | null;
};

/** A signed statement of what a payment received, which anyone can verify offline. */
export type Receipt = {
  /** The receipt. */
  id: string;
  /** Always `receipt`. */
  object: "receipt";
  /** `true` in live mode, `false` in test mode. */
  livemode: boolean;
  /** The payment. */
  payment: string;
  /** The URL of the public keys of the account and mode. Take keys only from a service that you trust. */
  jwks_url?: string;
  /** The receipt that this one replaces. */
  supersedes: string | null;
  /** The signed receipt: a compact JWS (EdDSA) with the claims as its payload. */
  jws: string;
  claims: ReceiptClaims;
  /** When it was signed. */
  issued_at: string;
};

/** The claims of a receipt. The signature covers all of them. */
export type ReceiptClaims = {
  /** The service that signed it. */
  iss: string;
  /** The receipt. */
  jti: string;
  /** When it was signed, in Unix seconds. */
  iat: number;
  /** The URL of the public keys of the account and mode. Take keys only from a service that you trust. */
  jwks_url?: string;
  /** The receipt that this one replaces, after a refund or a change on the chain. */
  supersedes: string | null;
  /** `true` in live mode, `false` in test mode. */
  livemode: boolean;
  /** The payment. */
  payment: string;
  /** Its checkout session. */
  session: string;
  status: PaymentStatus;
  /** Your own order number. */
  order_id: string | null;
  /** Amount charged. */
  amount: string;
  /** The display currency. */
  currency: "USD" | "EUR" | "AED";
  route: RouteType;
  /** Receiving network, in CAIP-2. */
  network: string;
  /** Asset received, in CAIP-19. */
  asset: string;
  /** Amount received, in the asset. */
  received: string | null;
  /** The address that received it, in CAIP-10. */
  payee: string;
  /** The one address that paid directly, in CAIP-10; null for conversions and several senders. */
  payer: string | null;
  /** When it became paid; null if it never did. */
  paid_at: string | null;
  /** Oldest first. */
  transfers: ReceiptTransfer[];
  /** The price that the amount was computed with; null where one unit is one unit of the currency. */
  rate: {
    /** Price of one unit: numerator. */
    numerator: string;
    /** Price of one unit: denominator. */
    denominator: string;
    /** When the price was taken. */
    at: string;
    sources: {
      /** Source of the price. */
      source: string;
      /** Its price. */
      price?: string;
    }[];
  } | null;
  /** Refunds that the merchant recorded. */
  refunds: {
    /** Amount refunded. */
    amount: string;
    /** Address the refund was sent to. */
    address: string | null;
    /** When the merchant recorded it. */
    recorded_at: string;
  }[];
  /** Set if the money is in doubt after it was final. */
  settlement_alert: SettlementAlert | null;
  /** Version of the x402 receipt. */
  version?: 1;
  /** URL at which programs pay the checkout, for x402. */
  resourceUrl?: string;
  /** `iat`, for x402. */
  issuedAt?: number;
  /** The newest transaction, for x402. */
  transaction?: string | null;
};

/** A final transfer that counts for the payment, with the evidence for it. */
export type ReceiptTransfer = {
  /** The transaction; null for a balance that grew without one that any provider could show. */
  tx_hash: string | null;
  /** Index of the transfer in its transaction. */
  index: number;
  /** Asset sent, in CAIP-19. */
  asset: string;
  /** Amount sent. */
  amount: string;
  /** Sender, in CAIP-10. Null if the chain names none. */
  from: string | null;
  /** Number of its block, or slot on Solana. */
  block_number: string;
  /** The hash of the block. */
  block_hash: string;
  /** The time of the block. */
  block_time: string;
  /** Confirmations when it became final. Null if it became final with its block. */
  confirmations: number | null;
  /** Number of RPC providers that agreed when it became final. */
  providers: number;
  /** False if it disappeared from the chain after it was final. */
  on_chain: boolean;
};

/** Whether a receipt is valid, and whether it is still current. */
export type ReceiptVerdict = {
  /** Whether this service signed it, unchanged. */
  valid: boolean;
  /** Why it is not valid. */
  reason: string | null;
  /** The claims of the receipt, if it is valid. */
  claims: ReceiptClaims | null;
  /** Whether the payment still matches the receipt. False after a refund, a change on the chain, or if the money no longer counts for the payment. */
  current: boolean;
  /** The newest receipt of the payment, if this one was replaced. Null if no receipt can replace it, because the payment has no final money any more. */
  superseded_by: string | null;
};

/** The refund with which the payment became `refunded`. */
export type RecordedRefund = {
  /** The refunded amount. */
  amount: string;
  /** The address the refund was sent to, if you recorded one. */
  address: string | null;
  /** The reason, if you gave one. */
  reason: string | null;
  /** When it was recorded. */
  created_at: string;
};

/** Redelivery summary. */
export type Redelivery = {
  /** Number of deliveries requeued. */
  redelivered: number;
};

/** Money that goes back to the customer from your own wallet. */
export type Refund = {
  /** The refund. */
  id: string;
  /** Always `refund`. */
  object: "refund";
  /** `true` in live mode, `false` in test mode. */
  livemode: boolean;
  /** The payment that it returns money of. */
  payment: string;
  status: RefundStatus;
  /** Increases by one with each event of the refund. */
  sequence: number;
  /** The amount in the display currency, by the payment's own rate, rounded down. */
  amount: string;
  /** The display currency. */
  currency: "USD" | "EUR" | "AED";
  /** The exact amount to send. */
  coin_amount: string;
  /** The asset to send: the one that the payment brought. */
  asset: string;
  /** The network to send it on: the one that the payment arrived on. */
  network: string;
  /** The address that it is sent to; null if you recorded a refund without one, and while it is `requested`. */
  to: string | null;
  /** The reason, if you gave one. */
  reason: string | null;
  /** Its transaction; null until you name it. */
  tx_hash: string | null;
  /** Whether the RPC providers agree that this exact transfer is final. False for what you only recorded, and in test mode. */
  verified: boolean;
  /** Set while the transaction is on the chain but does not make this transfer. The refund stays `sent` and keeps its amount until you name the right transaction or cancel it. */
  mismatch: RefundMismatch | null;
  /** Set if the customer was asked by a link where to send it. */
  link: RefundLink | null;
  /** Why it is `failed`: no money moved. */
  failure_reason: "transaction_reverted" | "transaction_not_found" | null;
  /** When it was created. */
  created_at: string;
};

/** A refund was created. Nothing has been returned yet. */
export type RefundCreatedEvent = {
  /** The event ID. It is the same in every attempt, so use it to deduplicate events. */
  id: string;
  type: "refund.created";
  /** When it happened. */
  created: string;
  /** Set on samples of `POST /v1/webhooks/test`: no such payment or refund exists. Never act on a sample. */
  sample?: true;
  data: Refund;
};

/** The transaction of the refund moved no money. Its amount is free again. */
export type RefundFailedEvent = {
  /** The event ID. It is the same in every attempt, so use it to deduplicate events. */
  id: string;
  type: "refund.failed";
  /** When it happened. */
  created: string;
  /** Set on samples of `POST /v1/webhooks/test`: no such payment or refund exists. Never act on a sample. */
  sample?: true;
  data: Refund;
};

/** The money was returned, or you recorded that it was. */
export type RefundFinalEvent = {
  /** The event ID. It is the same in every attempt, so use it to deduplicate events. */
  id: string;
  type: "refund.final";
  /** When it happened. */
  created: string;
  /** Set on samples of `POST /v1/webhooks/test`: no such payment or refund exists. Never act on a sample. */
  sample?: true;
  data: Refund;
};

/** The link by which the customer names where the refund goes. */
export type RefundLink = {
  /** `open`: the customer can name an address. `answered`: they did. `closed`: it has expired, or the refund was cancelled before. */
  status: "open" | "answered" | "closed";
  /** The link; only in the response that created it, because only its hash is stored. */
  url: string | null;
  /** Until when the customer can name an address. */
  expires_at: string;
  /** The address that the link was mailed to; null if it was not, and once the refund has ended. */
  mailed_to: string | null;
  /** The address that the customer named. */
  address: string | null;
  /** Whether the wallet that paid signed for it. Then you need not confirm it. */
  proved: boolean;
  /** When the customer named it. */
  answered_at: string | null;
};

/** The transfer that the transaction makes instead. */
export type RefundMismatch = {
  /** The asset that was sent to the address; null if the transaction moved nothing there. */
  asset: string | null;
  /** The amount that was sent. */
  coin_amount: string | null;
  /** The address that it was sent to. */
  to: string | null;
};

/** `requested`: the customer has not named an address yet, or you have not confirmed it. `planned`: not sent yet. `sent`: you named its transaction, which is not verified yet. `final`: the money was returned. */
export type RefundStatus = "requested" | "planned" | "sent" | "final" | "failed" | "cancelled";

/** Identifies this request in the server's logs. Also sent as the `Request-Id` header. */
export type RequestId = string;

export type RevokedInvitation = {
  /** The ID of the deleted object. */
  id: string;
  /** Always true. */
  deleted: boolean;
};

/** Cost of a payment for the customer, and the amount that you would receive. */
export type RouteQuote = {
  /** The quote. */
  id: string;
  /** `true` in live mode, `false` in test mode. */
  livemode: boolean;
  type: RouteType;
  /** The route provider; `direct` if no conversion is needed; `indicative` if no provider responded and the amounts are estimates. */
  provider: string;
  /** The asset that the customer pays with. */
  pay_asset: string;
  /** The network that the customer pays on. */
  pay_network: string;
  /** The amount that the customer pays. */
  pay_amount: string;
  /** Service fee in percent: 0 for direct payments, 1.5 for routed payments. */
  fee_pct: 0 | 1.5;
  /** Service fee in the display currency. */
  service_fee: string;
  /** The expected payout, as amount and asset. */
  expected_output: string;
  /** Surplus that the customer pays over what the wallet receives, in percent, if above the operator’s limit (5% by default). Show it to the customer before they pay. Null otherwise. */
  price_warning_pct: number | null;
  /** Seconds until the quote expires. */
  expires_in: number;
  /** When the quote expires. */
  expires_at: string;
};

/** `direct`: paid in the payout asset on the payout network, with no fee. `routed`: converted by a route provider, with a 1.5% fee. */
export type RouteType = "direct" | "routed";

/** `sessions:read`: Read checkout sessions. `sessions:write`: Create checkout sessions. `links:read`: Read payment links. `links:write`: Create, disable and enable payment links. `payments:read`: Read payments, timelines and receipts. `payments:write`: Record that a payment was refunded. `refunds:read`: Read refunds. `refunds:write`: Plan refunds, report that they were sent, and cancel them. `quotes:read`: Ask what a payment would cost. `wallets:read`: Read payout wallets. `wallets:write`: Save payout wallets, if the account allows keys to do so. `webhooks:read`: Read webhook endpoints and deliveries. `webhooks:write`: Create, change, test and delete webhook endpoints, and deliver again. `events:read`: Read and stream events. `transfers:read`: Read transfers. `account:read`: Read the account. `test:write`: Pay and move the clock in test mode. */
export type Scope = "sessions:read" | "sessions:write" | "links:read" | "links:write" | "payments:read" | "payments:write" | "refunds:read" | "refunds:write" | "quotes:read" | "wallets:read" | "wallets:write" | "webhooks:read" | "webhooks:write" | "events:read" | "transfers:read" | "account:read" | "test:write";

/** Something that happened to the money of a payment after it was final. Check the chain before you ship. */
export type SettlementAlert = {
  /** `transfer_disappeared`: a transfer that was final is no longer on the chain. */
  type: "transfer_disappeared";
  /** The transaction of the transfer. */
  tx_hash: string;
  /** When it was detected. */
  detected_at: string;
};

/** The test clock. */
export type TestClock = {
  /** The current time in the account's test mode. */
  now: string;
};

/** An entry in a payment's timeline. */
export type TimelineEntry = {
  /** The kind of entry: a status change, an assigned payment target, a transfer, a route quote, a webhook attempt or a refund. */
  type: "status" | "target" | "transfer" | "quote" | "webhook" | "refund";
  /** When it happened. */
  at: string;
  /** One-sentence summary of the entry. */
  summary: string;
  /** Details that depend on `type`, such as transaction, block, confirmations, providers or rate. */
  data: Record<string, unknown>;
};

/** Confirms that the transaction will be looked up. */
export type TransactionNotice = {
  /** Always true. The session shows the result. */
  accepted: boolean;
};

/** A transfer to one of your payout wallets. */
export type Transfer = {
  /** The transfer. */
  id: string;
  /** Always `transfer`. */
  object: "transfer";
  /** `true` in live mode, `false` in test mode. */
  livemode: boolean;
  /** The network of the transfer. */
  network: string;
  /** The asset that was sent. */
  asset: string;
  /** The amount. */
  amount: string;
  /** The sender's address, if known. */
  from: string | null;
  /** The payout wallet's address. */
  to: string;
  /** The transaction hash. */
  tx_hash: string;
  /** The position of the transfer in its transaction. */
  index: number;
  /** The block's timestamp. */
  block_time: string;
  /** Why it is not attributed to a payment; null if it is. */
  reason: "no_match" | "already_paid" | "already_refunded" | "other_asset" | "wrong_network" | "too_small" | "released" | null;
  /** The payment it settled or is a candidate for. With the reason `no_match`, only an unproven reference points to that payment: check who sent the funds before you assign it. */
  payment: string | null;
  /** Whether a payment of another account took this transfer. Only the account that proved the address sees it, and may release it. */
  held_by_other_account: boolean;
  /** Whether a second RPC provider reported it, or the only configured one did. Before that it is never final, no mail is sent about it, and it may turn out never to have happened. */
  confirmed: boolean;
  /** When you marked it as handled; null while it is open. */
  handled_at: string | null;
  /** Your note on how you handled it. */
  handled_note: string | null;
  /** The status of `payment`. */
  payment_status: PaymentStatus | null;
  /** The `order_id` of `payment`. */
  order_id: string | null;
  /** The payments on whose pages the transaction was submitted, while no payment has the transfer: the first three. Anyone who knows a transaction can submit it, so it proves nothing: compare the amount and the time, and ask the customer, before you assign it. */
  named_by: {
    /** The payment. */
    payment: string;
    /** The `order_id` of `payment`. */
    order_id: string | null;
  }[];
  /** `network` in CAIP-2. In test mode no transaction exists on it. */
  network_caip2: string;
  /** `asset` in CAIP-19. */
  asset_caip19: string;
  /** `from` in CAIP-10; null where the chain names no sender. */
  from_caip10: string | null;
  /** `to` in CAIP-10. */
  to_caip10: string;
};

/** A payment transaction for a wallet to sign and send. */
export type UnsignedTransaction = {
  /** The unsigned transaction in wire format, base64-encoded. */
  transaction: string;
};

export type WalletLogin = {
  /** The login token: send it as `Authorization: Bearer`. */
  session_token: string;
  /** The account's payout wallet in live mode: the wallet that signed. */
  payout_wallet_id: string;
};

/** The state of an ownership verification. */
export type WalletProof = {
  /** The payout wallet. */
  payout_wallet_id: string;
  /** Whether ownership of the address is verified. */
  proved: boolean;
  /** The message to sign with the wallet, unchanged. Null if you sent a proof. */
  message: string | null;
  /** Seconds until the message expires. */
  expires_in: number | null;
  /** `disputed` if the proof is valid but another account proved the address first. */
  proof: "proved" | "not_required" | "required" | "disputed";
  /** Proves the address without a signature. Null in test mode, once you sent a proof, and for a sixth wallet with the same address. */
  transfer: {
    /** Asset to send. */
    asset: string;
    /** Network on which to send it. */
    network: string;
    /** Exact amount to send. */
    amount: string;
    /** The address to send from. */
    from: string;
    /** The address to send to: the same one. */
    to: string;
    /** The transfer counts until then. */
    expires_at: string;
  } | null;
};

/** The delivery of one event to one endpoint. */
export type WebhookDelivery = {
  /** The delivery. */
  id: string;
  /** Always `webhook_delivery`. */
  object: "webhook_delivery";
  /** `true` in live mode, `false` in test mode. */
  livemode: boolean;
  /** The endpoint of the delivery. */
  endpoint_id: string;
  /** The event that it delivers. */
  event_id: string;
  event_type: WebhookEventType;
  /** `parked`: waits until its endpoint is enabled again. `failed`: all six attempts failed. `cancelled`: its endpoint was deleted. */
  status: "pending" | "parked" | "delivered" | "failed" | "cancelled";
  /** Number of scheduled attempts made. */
  attempt_count: number;
  /** HTTP status of the latest attempt; null if there was no response. */
  last_response_code: number | null;
  /** Why the latest attempt got no response; null if it got one. */
  last_error: string | null;
  /** When the next attempt is due. */
  next_attempt_at: string | null;
  /** When it was recorded. */
  created_at: string;
  /** When it was delivered, or failed for the last time. Null until then, and if it was cancelled first. */
  finished_at: string | null;
};

/** A delivery and all its attempts. */
export type WebhookDeliveryDetail = WebhookDelivery & {
  /** Oldest first. */
  attempts: DeliveryAttempt[];
};

/** A URL on your server that receives events. */
export type WebhookEndpoint = {
  /** The endpoint. */
  id: string;
  /** Always `webhook_endpoint`. */
  object: "webhook_endpoint";
  /** `true` in live mode, `false` in test mode. */
  livemode: boolean;
  /** The URL that events are sent to. */
  url: string;
  /** The event types sent to this endpoint. */
  events: WebhookEventType[];
  /** An endpoint is disabled when all six attempts of a delivery have failed. */
  status: "active" | "disabled";
  /** Delivery statistics of the endpoint. */
  delivery_status: {
    /** Deliveries waiting for their next attempt, including parked ones. */
    pending: number;
    /** Events that were counted and not queued, because too many deliveries were waiting already. They are listed by `GET /v1/events`. */
    uncollected: number;
    /** Outcome of the latest attempt; null before the first. */
    last_outcome: "delivered" | "failed" | null;
    /** HTTP status of the latest attempt; null if there was no response. */
    last_response_code: number | null;
    /** Why the latest attempt got no response, such as `connection_refused`; null if it got one. */
    last_error: string | null;
    /** When the latest attempt was made. */
    last_attempt_at: string | null;
    /** Number of its latest 100 deliveries that succeeded. */
    recent_delivered: number;
    /** Number of its latest 100 deliveries that have failed so far. */
    recent_failed: number;
    /** Average response time of the latest deliveries that were answered, in milliseconds. */
    average_duration_ms: number | null;
  };
  /** True if its deliveries also carry signatures that the keys at `jwks_url` verify: `v1a` and `Service-Audience`. */
  asymmetric_signature?: boolean;
  /** The public keys of the account in this mode. Present with `asymmetric_signature`. */
  jwks_url?: string;
  /** When it was created. */
  created_at: string;
};

/** A webhook endpoint with a newly created secret. */
export type WebhookEndpointWithSecret = WebhookEndpoint & {
  /** The secret that signs deliveries. Returned only once. */
  secret: string;
};

/** One type per payment status, and three types of refunds. */
export type WebhookEventType = "payment.created" | "payment.pending" | "payment.routing" | "payment.settling" | "payment.paid" | "payment.failed" | "payment.expired" | "payment.refund_required" | "payment.refunded" | "refund.created" | "refund.final" | "refund.failed";

/** The result of the sample delivery. */
export type WebhookTest = {
  /** Whether the endpoint responded with a 2xx status. */
  delivered: boolean;
  /** The HTTP status of the response; 0 if there was none. */
  response_code: number;
};

/** Any event of a payment, distinguished by its `type`. */
export type Event =
  | PaymentCreatedEvent
  | PaymentPendingEvent
  | PaymentRoutingEvent
  | PaymentSettlingEvent
  | PaymentPaidEvent
  | PaymentFailedEvent
  | PaymentExpiredEvent
  | PaymentRefundRequiredEvent
  | PaymentRefundedEvent;

/** Any event of a refund. Only endpoints that name its type get it. */
export type RefundEvent =
  | RefundCreatedEvent
  | RefundFinalEvent
  | RefundFailedEvent;

export type CreateCheckoutSessionBody = {
  /** The payout wallet that receives the funds. Defaults to the default wallet. */
  payout_wallet_id?: string;
  /** The amount to charge: 0.01 to 999999999.99, with at most two decimals. */
  amount: string;
  /** The display currency. Defaults to the account's currency, or USD. */
  currency?: "USD" | "EUR" | "AED";
  /** Your own order number, returned on the payment and in webhooks. */
  order_id?: string;
  /** Description shown to the customer. */
  description?: string;
  /** Up to 50 key-value pairs of strings, returned on the session, its payment and every webhook. Keys up to 40 characters, values up to 500. */
  metadata?: Record<string, string>;
  /** The customer. Never shown on the checkout page. `{}` counts as absent. */
  customer?: {
    /** Email address. Stored in lower case. */
    email?: string;
    /** Name. */
    name?: string;
    /** Your own ID of the customer. It identifies them in the dashboard; without it, the email address does. */
    reference?: string;
  };
  /** The line items of the order, shown to the customer. */
  line_items?: LineItem[];
  /** Assets that the customer may pay with, as `ASSET_NETWORK`. Defaults to the account's setting, or all supported assets. */
  accepted_assets?: string[];
  /** `custom` accepts the assets in `accepted_assets`, and is the default when you send that list. `all_supported` accepts every supported asset. */
  accepted_assets_mode?: "all_supported" | "custom";
  /** Seconds until the session expires, from 60 to 2592000 (30 days). Defaults to the account's setting, or 3600. */
  expires_in?: number;
  /** URL that customers return to after they pay: https, or http on localhost. `{CHECKOUT_SESSION_ID}` is replaced with the session's ID. */
  success_url?: string;
  /** URL that customers return to if they cancel. */
  cancel_url?: string;
};

export type CreatePaymentLinkBody = {
  /** The payout wallet that receives the funds. */
  payout_wallet_id: string;
  /** The amount to charge each time: 0.01 to 999999999.99, with at most two decimals. */
  amount: string;
  /** The display currency. */
  currency: "USD" | "EUR" | "AED";
  /** Description shown to the customer. */
  description: string;
  /** Your own order number, returned on each payment and in webhooks. */
  order_id?: string;
  /** Up to 50 key-value pairs of strings, returned on the session, its payment and every webhook. Keys up to 40 characters, values up to 500. */
  metadata?: Record<string, string>;
  /** The customer of every session that the link opens. Leave it out for a link that many people use. */
  customer?: {
    /** Email address. Stored in lower case. */
    email?: string;
    /** Name. */
    name?: string;
    /** Your own ID of the customer. It identifies them in the dashboard; without it, the email address does. */
    reference?: string;
  };
  /** Questions to the customer before they pay. Name and email are required then and become the session's `customer`; the note is optional without `note_label` and becomes `customer_note` in its metadata. */
  ask_for?: ("name" | "email" | "note")[];
  /** The name of the note on the page, if `ask_for` has it. A note with a name is required. */
  note_label?: string | null;
  /** Lets the customer enter the amount within these limits. The page suggests `amount`, but not where it is `min`. */
  open_amount?: {
    /** The least amount. Defaults to 0.01. */
    min?: string;
    /** The largest amount. Defaults to 999999999.99. */
    max?: string;
  } | null;
  /** From then on the link opens no checkout. A time in the future. */
  ends_at?: string | null;
  /** After this many paid payments the link opens no checkout. Checkouts that were open before can still be paid. */
  max_payments?: number | null;
  /** URL that customers return to after they pay: https, or http on localhost. */
  success_url?: string;
  /** URL that customers return to if they cancel. */
  cancel_url?: string;
};

export type ListPaymentLinksQuery = {
  /** Maximum number of items to return. */
  limit?: number;
  /** The `pagination.cursor` of the previous page, or the ID of its last object. */
  cursor?: string;
  /** Alias of `cursor`. */
  starting_after?: string;
};

export type UpdatePaymentLinkBody = {
  /** The amount to charge each time, or to suggest. */
  amount?: string;
  /** Description shown to the customer. */
  description?: string;
  /** Your own order number, returned on each payment and in webhooks. */
  order_id?: string | null;
  /** Questions to the customer before they pay. Name and email are required then and become the session's `customer`; the note is optional without `note_label` and becomes `customer_note` in its metadata. */
  ask_for?: ("name" | "email" | "note")[];
  /** The name of the note on the page, if `ask_for` has it. A note with a name is required. */
  note_label?: string | null;
  /** Lets the customer enter the amount within these limits. The page suggests `amount`, but not where it is `min`. */
  open_amount?: {
    /** The least amount. Defaults to 0.01. */
    min?: string;
    /** The largest amount. Defaults to 999999999.99. */
    max?: string;
  } | null;
  /** From then on the link opens no checkout. A time in the future. */
  ends_at?: string | null;
  /** After this many paid payments the link opens no checkout. Checkouts that were open before can still be paid. */
  max_payments?: number | null;
  /** URL that customers return to after they pay. */
  success_url?: string | null;
  /** URL that customers return to if they cancel. */
  cancel_url?: string | null;
};

export type ListPaymentsQuery = {
  /** Payment status. The session's status always matches. */
  status?: PaymentStatus;
  /** `direct`: paid in the payout asset on the payout network, with no fee. `routed`: converted by a route provider, with a 1.5% fee. */
  route?: RouteType;
  /** `overpaid`: only payments that are paid with a `surplus` that you have not returned. `partly_refunded`: only others of which you returned a part, without making them `refunded`. */
  balance?: "overpaid" | "partly_refunded";
  /** Only payments of this link. */
  payment_link_id?: string;
  /** Only payments with this `customer.reference`. */
  customer_reference?: string;
  /** Only payments with this `customer.email`, in upper or lower case. */
  customer_email?: string;
  /** Only payments created at or after this time. */
  created_after?: string;
  /** Only payments created before this time. */
  created_before?: string;
  /** Maximum number of items to return. */
  limit?: number;
  /** The `pagination.cursor` of the previous page, or the ID of its last object. */
  cursor?: string;
  /** Alias of `cursor`. */
  starting_after?: string;
};

export type RecordRefundBody = {
  /** The refunded amount in the display currency. Defaults to the full amount. */
  amount?: string;
  /** The address that the refund was sent to. */
  address?: string;
  /** The reason, stored with the payment. */
  reason?: string;
};

export type CreateRefundBody = {
  /** The amount in the display currency. Without it and `coin_amount`, everything that is left. */
  amount?: string;
  /** The exact amount in the asset, instead of `amount`. */
  coin_amount?: string;
  /** The address of the customer on the network that the payment arrived on. */
  to?: string;
  /** Instead of `to`: a link by which the customer names the address, once. A wallet that paid at least this amount becomes `to` by its signature, any other address once you confirm it. */
  link?: {
    /** Where to mail it. Without it, the email address of the customer, if you sent one with the session; null for no mail. */
    email?: string | null;
    /** The language of the mails. */
    locale?: "en" | "ar" | "de" | "es" | "fr" | "hi" | "ja" | "pt-BR" | "ru" | "tr" | "ur" | "zh-CN";
    /** Seconds until it expires. By default a week. */
    expires_in?: number;
  };
  /** Only as a check: the asset that the payment brought. */
  asset?: string;
  /** Only as a check: the network that it arrived on. */
  network?: string;
  /** The reason, stored with the refund. */
  reason?: string;
  /** The transaction with which you sent it: its hash, or a link that contains it. */
  tx_hash?: string;
};

export type ListPaymentRefundsQuery = {
  /** Maximum number of items to return. */
  limit?: number;
  /** The `pagination.cursor` of the previous page, or the ID of its last object. */
  cursor?: string;
  /** Alias of `cursor`. */
  starting_after?: string;
};

export type ListRefundsQuery = {
  /** `requested`: the customer has not named an address yet, or you have not confirmed it. `planned`: not sent yet. `sent`: you named its transaction, which is not verified yet. `final`: the money was returned. */
  status?: RefundStatus;
  /** Only refunds of this payment. */
  payment?: string;
  /** Only refunds created at or after this time. */
  created_after?: string;
  /** Only refunds created before this time. */
  created_before?: string;
  /** Maximum number of items to return. */
  limit?: number;
  /** The `pagination.cursor` of the previous page, or the ID of its last object. */
  cursor?: string;
  /** Alias of `cursor`. */
  starting_after?: string;
};

export type ReportRefundBody = {
  /** The transaction with which you sent it: its hash, or a link that contains it. */
  tx_hash: string;
};

export type VerifyReceiptBody = {
  /** The compact JWS. */
  receipt: string;
};

export type GetRouteQuoteQuery = {
  /** The asset that the customer would pay with. */
  pay_asset: string;
  /** The network that the customer would pay on. */
  pay_network: string;
  /** A checkout session, whose amount and payout asset are used. */
  session?: string;
  /** The payout wallet that would receive the funds. */
  payout_wallet_id?: string;
  /** The amount to charge. */
  amount?: string;
  /** The currency of `amount`. */
  currency?: "USD" | "EUR" | "AED";
};

export type CreatePayoutWalletBody = {
  /** The asset to receive: USDC, USDT, ETH or SOL. */
  asset: string;
  /** The network to receive it on: ethereum, base, polygon, arbitrum or solana. */
  network: string;
  /** Your wallet's address. On EVM networks, mixed-case addresses must have a valid EIP-55 checksum. */
  address: string;
  /** Its name in the dashboard. */
  label?: string;
};

export type ListPayoutWalletsQuery = {
  /** Maximum number of items to return. */
  limit?: number;
  /** The `pagination.cursor` of the previous page, or the ID of its last object. */
  cursor?: string;
  /** Alias of `cursor`. */
  starting_after?: string;
};

export type ProveWalletOwnershipBody = {
  /** The wallet's signature of the message. */
  signature?: string;
  /** The transaction of the transfer that was given. It must be final. */
  tx_hash?: string;
};

export type CreateWebhookEndpointBody = {
  /** A publicly reachable https URL. An international host is stored as `xn--…`. */
  url: string;
  /** Event types to send. Duplicates are ignored. */
  events: WebhookEventType[];
  /** Also sign with Ed25519 (`Service-Audience`, and `v1a` of Standard Webhooks), so that a receiver verifies with the public keys at `jwks_url` and holds no secret. */
  asymmetric_signature?: boolean;
};

export type ListWebhookEndpointsQuery = {
  /** Maximum number of items to return. */
  limit?: number;
  /** The `pagination.cursor` of the previous page, or the ID of its last object. */
  cursor?: string;
  /** Alias of `cursor`. */
  starting_after?: string;
};

export type RotateWebhookSecretBody = {
  /** Seconds that the old secret stays valid, up to one week. */
  overlap_seconds?: number;
};

export type TestWebhookBody = {
  /** The endpoint. */
  endpoint_id: string;
  event: WebhookEventType;
};

export type ListWebhookDeliveriesQuery = {
  /** Maximum number of items to return. */
  limit?: number;
  /** The `pagination.cursor` of the previous page, or the ID of its last object. */
  cursor?: string;
  /** Alias of `cursor`. */
  starting_after?: string;
  /** Filter by delivery status. */
  status?: "pending" | "parked" | "delivered" | "failed" | "cancelled";
};

export type RedeliverFailedBody = {
  /** The start of the time range. */
  since: string;
};

export type ListEventsQuery = {
  /** Maximum number of items to return. */
  limit?: number;
  /** The `pagination.cursor` of the previous page, or the ID of its last object. */
  cursor?: string;
  /** Alias of `cursor`. */
  starting_after?: string;
  /** One type per payment status, and three types of refunds. */
  type?: WebhookEventType;
  /** Filter by payment. */
  payment?: string;
};

export type ListTransfersQuery = {
  /** Maximum number of items to return. */
  limit?: number;
  /** The `pagination.cursor` of the previous page, or the ID of its last object. */
  cursor?: string;
  /** Alias of `cursor`. */
  starting_after?: string;
  /** Only unattributed transfers that are not marked as handled. */
  unattributed?: boolean;
};

export type AssignTransferBody = {
  /** The payment. */
  payment: string;
};

export type HandleTransferBody = {
  /** Your own record of how you handled it. */
  note?: string;
};

export type StartEmailLoginBody = {
  /** The email address to log in with. */
  email: string;
  /** The token of an invitation or setup link, if the server requires one to open an account. Logging in to an existing account does not consume it. */
  invitation?: string;
};

export type VerifyEmailCodeBody = {
  /** The email address to log in with. */
  email: string;
  /** The six-character code from the email. */
  code: string;
};

export type IssueNonceBody = {
  /** The wallet's address. */
  address: string;
  /** The wallet's network. */
  network?: "ethereum" | "solana";
};

export type VerifyWalletBody = {
  /** The wallet's address. */
  address: string;
  /** The wallet's network. */
  network?: "ethereum" | "solana";
  /** The wallet's signature of the message. */
  signature: string;
  /** The token of an invitation or setup link, if the server requires one to open an account. Logging in to an existing account does not consume it. */
  invitation?: string;
};

export type CreateApiKeyBody = {
  /** The mode of the key. */
  mode: "live" | "test";
  /** A label for your own reference. */
  label?: string;
  /** Scopes of the key. Duplicates are ignored. Defaults to full access. */
  scopes?: Scope[];
};

export type ListApiKeysQuery = {
  /** Maximum number of items to return. */
  limit?: number;
  /** The `pagination.cursor` of the previous page, or the ID of its last object. */
  cursor?: string;
  /** Alias of `cursor`. */
  starting_after?: string;
  /** Filter by mode. */
  mode?: "live" | "test";
};

export type RotateApiKeyBody = {
  /** Seconds that the old secret stays valid, up to one week. */
  overlap_seconds?: number;
};

export type CreateInvitationBody = {
  /** Email the link to this address. */
  email?: string;
  /** A label for your own reference. */
  label?: string;
  /** Seconds until it expires, from 3600 (one hour) to 2592000 (30 days). */
  expires_in?: number;
};

export type ListInvitationsQuery = {
  /** Maximum number of items to return. */
  limit?: number;
  /** The `pagination.cursor` of the previous page, or the ID of its last object. */
  cursor?: string;
  /** Alias of `cursor`. */
  starting_after?: string;
};

export type UpdateAccountBody = {
  /** The name shown to customers. */
  name?: string | null;
  /** The logo shown to customers. An https URL. */
  logo_url?: string | null;
  /** Appearance of the hosted pages. */
  brand?: {
    /** Color of buttons and links. */
    accent_color?: string | null;
    /** Background color of the hosted pages. */
    background_color?: string | null;
    /** Theme of the hosted pages. Null follows the visitor's device. */
    theme?: "light" | "dark" | null;
    /** Corner style of boxes and buttons. Null means `round`. */
    corners?: "round" | "soft" | "square" | null;
  };
  /** Support email address shown to customers. */
  support_email?: string | null;
  /** Support page shown to customers. An https URL. */
  support_url?: string | null;
  /** Lines about you that are printed on receipts, such as your company, address and tax number. */
  receipt_details?: string | null;
  /** Origins that may embed the hosted pages in a frame. */
  frame_parents?: string[];
  /** Your paymaster (ERC-7677). It pays the network fee of customers whose wallets batch calls. Only its host can be read again. */
  paymaster_url?: string | null;
  /** Underpayment tolerance in basis points, up to 500 (5%). Null means 0.5%, capped at 1.00 in the display currency. */
  tolerance_bps?: number | null;
  /** If `true`, secret keys cannot add payout wallets. */
  wallets_by_login_only?: boolean;
  /** If `true`, payout wallets that live secret keys add wait for you to confirm them in the dashboard. */
  confirm_key_wallets?: boolean;
  /** Emails that you receive, at the address that you log in with. Many at once become one summary an hour. */
  email_notifications?: {
    /** A payment is paid. */
    paid?: boolean;
    /** A payment is `refund_required`, or a customer has named the address of their refund. */
    needs_decision?: boolean;
    /** A final transfer to a payout wallet belongs to no payment. */
    unattributed?: boolean;
  };
  /** Send customers a receipt at `customer.email` once their payment is paid. In live mode only for payments to a verified payout wallet, in test mode only to your own address. */
  email_receipts?: boolean;
  /** Defaults for checkout sessions, used when a request or payment link does not specify a value. */
  session_defaults?: {
    /** Null means `USD`. */
    currency?: "USD" | "EUR" | "AED" | null;
    /** Seconds until a session expires, from 60 to 2592000 (30 days). Null means 3600. */
    expires_in?: number | null;
    /** Assets that customers may pay with, as `ASSET_NETWORK`. Null means all supported assets. */
    accepted_assets?: string[] | null;
  };
};

export type PayPublicSessionBody = {
  /** The asset of one of the session's options. */
  pay_asset: string;
  /** The network of that option. */
  pay_network: string;
  /** The address that a failed conversion is returned to. Required for routed payments. */
  refund_address?: string;
  /** The connected wallet that will pay. */
  sender?: string;
  /** The signature that proves that the customer controls `sender`. */
  sender_signature?: string;
};

export type SubmitPublicTransactionBody = {
  /** The transaction hash, or a link that contains it. */
  tx_hash: string;
  /** The sender's signature of the claim: 64 or 65 bytes in hex on EVM networks, or up to 2,048 bytes from a contract wallet; 64 bytes in base58, base64 or hex on Solana. */
  signature?: string;
  /** The address that signed. Required for contract wallets. On Solana, the claim is verified immediately if you send it, and otherwise when the transaction is read. */
  sender?: string;
};

export type BuildPublicTransactionBody = {
  /** The connected wallet that signs and sends the payment. */
  sender: string;
};

export type OpenPaymentLinkBody = {
  /** The amount, if the link leaves it to the customer. */
  amount?: string;
  /** The name, if the link asks for it. */
  name?: string;
  /** The email address, if the link asks for it. */
  email?: string;
  /** A note to the merchant, if the link asks for it. */
  note?: string;
};

export type ActOnTestSessionBody = {
  /** An outcome, a transfer that is not confirmed yet, one more block, or the expiry of the session. */
  action: "paid" | "underpaid" | "overpaid" | "late" | "failed" | "refund_required" | "unconfirmed" | "add_block" | "expire";
};

export type TestPaySessionBody = {
  /** The asset to pay with. */
  pay_asset: string;
  /** The network. */
  pay_network: string;
  /** The outcome to simulate. `late` expires the session first. */
  outcome: "paid" | "underpaid" | "overpaid" | "late" | "failed" | "refund_required";
};

export type AdvanceTestClockBody = {
  /** Seconds to advance the clock, up to 366 days. */
  seconds: number;
};
