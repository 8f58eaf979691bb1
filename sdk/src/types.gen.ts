// Generated from the OpenAPI document by scripts/generate-types.ts. Do not edit.

/** The merchant's account. */
export type Account = {
  /** The account. */
  id: string;
  /** Always `account`. */
  object: "account";
  /** The mode of the credential that asked. */
  livemode: boolean;
  /** Email accounts manage many payout wallets, wallet accounts have the one they log in with. */
  login_method: "email" | "wallet";
  /** The login address, where the account has one. */
  email: string | null;
  /** The wallet that logs in, where the account is a wallet account. */
  login_wallet: {
    network: "ethereum" | "solana";
    address: string;
  } | null;
  /** The name customers see. */
  name: string | null;
  /** The logo customers see. */
  logo_url: string | null;
  brand: Brand;
  /** Where customers may write to. */
  support_email: string | null;
  /** Where customers find help. */
  support_url: string | null;
  /** Origins that may show the hosted pages in a frame. */
  frame_parents: string[];
  /** The shortfall that still counts as paid, in hundredths of a percent. Null: 0.5 %, and never more than 1.00 of the display currency. */
  tolerance_bps: number | null;
  /** Whether secret keys are refused new payout wallets. */
  wallets_by_login_only: boolean;
  /** What checkout sessions are like where a request, or a payment link, leaves it open. */
  session_defaults: {
    /** Null: USD. */
    currency: "USD" | "EUR" | "AED" | null;
    /** Seconds. Null: 3600. */
    expires_in: number | null;
    /** Null: everything on the Safe List. */
    accepted_assets: string[] | null;
  };
  /** The clock of the account's test mode. */
  test_clock: {
    /** The time it is in the account's test mode. */
    now: string;
    /** How far the test clock has been moved ahead. */
    offset_seconds: number;
  };
  /** When the account was made. */
  created_at: string;
};

/** A secret key, without its secret. */
export type ApiKey = {
  /** The key's id; not the key itself. */
  id: string;
  /** Always `api_key`. */
  object: "api_key";
  /** Whether it lives in live mode; test mode is a world of its own. */
  livemode: boolean;
  /** Your name for it. */
  label: string | null;
  /** The last four characters of the secret, to recognise it by. */
  last4: string;
  /** What it may do. Absent for a key that may do everything. */
  scopes?: Scope[];
  /** When it was made. */
  created_at: string;
  /** When it was last seen, to the minute or so; null where it never was. */
  last_used_at: string | null;
};

/** A secret key at the moment it is made. */
export type ApiKeyWithSecret = {
  /** The key's id; not the key itself. */
  id: string;
  /** Always `api_key`. */
  object: "api_key";
  /** Whether it lives in live mode; test mode is a world of its own. */
  livemode: boolean;
  /** Your name for it. */
  label: string | null;
  /** The last four characters of the secret, to recognise it by. */
  last4: string;
  /** What it may do. Absent for a key that may do everything. */
  scopes?: Scope[];
  /** When it was made. */
  created_at: string;
  /** When it was last seen, to the minute or so; null where it never was. */
  last_used_at: string | null;
  /** The secret key, shown this once: only its hash is kept. */
  secret: string;
};

/** How the hosted pages look. */
export type Brand = {
  /** Colour of buttons and links on the hosted pages; null for ours. */
  accent_color: string | null;
  /** Background of the hosted pages; null for ours. */
  background_color: string | null;
  /** Light or dark whatever the visitor prefers; null: as they prefer. */
  theme: "light" | "dark" | null;
  /** Null: round. */
  corners: "round" | "soft" | "square" | null;
};

/** Where a direct payment can be sent. */
export type CheckoutDepositAddress = {
  /** What to send. */
  asset: string;
  /** Where to send it. */
  network: string;
  /** Where to send it to; of a direct payment this is the payout wallet itself. */
  address: string;
  kind: RouteType;
  /** The reference that the transfer should carry, where the chain can. */
  reference?: string | null;
};

/** One checkout: what is charged, for what, and where the money goes. */
export type CheckoutSession = {
  /** The session. */
  id: string;
  /** Always `checkout_session`. */
  object: "checkout_session";
  /** Whether it lives in live mode; test mode is a world of its own. */
  livemode: boolean;
  status: PaymentStatus;
  /** What is charged. */
  amount: string;
  /** The display currency. */
  currency: "USD" | "EUR" | "AED";
  /** Where the money settles. */
  payout_wallet_id: string;
  /** The payment link it was opened by, if any. */
  payment_link_id: string | null;
  /** Your own order number, echoed. */
  order_id: string | null;
  /** What the customer is told it is for. */
  description: string | null;
  /** The pairs as they were sent; `{}` where there were none. */
  metadata: Record<string, string>;
  /** The lines of the order. */
  line_items: LineItem[] | null;
  /** What the customer may pay with. */
  accepted_assets: ("ETH_ETHEREUM" | "SOL_SOLANA" | "USDC_SOLANA" | "ETH_BASE" | "USDC_BASE" | "USDC_ETHEREUM" | "USDT_ETHEREUM" | "USDT_SOLANA" | "BTC_BITCOIN" | "BNB_BNB" | "POL_POLYGON" | "ETH_ARBITRUM" | "AVAX_AVALANCHE" | "TRX_TRON" | "USDT_TRON" | "USDC_POLYGON" | "USDC_ARBITRUM")[];
  /** Its mark on the chain: a Solana Pay reference or memo, and the tag of transfers on Ethereum and its kin. */
  reference: string;
  /** Direct targets only. Routed ones are made when the customer chooses one. */
  deposit_addresses: CheckoutDepositAddress[];
  /** Where to send the customer. */
  checkout_url: string;
  /** The payment, once the customer has started to pay or money has counted for it. */
  payment: string | null;
  /** As it was sent. */
  success_url: string | null;
  /** As it was sent. */
  cancel_url: string | null;
  /** When it was created. */
  created_at: string;
  /** After this a new session is needed. */
  expires_at: string | null;
};

export type DeletedApiKey = {
  /** What was deleted. */
  id: string;
  /** Always true. */
  deleted: boolean;
};

export type DeletedWebhookEndpoint = {
  /** What was deleted. */
  id: string;
  /** Always true. */
  deleted: boolean;
};

/** One try to deliver an event. */
export type DeliveryAttempt = {
  /** The attempt. */
  id: string;
  /** Which attempt it was. */
  number: number;
  /** On schedule, or because you asked for it. */
  kind: "scheduled" | "manual";
  /** How it went. */
  outcome: "delivered" | "failed";
  /** What the endpoint answered; null where it did not. */
  response_code: number | null;
  /** The beginning of its answer. */
  response_body: string | null;
  /** Why there was no answer. */
  error: string | null;
  /** How long it took. */
  duration_ms: number;
  /** When it was made. */
  attempted_at: string;
};

export type EmailLogin = {
  /** The login token: send it as `Authorization: Bearer`. */
  session_token: string;
};

export type EmailLoginStarted = {
  /** Seconds the code is valid for. */
  expires_in: number;
  /** Whether a code is on its way. The answer is the same whether or not the account exists. */
  sent: boolean;
};

/** Every error has this form. */
export type ErrorAnswer = {
  error: {
    /** What kind of error it is; programs decide by this. */
    code: "invalid_request" | "invalid_email_request" | "invalid_nonce_request" | "invalid_signature" | "invalid_invitation" | "invalid_payout_wallet" | "invalid_checkout_session" | "invalid_payment_link" | "invalid_route" | "invalid_refund" | "invalid_webhook_endpoint" | "invalid_list_request" | "invalid_payment_state" | "authentication_required" | "invalid_credentials" | "invalid_code" | "forbidden" | "signup_closed" | "not_found" | "method_not_allowed" | "request_timeout" | "idempotency_conflict" | "idempotency_in_progress" | "link_disabled" | "payload_too_large" | "uri_too_long" | "unsupported_media_type" | "rate_limited" | "headers_too_large" | "internal_error" | "service_unavailable" | "email_unavailable";
    /** What was wrong and what would be right, for people. */
    message: string;
    /** The path of the field that was refused, such as `line_items[0].quantity`; null where it was none. */
    param: string | null;
  };
  request_id: RequestId;
};

/** A change of a payment, exactly as it is delivered. */
export type AnyEvent = {
  /** The event. The same in every attempt: what you have seen before you may drop. */
  id: string;
  type: WebhookEventType;
  /** When it happened. */
  created: string;
  data: EventData;
};

/** The whole payment as it was at that moment, and the one hash that completed it. */
export type EventData = {
  /** The payment. */
  id: string;
  /** Always `payment`. */
  object: "payment";
  /** Whether it lives in live mode; test mode is a world of its own. */
  livemode: boolean;
  status: PaymentStatus;
  /** Rises by one with each event of the payment: the higher one is the newer. */
  sequence: number;
  route: RouteType;
  /** What was charged. */
  amount: string;
  /** The display currency. */
  currency: "USD" | "EUR" | "AED";
  /** What the customer paid; until one is chosen, what the wallet receives. */
  pay_asset: string;
  /** Where the customer paid it. */
  pay_network: string;
  /** Your own order number, echoed. */
  order_id: string | null;
  /** The pairs as they were sent; `{}` where there were none. */
  metadata: Record<string, string>;
  /** Where the money settles. */
  payout_wallet_id: string;
  /** The payment link it came by, if any. */
  payment_link_id: string | null;
  /** What the payout wallet receives. */
  receive_asset: string;
  /** Where it receives it. */
  receive_network: string;
  /** The payout wallet's address, as it was when the session was created. */
  receive_address: string;
  /** The checkout session it came from. */
  session: string | null;
  /** The mark of its session on the chain. */
  reference: string | null;
  /** What should arrive, in the payout asset. */
  expected_output: string | null;
  /** What did arrive, in the payout asset, once it is final. */
  actual_output: string | null;
  /** The amount less the service fee. */
  net_settlement: string;
  /** `0.00` direct, 1.5 % of the amount routed. */
  service_fee: string;
  /** The transactions that settled it; empty until they have. */
  tx_hashes: string[];
  /** Why it failed or needs a refund. */
  failure_reason: "underpaid" | "paid_late" | "rate_unknown" | "untraced_transfer" | "transaction_reverted" | "route_refunded" | "route_failed" | "route_expired" | "short_delivery" | "compliance_hold" | "transfer_released" | null;
  /** The refund that you recorded. */
  refund: Refund | null;
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
  /** The transaction that completed it; null until then. */
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
  /** The address that the link was mailed to, or null. */
  email: string | null;
  /** Your name for it. */
  label: string | null;
  /** When it was created. */
  created_at: string;
  /** When it expires. */
  expires_at: string;
  /** When an account was opened with it, or null. */
  used_at: string | null;
};

/** An invitation at the moment it is created. */
export type InvitationWithUrl = {
  /** The invitation. */
  id: string;
  /** Always `invitation`. */
  object: "invitation";
  /** Only a pending invitation opens an account. */
  status: "pending" | "used" | "revoked" | "expired";
  /** The address that the link was mailed to, or null. */
  email: string | null;
  /** Your name for it. */
  label: string | null;
  /** When it was created. */
  created_at: string;
  /** When it expires. */
  expires_at: string;
  /** When an account was opened with it, or null. */
  used_at: string | null;
  /** The link to share. Returned only once: the server stores its hash. */
  url: string;
};

/** A line of the order, shown to the customer. */
export type LineItem = {
  /** What it is. */
  name: string;
  /** How many. */
  quantity: number;
  /** Its price in the display currency; a discount is negative. Shown, not added up. */
  amount: string;
};

export type LoggedOut = {
  /** Always true. */
  logged_out: boolean;
};

/** What customers may know of the merchant. */
export type Merchant = {
  /** Who is paid. */
  name: string | null;
  /** Their logo. */
  logo_url: string | null;
  /** Where to write to. */
  support_email: string | null;
  /** Where to find help. */
  support_url: string | null;
};

export type Nonce = {
  /** The whole message to sign, unchanged: Sign-In with Ethereum (EIP-4361) or Sign-In With Solana. */
  nonce: string;
  /** Seconds the message can be signed within. */
  expires_in: number;
};

/** A transfer that was meant for this payment and does not count towards it. */
export type OtherTransfer = {
  /** What arrived. */
  asset: string;
  /** Where. */
  network: string;
  /** How much. */
  amount: string;
  /** Its transaction. */
  tx_hash: string;
  /** Why it does not count. */
  reason: "no_match" | "already_paid" | "already_refunded" | "other_asset" | "wrong_network" | "too_small" | "released";
};

/** Where a list goes on. */
export type Pagination = {
  /** Send it as `cursor` for the next page; null on the last one. */
  cursor: string | null;
  /** Whether there is a next page. */
  has_more: boolean;
  /** How many there are in all, where it is known. */
  total?: number;
};

/** What became of a checkout. */
export type Payment = {
  /** The payment. */
  id: string;
  /** Always `payment`. */
  object: "payment";
  /** Whether it lives in live mode; test mode is a world of its own. */
  livemode: boolean;
  status: PaymentStatus;
  /** Rises by one with each event of the payment: the higher one is the newer. */
  sequence: number;
  route: RouteType;
  /** What was charged. */
  amount: string;
  /** The display currency. */
  currency: "USD" | "EUR" | "AED";
  /** What the customer paid; until one is chosen, what the wallet receives. */
  pay_asset: string;
  /** Where the customer paid it. */
  pay_network: string;
  /** Your own order number, echoed. */
  order_id: string | null;
  /** The pairs as they were sent; `{}` where there were none. */
  metadata: Record<string, string>;
  /** Where the money settles. */
  payout_wallet_id: string;
  /** The payment link it came by, if any. */
  payment_link_id: string | null;
  /** What the payout wallet receives. */
  receive_asset: string;
  /** Where it receives it. */
  receive_network: string;
  /** The payout wallet's address, as it was when the session was created. */
  receive_address: string;
  /** The checkout session it came from. */
  session: string | null;
  /** The mark of its session on the chain. */
  reference: string | null;
  /** What should arrive, in the payout asset. */
  expected_output: string | null;
  /** What did arrive, in the payout asset, once it is final. */
  actual_output: string | null;
  /** The amount less the service fee. */
  net_settlement: string;
  /** `0.00` direct, 1.5 % of the amount routed. */
  service_fee: string;
  /** The transactions that settled it; empty until they have. */
  tx_hashes: string[];
  /** Why it failed or needs a refund. */
  failure_reason: "underpaid" | "paid_late" | "rate_unknown" | "untraced_transfer" | "transaction_reverted" | "route_refunded" | "route_failed" | "route_expired" | "short_delivery" | "compliance_hold" | "transfer_released" | null;
  /** The refund that you recorded. */
  refund: Refund | null;
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
  /** The event. The same in every attempt: what you have seen before you may drop. */
  id: string;
  type: "payment.created";
  /** When it happened. */
  created: string;
  data: EventData;
};

/** The customer did not pay in time. */
export type PaymentExpiredEvent = {
  /** The event. The same in every attempt: what you have seen before you may drop. */
  id: string;
  type: "payment.expired";
  /** When it happened. */
  created: string;
  data: EventData;
};

/** The payment could not be completed. */
export type PaymentFailedEvent = {
  /** The event. The same in every attempt: what you have seen before you may drop. */
  id: string;
  type: "payment.failed";
  /** When it happened. */
  created: string;
  data: EventData;
};

/** A checkout to share: each opening makes a session of its own. */
export type PaymentLink = {
  /** The link. */
  id: string;
  /** Always `payment_link`. */
  object: "payment_link";
  /** Whether it lives in live mode; test mode is a world of its own. */
  livemode: boolean;
  /** What to share: a page that opens a session of its own for each customer. */
  url: string;
  /** What the customer is told it is for. */
  description: string;
  /** What is charged each time. */
  amount: string;
  /** The display currency. */
  currency: "USD" | "EUR" | "AED";
  /** Where the money settles. */
  payout_wallet_id: string;
  /** What the wallet receives. */
  receive_asset: string;
  /** Where it receives it. */
  receive_network: string;
  /** A disabled link takes no new payments. */
  status: "active" | "disabled";
  /** How many payments through it were ever paid. */
  payments: number;
  /** Your own order number, echoed. */
  order_id: string | null;
  /** The pairs as they were sent; `{}` where there were none. */
  metadata: Record<string, string>;
  /** As it was sent. */
  success_url: string | null;
  /** As it was sent. */
  cancel_url: string | null;
  /** When it was created. */
  created_at: string;
};

/** The funds are in the payout wallet for good. Fulfil the order. */
export type PaymentPaidEvent = {
  /** The event. The same in every attempt: what you have seen before you may drop. */
  id: string;
  type: "payment.paid";
  /** When it happened. */
  created: string;
  data: EventData;
};

/** The customer has begun to pay; the money is awaited. */
export type PaymentPendingEvent = {
  /** The event. The same in every attempt: what you have seen before you may drop. */
  id: string;
  type: "payment.pending";
  /** When it happened. */
  created: string;
  data: EventData;
};

/** Money arrived but does not settle the payment: accept it or give it back. */
export type PaymentRefundRequiredEvent = {
  /** The event. The same in every attempt: what you have seen before you may drop. */
  id: string;
  type: "payment.refund_required";
  /** When it happened. */
  created: string;
  data: EventData;
};

/** You gave the money back and recorded it. */
export type PaymentRefundedEvent = {
  /** The event. The same in every attempt: what you have seen before you may drop. */
  id: string;
  type: "payment.refunded";
  /** When it happened. */
  created: string;
  data: EventData;
};

/** The customer's asset is being converted into the payout asset. */
export type PaymentRoutingEvent = {
  /** The event. The same in every attempt: what you have seen before you may drop. */
  id: string;
  type: "payment.routing";
  /** When it happened. */
  created: string;
  data: EventData;
};

/** The converted funds are on their way to the payout wallet. */
export type PaymentSettlingEvent = {
  /** The event. The same in every attempt: what you have seen before you may drop. */
  id: string;
  type: "payment.settling";
  /** When it happened. */
  created: string;
  data: EventData;
};

/** Where a payment stands. Its session always stands at the same. */
export type PaymentStatus = "created" | "pending" | "routing" | "settling" | "paid" | "failed" | "expired" | "refund_required" | "refunded";

/** All that happened to a payment, in order. */
export type PaymentTimeline = {
  /** The payment. */
  payment: string;
  /** Oldest first. */
  entries: TimelineEntry[];
};

/** A saved destination: the only place that money of your payments can go to. */
export type PayoutWallet = {
  /** The payout wallet. */
  id: string;
  /** Always `payout_wallet`. */
  object: "payout_wallet";
  /** Whether it lives in live mode; test mode is a world of its own. */
  livemode: boolean;
  /** What it receives. */
  asset: "ETH" | "SOL" | "USDC" | "USDT";
  /** Where it receives it. */
  network: "ethereum" | "base" | "polygon" | "arbitrum" | "solana";
  /** The wallet of yours that settled funds go to. */
  address: string;
  /** Its name in the dashboard, made from asset and network where you gave none. */
  label: string | null;
  /** Whether sessions that name no wallet settle here. The first wallet is the default. */
  is_default: boolean;
  /** An archived wallet takes no new sessions and links; open ones go on. */
  archived: boolean;
  /** Whether you have proved that the address is yours. */
  proved: boolean;
  /** `required`: in live mode this wallet gets no exact amounts and no manual assignment until you prove the address, because another account has saved it or a contract lives there. `disputed`: another account proved it first, and the operator of the server has been told. */
  proof: "proved" | "not_required" | "required" | "disputed";
  /** Whether a secret key added it or a login. */
  created_by: "key" | "login";
  /** When it was saved. */
  created_at: string;
};

/** A way to pay. */
export type PublicOption = {
  /** What could be paid. */
  asset: string;
  /** Where. */
  network: string;
  kind: RouteType;
  /** Whether it can be chosen right now. */
  available: boolean;
};

/** How to pay, and how far it has got. */
export type PublicPayment = {
  /** What to send. */
  asset: string;
  /** Where to send it. */
  network: string;
  kind: RouteType;
  /** Where to send it to. */
  address: string;
  /** The exact amount to send. It does not change with what arrives. */
  amount: string;
  /** What is still missing, exactly. */
  amount_due: string;
  /** What has been seen, final or not. */
  amount_seen: string;
  /** What has arrived for good. */
  amount_received: string;
  /** What a wallet opens: Solana Pay, EIP-681 or BIP-21. */
  uri: string | null;
  /** The mark a Solana transfer carries. */
  reference: string | null;
  /** Calldata that a transfer on Ethereum and its kin carries behind its arguments; null where it cannot. */
  tag: string | null;
  /** How a transfer finds this payment. `amount`: send exactly `amount_due`. `reference`: the amount is not unique, so only a wallet that sends `tag`, or on Solana the `reference` of `uri`, can pay; show no address and no code without it, because such a transfer is not recognized. Null where the payment is converted. */
  identified_by: "amount" | "reference" | null;
  /** Of the newest transfer in sight. */
  confirmations: number | null;
  /** How many make it final. */
  confirmations_needed: number | null;
  /** The transfers in sight. */
  tx_hashes: string[];
  /** Why it failed or needs a refund. */
  failure_reason: "underpaid" | "paid_late" | "rate_unknown" | "untraced_transfer" | "transaction_reverted" | "route_refunded" | "route_failed" | "route_expired" | "short_delivery" | "compliance_hold" | "transfer_released" | null;
  /** Until when the amount holds; null where it holds to the end. */
  quote_expires_at: string | null;
  /** Where a failed conversion is returned to. */
  refund_address: string | null;
  /** Who converts it; null where nothing is converted. */
  provider: string | null;
  /** By how many percent the amount is worth more than what the merchant receives, where that is above the operator’s limit; null where the price is usual. */
  price_warning_pct: number | null;
  /** What arrived for it and does not count. */
  other_transfers: OtherTransfer[];
};

/** A checkout as its customer sees it. */
export type PublicSession = {
  /** The session. */
  id: string;
  status: PaymentStatus;
  /** What is charged. */
  amount: string;
  /** The display currency. */
  currency: "USD" | "EUR" | "AED";
  /** What it is for. */
  description: string | null;
  /** The lines of the order. */
  line_items: LineItem[] | null;
  merchant: Merchant;
  /** Whether it lives in live mode; test mode is a world of its own. */
  livemode: boolean;
  /** Until when it can be paid. */
  expires_at: string | null;
  /** What our clock says, to count down by. */
  server_time: string;
  /** The ways to pay. */
  options: PublicOption[];
  /** How to pay, once a way was chosen. */
  payment: PublicPayment | null;
};

/** A signed statement of what a payment received, which anyone can verify offline. */
export type Receipt = {
  /** The receipt. */
  id: string;
  /** Always `receipt`. */
  object: "receipt";
  /** Whether it lives in live mode; test mode is a world of its own. */
  livemode: boolean;
  /** The payment. */
  payment: string;
  /** The receipt that this one replaces. */
  supersedes: string | null;
  /** The signed receipt: a compact JWS (EdDSA) with the claims as its payload. */
  jws: string;
  claims: ReceiptClaims;
  /** When it was signed. */
  issued_at: string;
};

/** What a receipt says. The signature covers all of it. */
export type ReceiptClaims = {
  /** The service that signed it. */
  iss: string;
  /** The receipt. */
  jti: string;
  /** When it was signed, in Unix seconds. */
  iat: number;
  /** The receipt that this one replaces, after a refund or a change on the chain. */
  supersedes: string | null;
  /** Whether it lives in live mode; test mode is a world of its own. */
  livemode: boolean;
  /** The payment. */
  payment: string;
  /** Its checkout session. */
  session: string;
  status: PaymentStatus;
  /** Your own order number, echoed. */
  order_id: string | null;
  /** What was charged. */
  amount: string;
  /** The display currency. */
  currency: "USD" | "EUR" | "AED";
  route: RouteType;
  /** Where the money arrived, in CAIP-2. */
  network: string;
  /** What arrived, in CAIP-19. */
  asset: string;
  /** How much arrived, in the asset. */
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
      /** Where the price comes from. */
      source: string;
      /** Its price. */
      price?: string;
    }[];
  } | null;
  /** Refunds that the merchant recorded. */
  refunds: {
    /** What was given back. */
    amount: string;
    /** Where it was sent to. */
    address: string | null;
    /** When the merchant recorded it. */
    recorded_at: string;
  }[];
  /** Set if the money is in doubt after it was final. */
  settlement_alert: SettlementAlert | null;
};

/** A final transfer that counts for the payment, with the evidence for it. */
export type ReceiptTransfer = {
  /** The transaction; null for a balance that grew without one that any provider could show. */
  tx_hash: string | null;
  /** Which transfer of its transaction it is. */
  index: number;
  /** What was sent, in CAIP-19. */
  asset: string;
  /** How much. */
  amount: string;
  /** Who sent it, in CAIP-10; null where the chain names no sender. */
  from: string | null;
  /** Its block, or slot on Solana. */
  block_number: string;
  /** The hash of the block. */
  block_hash: string;
  /** The time of the block. */
  block_time: string;
  /** How many confirmations it had when it became final; null where it became final with its block. */
  confirmations: number | null;
  /** How many RPC providers agreed on it when it became final. */
  providers: number;
  /** False if it disappeared from the chain after it was final. */
  on_chain: boolean;
};

/** Whether a receipt is valid, and whether a newer one replaced it. */
export type ReceiptVerdict = {
  /** Whether this service signed it, unchanged. */
  valid: boolean;
  /** Why it is not valid. */
  reason: string | null;
  /** What it says, if it is valid. */
  claims: ReceiptClaims | null;
  /** The newest receipt of the payment, if this one was replaced. */
  superseded_by: string | null;
};

/** What was set going again. */
export type Redelivery = {
  /** How many deliveries are tried again. */
  redelivered: number;
};

/** A refund that you sent and recorded. */
export type Refund = {
  /** What was given back. */
  amount: string;
  /** Where it was sent to, where you said so. */
  address: string | null;
  /** Why. */
  reason: string | null;
  /** When it was recorded. */
  created_at: string;
};

/** Names this request in our logs; the `Request-Id` header says the same. */
export type RequestId = string;

export type RevokedInvitation = {
  /** What was deleted. */
  id: string;
  /** Always true. */
  deleted: boolean;
};

/** What a payment would cost and bring. */
export type RouteQuote = {
  /** The quote. */
  id: string;
  /** Whether it lives in live mode; test mode is a world of its own. */
  livemode: boolean;
  type: RouteType;
  /** Who converts: a route provider, `direct` where nobody has to, `indicative` where no provider answered and the figure is only a guide. */
  provider: string;
  /** What the customer pays. */
  pay_asset: string;
  /** Where the customer pays it. */
  pay_network: string;
  /** How much the customer pays. */
  pay_amount: string;
  /** Our fee in percent: 0 direct, 1.5 routed. */
  fee_pct: 0 | 1.5;
  /** Our fee in the display currency. */
  service_fee: string;
  /** What the payout wallet should receive, with its asset. */
  expected_output: string;
  /** By how many percent what the customer pays is worth more than what the wallet receives, where that is above the operator’s limit (5 % by default). Show it to the customer before they pay. Null where the price is usual. */
  price_warning_pct: number | null;
  /** Seconds it is worth something. */
  expires_in: number;
  /** When it ends. */
  expires_at: string;
};

/** `direct`: paid in the payout asset on the payout network, no fee. `routed`: converted on the way, 1.5 %. */
export type RouteType = "direct" | "routed";

/** `sessions:read`: Read checkout sessions. `sessions:write`: Create checkout sessions. `links:read`: Read payment links. `links:write`: Create, disable and enable payment links. `payments:read`: Read payments, timelines and receipts. `payments:write`: Record refunds. `quotes:read`: Ask what a payment would cost. `wallets:read`: Read payout wallets. `wallets:write`: Save payout wallets, if the account allows keys to do so. `webhooks:read`: Read webhook endpoints and deliveries. `webhooks:write`: Create, change, test and delete webhook endpoints, and deliver again. `events:read`: Read and stream events. `transfers:read`: Read transfers. `account:read`: Read the account. `test:write`: Pay and move the clock in test mode. */
export type Scope = "sessions:read" | "sessions:write" | "links:read" | "links:write" | "payments:read" | "payments:write" | "quotes:read" | "wallets:read" | "wallets:write" | "webhooks:read" | "webhooks:write" | "events:read" | "transfers:read" | "account:read" | "test:write";

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
  /** The time it is now in the account's test mode. */
  now: string;
};

/** One thing that happened to a payment. */
export type TimelineEntry = {
  /** A status reached, a target given out, a transfer seen, a route quoted, a webhook attempted, a refund recorded. */
  type: "status" | "target" | "transfer" | "quote" | "webhook" | "refund";
  /** When it happened. */
  at: string;
  /** What happened, in a sentence. */
  summary: string;
  /** The facts behind it: transaction, block, confirmations, providers, rate; by type. */
  data: Record<string, unknown>;
};

/** That a transaction will be looked for. */
export type TransactionNotice = {
  /** Always true: it is looked for. The session says what comes of it. */
  accepted: boolean;
};

/** Money that came to a payout wallet of yours. */
export type Transfer = {
  /** The transfer. */
  id: string;
  /** Always `transfer`. */
  object: "transfer";
  /** Whether it lives in live mode; test mode is a world of its own. */
  livemode: boolean;
  /** Where it happened. */
  network: string;
  /** What was sent. */
  asset: string;
  /** How much. */
  amount: string;
  /** Who sent it, where the chain says so. */
  from: string | null;
  /** The payout wallet's address. */
  to: string;
  /** Its transaction. */
  tx_hash: string;
  /** Which transfer of its transaction it is. */
  index: number;
  /** The time of its block. */
  block_time: string;
  /** Why no payment took it; null where one did. */
  reason: "no_match" | "already_paid" | "already_refunded" | "other_asset" | "wrong_network" | "too_small" | "released" | null;
  /** The payment it settled or nearly met. With the reason `no_match` a reference that anybody may have written points to it: check who sent the money before you assign it. */
  payment: string | null;
  /** Whether a payment of another account took this transfer. Only the account that proved the address sees it, and may release it. */
  held_by_other_account: boolean;
  /** When you marked it as handled. */
  handled_at: string | null;
  /** `network` in CAIP-2. In test mode no transaction exists on it. */
  network_caip2: string;
  /** `asset` in CAIP-19. */
  asset_caip19: string;
  /** `from` in CAIP-10; null where the chain names no sender. */
  from_caip10: string | null;
  /** `to` in CAIP-10. */
  to_caip10: string;
};

/** A payment for a wallet to sign and send. */
export type UnsignedTransaction = {
  /** The unsigned transaction in its wire form, in base64. */
  transaction: string;
};

export type WalletLogin = {
  /** The login token: send it as `Authorization: Bearer`. */
  session_token: string;
  /** The account's payout wallet in live mode: the wallet that signed. */
  payout_wallet_id: string;
};

/** Where the proof of an address stands. */
export type WalletProof = {
  /** The wallet in question. */
  payout_wallet_id: string;
  /** Whether the address has been proved. */
  proved: boolean;
  /** The message to sign with the wallet, unchanged. Null if you sent a proof. */
  message: string | null;
  /** Seconds the message can be signed within. */
  expires_in: number | null;
  /** `disputed` if the proof is valid but another account proved the address first. */
  proof: "proved" | "not_required" | "required" | "disputed";
  /** Proves the address without a signature. Null in test mode, once you sent a proof, and for a sixth wallet with the same address. */
  transfer: {
    /** What to send. */
    asset: string;
    /** Where to send it. */
    network: string;
    /** Exactly how much. */
    amount: string;
    /** The address to send from. */
    from: string;
    /** The address to send to: the same one. */
    to: string;
    /** The transfer counts until then. */
    expires_at: string;
  } | null;
};

/** One event on its way to one endpoint. */
export type WebhookDelivery = {
  /** The delivery. */
  id: string;
  /** Always `webhook_delivery`. */
  object: "webhook_delivery";
  /** Whether it lives in live mode; test mode is a world of its own. */
  livemode: boolean;
  /** Whom it is for. */
  endpoint_id: string;
  /** What it tells of. */
  event_id: string;
  event_type: WebhookEventType;
  /** Parked: waits until its endpoint is enabled again. Failed: six attempts are over. Cancelled: its endpoint was deleted. */
  status: "pending" | "parked" | "delivered" | "failed" | "cancelled";
  /** How often it has been tried on schedule. */
  attempt_count: number;
  /** What the endpoint answered last; null where it did not. */
  last_response_code: number | null;
  /** When it is tried next. */
  next_attempt_at: string | null;
  /** When it was recorded. */
  created_at: string;
  /** When it was delivered or given up. */
  finished_at: string | null;
};

/** A delivery and all its attempts. */
export type WebhookDeliveryDetail = {
  /** The delivery. */
  id: string;
  /** Always `webhook_delivery`. */
  object: "webhook_delivery";
  /** Whether it lives in live mode; test mode is a world of its own. */
  livemode: boolean;
  /** Whom it is for. */
  endpoint_id: string;
  /** What it tells of. */
  event_id: string;
  event_type: WebhookEventType;
  /** Parked: waits until its endpoint is enabled again. Failed: six attempts are over. Cancelled: its endpoint was deleted. */
  status: "pending" | "parked" | "delivered" | "failed" | "cancelled";
  /** How often it has been tried on schedule. */
  attempt_count: number;
  /** What the endpoint answered last; null where it did not. */
  last_response_code: number | null;
  /** When it is tried next. */
  next_attempt_at: string | null;
  /** When it was recorded. */
  created_at: string;
  /** When it was delivered or given up. */
  finished_at: string | null;
  /** Oldest first. */
  attempts: DeliveryAttempt[];
};

/** An address of yours that is told of events. */
export type WebhookEndpoint = {
  /** The endpoint. */
  id: string;
  /** Always `webhook_endpoint`. */
  object: "webhook_endpoint";
  /** Whether it lives in live mode; test mode is a world of its own. */
  livemode: boolean;
  /** Where events are sent to. */
  url: string;
  /** What it is told of. */
  events: WebhookEventType[];
  /** Disabled after the sixth attempt of a delivery has failed. */
  status: "active" | "disabled";
  /** How deliveries to it are going. */
  delivery_status: {
    /** Deliveries waiting for their next attempt, parked ones included. */
    pending: number;
    /** Events that were counted and not queued, because too many deliveries were waiting already. They are listed by `GET /v1/events`. */
    uncollected: number;
    /** How the newest attempt went; null before the first. */
    last_outcome: "delivered" | "failed" | null;
    /** What the endpoint answered to it; null where it did not. */
    last_response_code: number | null;
    /** When that was. */
    last_attempt_at: string | null;
    /** How many of its newest hundred deliveries have arrived. */
    recent_delivered: number;
    /** How many of them have failed so far. */
    recent_failed: number;
    /** How long it took to answer them, on average. */
    average_duration_ms: number | null;
  };
  /** True if its deliveries also carry a `v1a` signature, which the keys at `/.well-known/jwks.json` verify. */
  asymmetric_signature?: boolean;
  /** When it was created. */
  created_at: string;
};

/** A webhook endpoint at the moment its secret is made. */
export type WebhookEndpointWithSecret = {
  /** The endpoint. */
  id: string;
  /** Always `webhook_endpoint`. */
  object: "webhook_endpoint";
  /** Whether it lives in live mode; test mode is a world of its own. */
  livemode: boolean;
  /** Where events are sent to. */
  url: string;
  /** What it is told of. */
  events: WebhookEventType[];
  /** Disabled after the sixth attempt of a delivery has failed. */
  status: "active" | "disabled";
  /** How deliveries to it are going. */
  delivery_status: {
    /** Deliveries waiting for their next attempt, parked ones included. */
    pending: number;
    /** Events that were counted and not queued, because too many deliveries were waiting already. They are listed by `GET /v1/events`. */
    uncollected: number;
    /** How the newest attempt went; null before the first. */
    last_outcome: "delivered" | "failed" | null;
    /** What the endpoint answered to it; null where it did not. */
    last_response_code: number | null;
    /** When that was. */
    last_attempt_at: string | null;
    /** How many of its newest hundred deliveries have arrived. */
    recent_delivered: number;
    /** How many of them have failed so far. */
    recent_failed: number;
    /** How long it took to answer them, on average. */
    average_duration_ms: number | null;
  };
  /** True if its deliveries also carry a `v1a` signature, which the keys at `/.well-known/jwks.json` verify. */
  asymmetric_signature?: boolean;
  /** When it was created. */
  created_at: string;
  /** What its deliveries are signed with, shown this once. */
  secret: string;
};

/** One type per payment status. */
export type WebhookEventType = "payment.created" | "payment.pending" | "payment.routing" | "payment.settling" | "payment.paid" | "payment.failed" | "payment.expired" | "payment.refund_required" | "payment.refunded";

/** How the sample was received. */
export type WebhookTest = {
  /** Whether the endpoint answered with a 2xx status. */
  delivered: boolean;
  /** The status it answered; 0 where there was no answer. */
  response_code: number;
};

/** Any event, told apart by its `type`. */
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

export type CreateCheckoutSessionBody = {
  /** Where the money settles; the default wallet where it is left out. */
  payout_wallet_id?: string;
  /** What to charge: 0.01 to 999999999.99, at most two decimals. */
  amount: string;
  /** The display currency. Left out: USD, or what the account has set. */
  currency?: "USD" | "EUR" | "AED";
  /** Your own order number, echoed on the payment and in webhooks. */
  order_id?: string;
  /** What the customer is told it is for. */
  description?: string;
  /** Up to 50 pairs of strings of yours, echoed on the session, its payment and every webhook. Keys up to 40 characters, values up to 500. */
  metadata?: Record<string, string>;
  /** The lines of the order, shown to the customer. */
  line_items?: LineItem[];
  /** What the customer may pay with, as `ASSET_NETWORK`. Left out: everything on the Safe List, or what the account has set. */
  accepted_assets?: string[];
  /** `custom` takes the list above, and is meant where a list is sent without a mode. `all_supported` takes everything. */
  accepted_assets_mode?: "all_supported" | "custom";
  /** Seconds until it expires: a minute to 30 days. Left out: 3600, or what the account has set. */
  expires_in?: number;
  /** Where the customer goes once it is paid: https, or http on localhost. `{CHECKOUT_SESSION_ID}` in it is replaced. */
  success_url?: string;
  /** Where the customer goes who gives up. */
  cancel_url?: string;
};

export type CreatePaymentLinkBody = {
  /** Where the money settles. */
  payout_wallet_id: string;
  /** What to charge each time: 0.01 to 999999999.99, at most two decimals. */
  amount: string;
  /** The display currency. */
  currency: "USD" | "EUR" | "AED";
  /** What the customer is told it is for. */
  description: string;
  /** Your own order number, echoed on each payment and in webhooks. */
  order_id?: string;
  /** Up to 50 pairs of strings of yours, echoed on the session, its payment and every webhook. Keys up to 40 characters, values up to 500. */
  metadata?: Record<string, string>;
  /** Where the customer goes once it is paid: https, or http on localhost. */
  success_url?: string;
  /** Where the customer goes who gives up. */
  cancel_url?: string;
};

export type ListPaymentLinksQuery = {
  /** How many to answer at most. */
  limit?: number;
  /** The `pagination.cursor` of the page before, or the id of its last object. */
  cursor?: string;
  /** Another name of `cursor`. */
  starting_after?: string;
};

export type ListPaymentsQuery = {
  /** Where a payment stands. Its session always stands at the same. */
  status?: PaymentStatus;
  /** `direct`: paid in the payout asset on the payout network, no fee. `routed`: converted on the way, 1.5 %. */
  route?: RouteType;
  /** Only payments created at or after this instant. */
  created_after?: string;
  /** Only payments created before this instant. */
  created_before?: string;
  /** How many to answer at most. */
  limit?: number;
  /** The `pagination.cursor` of the page before, or the id of its last object. */
  cursor?: string;
  /** Another name of `cursor`. */
  starting_after?: string;
};

export type RecordRefundBody = {
  /** What was given back, in the display currency; all of it where this is left out. */
  amount?: string;
  /** Where it was sent to. */
  address?: string;
  /** Why; kept with the payment. */
  reason?: string;
};

export type VerifyReceiptBody = {
  /** The compact JWS. */
  receipt: string;
};

export type GetRouteQuoteQuery = {
  /** What the customer would pay. */
  pay_asset: string;
  /** Where the customer would pay it. */
  pay_network: string;
  /** A checkout session: amount and payout asset are its own. */
  session?: string;
  /** Where the money would settle. */
  payout_wallet_id?: string;
  /** What would be charged. */
  amount?: string;
  /** The currency of `amount`. */
  currency?: "USD" | "EUR" | "AED";
};

export type CreatePayoutWalletBody = {
  /** What it receives: USDC, USDT, ETH or SOL. */
  asset: string;
  /** Where: ethereum, base, polygon, arbitrum or solana. */
  network: string;
  /** A wallet of yours. On Ethereum and its kin a mixed-case address must carry its checksum. */
  address: string;
  /** Its name in the dashboard. */
  label?: string;
};

export type ListPayoutWalletsQuery = {
  /** How many to answer at most. */
  limit?: number;
  /** The `pagination.cursor` of the page before, or the id of its last object. */
  cursor?: string;
  /** Another name of `cursor`. */
  starting_after?: string;
};

export type ProveWalletOwnershipBody = {
  /** The wallet's signature of the message. */
  signature?: string;
  /** The transaction of the transfer that was given. It must be final. */
  tx_hash?: string;
};

export type CreateWebhookEndpointBody = {
  /** An https address that the internet can reach. */
  url: string;
  /** What it is told of. Naming one twice is naming it once. */
  events: WebhookEventType[];
  /** Also sign with Ed25519 (`v1a` of Standard Webhooks), so that a receiver verifies with the public keys at `/.well-known/jwks.json` and holds no secret. */
  asymmetric_signature?: boolean;
};

export type ListWebhookEndpointsQuery = {
  /** How many to answer at most. */
  limit?: number;
  /** The `pagination.cursor` of the page before, or the id of its last object. */
  cursor?: string;
  /** Another name of `cursor`. */
  starting_after?: string;
};

export type RotateWebhookSecretBody = {
  /** How long the old secret signs as well, up to a week. */
  overlap_seconds?: number;
};

export type TestWebhookBody = {
  /** The endpoint. */
  endpoint_id: string;
  event: WebhookEventType;
};

export type ListWebhookDeliveriesQuery = {
  /** How many to answer at most. */
  limit?: number;
  /** The `pagination.cursor` of the page before, or the id of its last object. */
  cursor?: string;
  /** Another name of `cursor`. */
  starting_after?: string;
  /** Only deliveries that stand so. */
  status?: "pending" | "parked" | "delivered" | "failed" | "cancelled";
};

export type RedeliverFailedBody = {
  /** The instant to start at. */
  since: string;
};

export type ListEventsQuery = {
  /** How many to answer at most. */
  limit?: number;
  /** The `pagination.cursor` of the page before, or the id of its last object. */
  cursor?: string;
  /** Another name of `cursor`. */
  starting_after?: string;
  /** One type per payment status. */
  type?: WebhookEventType;
  /** Only events of this payment. */
  payment?: string;
};

export type ListTransfersQuery = {
  /** How many to answer at most. */
  limit?: number;
  /** The `pagination.cursor` of the page before, or the id of its last object. */
  cursor?: string;
  /** Another name of `cursor`. */
  starting_after?: string;
  /** Only transfers that still wait for somebody to look at them. */
  unattributed?: boolean;
};

export type AssignTransferBody = {
  /** The payment. */
  payment: string;
};

export type StartEmailLoginBody = {
  /** The address to log in with. */
  email: string;
  /** The token of an invitation or setup link, if this login is to open an account on a server that needs one. An existing account does not use it up. */
  invitation?: string;
};

export type VerifyEmailCodeBody = {
  /** The address to log in with. */
  email: string;
  /** The six characters of the mail. */
  code: string;
};

export type IssueNonceBody = {
  /** The wallet's address. */
  address: string;
  /** Which kind of wallet it is. */
  network?: "ethereum" | "solana";
};

export type VerifyWalletBody = {
  /** The wallet's address. */
  address: string;
  /** Which kind of wallet it is. */
  network?: "ethereum" | "solana";
  /** The wallet's signature of the message. */
  signature: string;
  /** The token of an invitation or setup link, if this login is to open an account on a server that needs one. An existing account does not use it up. */
  invitation?: string;
};

export type CreateApiKeyBody = {
  /** The mode the key works in. */
  mode: "live" | "test";
  /** Your name for it. */
  label?: string;
  /** What the key may do, and nothing else. Duplicates are ignored. Left out: everything. */
  scopes?: Scope[];
};

export type ListApiKeysQuery = {
  /** How many to answer at most. */
  limit?: number;
  /** The `pagination.cursor` of the page before, or the id of its last object. */
  cursor?: string;
  /** Another name of `cursor`. */
  starting_after?: string;
  /** Only keys of this mode. */
  mode?: "live" | "test";
};

export type CreateInvitationBody = {
  /** Mail the link to this address. */
  email?: string;
  /** Your name for it. */
  label?: string;
  /** Seconds until it expires: an hour to 30 days. */
  expires_in?: number;
};

export type ListInvitationsQuery = {
  /** How many to answer at most. */
  limit?: number;
  /** The `pagination.cursor` of the page before, or the id of its last object. */
  cursor?: string;
  /** Another name of `cursor`. */
  starting_after?: string;
};

export type UpdateAccountBody = {
  /** The name customers see. */
  name?: string | null;
  /** The logo customers see; an https address. */
  logo_url?: string | null;
  /** How the hosted pages look. */
  brand?: {
    /** Colour of buttons and links. */
    accent_color?: string | null;
    /** Background of the hosted pages. */
    background_color?: string | null;
    /** Light or dark whatever the visitor prefers. Null: as they prefer. */
    theme?: "light" | "dark" | null;
    /** How round boxes and buttons are. Null: round. */
    corners?: "round" | "soft" | "square" | null;
  };
  /** Where customers may write to. */
  support_email?: string | null;
  /** Where customers find help; an https address. */
  support_url?: string | null;
  /** Origins that may show the hosted pages in a frame. */
  frame_parents?: string[];
  /** The shortfall that still counts as paid, in hundredths of a percent, up to 5 %. Null: 0.5 %, and never more than 1.00. */
  tolerance_bps?: number | null;
  /** Whether secret keys are refused new payout wallets. */
  wallets_by_login_only?: boolean;
  /** What checkout sessions are like where a request, or a payment link, leaves it open. */
  session_defaults?: {
    /** Null: USD. */
    currency?: "USD" | "EUR" | "AED" | null;
    /** Seconds until a session expires: a minute to 30 days. Null: 3600. */
    expires_in?: number | null;
    /** What customers may pay with, as `ASSET_NETWORK`. Null: everything on the Safe List. */
    accepted_assets?: string[] | null;
  };
};

export type PayPublicSessionBody = {
  /** One of the session's options. */
  pay_asset: string;
  /** Its network. */
  pay_network: string;
  /** Where a failed conversion is returned to; routed payments need one. */
  refund_address?: string;
  /** The connected wallet that will pay. */
  sender?: string;
  /** The signature by which it shows that it is the customer's. */
  sender_signature?: string;
};

export type SubmitPublicTransactionBody = {
  /** The transaction. */
  tx_hash: string;
  /** The sender's signature of the claim: 64 or 65 bytes in hex, 64 bytes on Solana (base58, base64 or hex), up to 2,048 bytes from a contract wallet. */
  signature?: string;
  /** The address that signed. Contract wallets need it. On Solana the claim is verified at once with it, and when the transaction is read without it. */
  sender?: string;
};

export type BuildPublicTransactionBody = {
  /** The connected wallet that signs, pays and sends it. */
  sender: string;
};

export type ActOnTestSessionBody = {
  /** The outcome, one more block, or the expiry. */
  action: "paid" | "underpaid" | "overpaid" | "late" | "failed" | "refund_required" | "add_block" | "expire";
};

export type TestPaySessionBody = {
  /** What to pay with. */
  pay_asset: string;
  /** Where. */
  pay_network: string;
  /** How it shall go. `late` lets the session expire first. */
  outcome: "paid" | "underpaid" | "overpaid" | "late" | "failed" | "refund_required";
};

export type AdvanceTestClockBody = {
  /** How far to move it, up to a year. */
  seconds: number;
};
