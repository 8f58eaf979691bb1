/** The status of a payment, and of the checkout session that asked for it; the two are always equal. */
export const PAYMENT_STATUSES = [
  'created',
  'pending',
  'routing',
  'settling',
  'paid',
  'failed',
  'expired',
  'refund_required',
  'refunded',
] as const;
export type PaymentStatus = (typeof PAYMENT_STATUSES)[number];

/** The types of a payment's events: one per status. */
export const EVENT_TYPES = [
  'payment.created',
  'payment.pending',
  'payment.routing',
  'payment.settling',
  'payment.paid',
  'payment.failed',
  'payment.expired',
  'payment.refund_required',
  'payment.refunded',
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** What happens to a refund. Sent only to endpoints that name them. */
export const REFUND_EVENT_TYPES = ['refund.created', 'refund.final', 'refund.failed'] as const;
export type RefundEventType = (typeof REFUND_EVENT_TYPES)[number];

/** Everything that an endpoint may subscribe to. */
export const WEBHOOK_EVENT_TYPES = [...EVENT_TYPES, ...REFUND_EVENT_TYPES] as const;
export type WebhookEventType = (typeof WEBHOOK_EVENT_TYPES)[number];

/** The status of a refund. The amount of one that is `failed` or `cancelled` is free again. */
export const REFUND_STATUSES = ['requested', 'planned', 'sent', 'final', 'failed', 'cancelled'] as const;
export type RefundStatus = (typeof REFUND_STATUSES)[number];

/** What became of the link by which a customer names where a refund goes. */
export const REFUND_LINK_STATUSES = ['open', 'answered', 'closed'] as const;
export type RefundLinkStatus = (typeof REFUND_LINK_STATUSES)[number];

/** The languages of the customer's pages and mails. */
export const LOCALES = ['en', 'ar', 'de', 'es', 'fr', 'hi', 'ja', 'pt-BR', 'ru', 'tr', 'ur', 'zh-CN'] as const;
export type Locale = (typeof LOCALES)[number];

/** The most payments that a link may be limited to. */
export const MAX_LINK_PAYMENTS = 1_000_000;

/** How many refunds one signature sends. More transfers do not fit into a transaction of Solana. */
export const MAX_SENT_TOGETHER = { evm: 50, solana: 8, tron: 1 } as const;

/** The status of a payout, which is a record of what the merchant sends. */
export const PAYOUT_STATUSES = ['planned', 'sent', 'final', 'failed', 'cancelled'] as const;
export type PayoutStatus = (typeof PAYOUT_STATUSES)[number];

/** How many payouts an import has at most. */
export const MAX_PAYOUT_LINES = 500;

/** How many payouts one request to a wallet sends, on Solana as several transactions. */
export const MAX_PAYOUTS_TOGETHER = 100;

/** Why a refund is `failed`. */
export const REFUND_FAILURES = ['transaction_reverted', 'transaction_not_found'] as const;
export type RefundFailure = (typeof REFUND_FAILURES)[number];

/** Why a payment is `failed` or `refund_required`: a closed list. */
export const FAILURE_REASONS = [
  'underpaid',
  'paid_late',
  'rate_unknown',
  'untraced_transfer',
  'transaction_reverted',
  'route_refunded',
  'route_failed',
  'route_expired',
  'short_delivery',
  'compliance_hold',
  'transfer_released',
] as const;
export type FailureReason = (typeof FAILURE_REASONS)[number];

/** What the status of a payment does not say about its money. */
export const BALANCES = ['overpaid', 'partly_refunded'] as const;
export type Balance = (typeof BALANCES)[number];

/** What may happen to a payment's money after it was final. */
export const SETTLEMENT_ALERT_TYPES = ['transfer_disappeared'] as const;
export type SettlementAlertType = (typeof SETTLEMENT_ALERT_TYPES)[number];

/** Why a transfer to a payout wallet was taken by no payment. */
export const UNATTRIBUTED_REASONS = [
  'no_match',
  'already_paid',
  'already_refunded',
  'other_asset',
  'wrong_network',
  'too_small',
  'released',
] as const;
export type UnattributedReason = (typeof UNATTRIBUTED_REASONS)[number];

/** Whether a payout wallet's address is proved to be yours, and whether it has to be. */
export const PROOF_STATUSES = ['proved', 'not_required', 'required', 'disputed'] as const;
export type ProofStatus = (typeof PROOF_STATUSES)[number];

export const ROUTES = ['direct', 'routed'] as const;
export type Route = (typeof ROUTES)[number];

export const CURRENCIES = ['USD', 'EUR', 'AED'] as const;
export type Currency = (typeof CURRENCIES)[number];

export const TEST_OUTCOMES = ['paid', 'underpaid', 'overpaid', 'late', 'failed', 'refund_required'] as const;
export type TestOutcome = (typeof TEST_OUTCOMES)[number];
